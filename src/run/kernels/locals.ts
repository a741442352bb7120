/** Parameters and locals of `reduce`, by number. */
export const locals = {
  destination: 0,
  left: 1,
  right: 2,
  bytes: 3,
  end: 4,
} as const;

/** How far bulks are followed. */
export const followed = {
  /** Operations × bulks of runs that are looked at. */
  instances: 200_000,
  /** Operations × bulks that are simulated to see how far apart bulks are, and bulks at most. */
  simulated: 400_000,
  mostFill: 24,
  leastFill: 4,
  /** How long plans may be for their waits to be gone through. */
  operations: 20_000,
} as const;

/** Limits and sizes of what the page shows; lengths are in pixels unless stated otherwise. */
export const pageSizes = {
  /** Curves besides those in use. */
  others: 6,
  listRow: 26,
  /** Rows above and below the view that are made as well. */
  spareRows: 8,
  /** A press that moves less than this is a click. */
  click: 4,
  axis: 24,
  laneRow: 22,
  measuredRow: 14,
  overviewColumns: 600,
  overview: 44,
  /** More messages at once are shown by the links that they take only. */
  messages: 600,
  /** More are dots without labels. */
  labels: 40,
  /** Larger machines have no names under switches. */
  names: 120,
  /** The whole plays in so many seconds at the usual speed. */
  secondsOfPlay: 14,
  positions: 10_000,
  /** Spans narrower than this have no texture, and no name. */
  texturedSpan: 5,
  namedSpan: 26,
} as const;

/** Lengths in a drawing of a machine, in distances between neighbours. */
export const drawingSizes = {
  /** Distance of the two directions from the middle, and radius of a node, in units of the drawing. */
  apart: 0.1,
  node: 0.27,
  /** Room round the drawing, and for names under nodes. */
  margin: 0.75,
  /** Small machines are not drawn larger than this fills. */
  leastExtent: 4,
} as const;

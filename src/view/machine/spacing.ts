/** Lengths in the drawing of a machine, in units of the distance between neighbours, and limits on how many nodes are placed together. */
export const spacing = {
  /** Gaps between blocks, padding inside a block, and the distance of rows of switches. */
  gap: 1,
  margin: 0.6,
  rowOfSwitches: 1.4,
  /** The most boxes that stand in one row under several switches, as trees are drawn. */
  boxesInRow: 8,
  /** A link bends if a node is nearer than this to the straight line. */
  clearance: 0.22,
  /** Distance of a bent link's midpoint from the straight line, as a share of its length, and its bounds: enough to pass the node, and inside the drawing. */
  bow: 0.14,
  minBow: 0.45,
  maxBow: 1.1,
  /** A line of more chips than this is drawn as rows that run to and fro. */
  line: 12,
  /** The most nodes of a ring that is drawn as a circle. */
  circle: 64,
  /** Distance of neighbours on a circle of nodes that may all be linked: larger than on a ring, to leave room for the links. */
  roomOnCircle: 1.6,
  /** The preferred ratio of width to height of a drawing. */
  ratio: 1.35,
} as const;

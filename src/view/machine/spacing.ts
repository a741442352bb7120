/** Lengths in a drawing of a machine, in distances between neighbours, and how many nodes stand together. */
export const spacing = {
  /** Room between blocks, in them round their nodes, and between rows of switches. */
  gap: 1,
  margin: 0.6,
  rowOfSwitches: 1.4,
  /** Boxes under several switches stand in one row, as trees are drawn, unless there are more. */
  boxesInRow: 8,
  /** Nodes nearer than this to a straight line are in its way. */
  clearance: 0.22,
  /** How far the middle of a bent link stands off, as a part of its length; enough to pass the node, and within the drawing. */
  bow: 0.14,
  leastBow: 0.45,
  mostBow: 1.1,
  /** More chips than this on one line are put in rows, to be read to and fro. */
  line: 12,
  /** More nodes on a circle would stand too far apart from the middle. */
  circle: 64,
  /** Nodes that all may be linked stand further apart on a circle than those of a ring, for room between them. */
  roomOnCircle: 1.6,
  /** Pages have room for drawings that are somewhat wider than high. */
  ratio: 1.35,
} as const;

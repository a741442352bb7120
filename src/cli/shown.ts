/** Limits of the output. If something does not fit, the rest is counted or the middle is left out. No limit changes what is computed. */
export const displayLimits = {
  /** Rows of a table or chart, and lanes of a timeline. */
  rows: 128,
  /** Columns of all output unless the caller knows the terminal's width. */
  width: 100 as number,
  /** Largest part of the width that names take. */
  nameShare: 0.4,
  /** Reasons (in the column after the names) are not broken into lines shorter than this many columns. */
  leastReason: 16,
  /** Largest number of nodes in a drawing; more cannot be read. */
  nodesInPicture: 1024,
  /** Largest number of ranks whose buffers are drawn; larger collectives are defined in words. */
  nodesDefined: 32,
  /** Larger machines are summarised, without a drawing or neighbours; a ring order is written out for up to this many ranks. */
  nodes: 64,
  /**
   * Largest number of nodes, and of slots per node, for which a table of states is printed; also the largest number of rows in a map and of groups in
   * a list.
   */
  nodesInTable: 16,
  slots: 32,
  steps: 100,
  /** Largest number of chunks kept and moved by the symbolic run that fills the column `Data per node after`. */
  chunksRun: 200_000,
  /** Columns that the table of transfers needs besides the transfers, about. */
  besideTransfers: 52,
  /** Elements with which vectors are drawn that are reduced: enough to show that each element is reduced by itself. */
  elements: 4,
  /** Boxes of one buffer that are drawn; the middle of longer buffers is left out. */
  boxes: 12,
  /** Largest number of operations of a plan whose programs are drawn. */
  operationsDrawn: 400,
  /** Operations that are printed; the rest is counted. */
  operations: 20_000,
  /** Gaps, links and nodes that are listed by name; the rest is counted. */
  named: 12,
  /** Algorithms in a chart besides those in use. */
  others: 5,
  /** Characters of a reduction tree that are printed. */
  treeLetters: 400,
  /** Boxes narrower than this (in units of the drawing) have no letter. */
  boxForLetter: 12,
  plotWidth: 56,
  plotHeight: 10,
  columnGap: 2,
  /** Largest number of plans in a page; more would make it slow to open. */
  plansInPage: 24,
  /** Pixels between neighbouring nodes, and around the drawing. */
  pixelsApart: 110,
  pixelsAround: 50,
  /** Pixels between two arrows in opposite directions that have different labels. */
  pixelsAside: 7,
  /** Pixels for the title. */
  pixelsForTitle: 24,
} as const;

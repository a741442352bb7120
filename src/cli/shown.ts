/** How much is shown: what does not fit is counted, or its middle left out. None of it changes what is found. */
export const displayLimits = {
  /** Rows of a table or picture, lanes among them. */
  rows: 128,
  /** Columns that everything printed here keeps to unless the caller knows the terminal's. */
  width: 100 as number,
  /** Names take no more than this part of the width. */
  nameShare: 0.4,
  /** Reasons beside them are not broken into shorter lines. */
  leastReason: 16,
  /** More nodes cannot be read in one picture. */
  nodesInPicture: 1024,
  /** Larger collectives are defined in words. */
  nodesDefined: 32,
  /** Larger machines are summed up, without a drawing or neighbours; a ring order is written out for so many ranks. */
  nodes: 64,
  /** A table of states for more nodes, or more slots per node, than this is no help to anyone; nor is a map of more rows, or a list of more groups. */
  nodesInTable: 16,
  slots: 32,
  steps: 100,
  /** Chunks kept and moved by the symbolic run behind the column `Data per node after`. */
  chunksRun: 200_000,
  /** The other columns of the table of transfers take about this much. */
  besideTransfers: 52,
  /** Elements that the vectors of reductions are drawn with: enough to see that each is reduced by itself. */
  elements: 4,
  /** Boxes of one buffer that are drawn; the middle of longer ones is left out. */
  boxes: 12,
  /** Programs are drawn for plans of at most so many operations. */
  operationsDrawn: 400,
  /** Operations that are printed; the rest is counted. */
  operations: 20_000,
  /** Gaps, links and nodes that are named one by one. */
  named: 12,
  /** The picture shows so many algorithms besides those in use. */
  others: 5,
  /** So much of a tree is written out. */
  treeLetters: 400,
  /** Narrower boxes have no letter. */
  boxForLetter: 12,
  plotWidth: 56,
  plotHeight: 10,
  columnGap: 2,
  /** More plans would make a page that takes long to open. */
  plansInPage: 24,
  /** Pixels from neighbour to neighbour, and around everything. */
  pixelsApart: 110,
  pixelsAround: 50,
  /** By how much two arrows that go opposite ways with other labels stand beside each other. */
  pixelsAside: 7,
  /** Room for the title. */
  pixelsForTitle: 24,
} as const;

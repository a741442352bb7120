/** Size and work limits of the list engine. Beyond them it proposes nothing or searches less. */
export const listLimits = {
  /**
   * Maximum items × ranks of one search unless the user requested a number of chunks, and maximum arcs × ranks: beyond it, plans have
   * millions of operations.
   */
  deliveries: 1 << 21,
  /** Maximum pieces × ranks of a move that runs in many bulks. */
  deliveriesInBulks: 1 << 15,
  /** Maximum arcs × items of a search that cuts shards into parts, at full effort; lower efforts may use a fraction of it. */
  waysTimesItems: 1 << 19,
  /**
   * Maximum equivalent routes through switches that are distinguished between two ranks: with more, searches take longer and results hardly
   * improve.
   */
  channels: 4,
  /** Maximum pairs of ranks that exchange messages directly: with more, searches for paths would take minutes. */
  pairs: 25_000,
  /**
   * Pieces per link into the rank with the fewest links, for moves that run in many bulks. With this limit an allreduce of 64 MiB on
   * line:64 takes 10.1 ms, without it 18.4 ms.
   */
  piecesInBulks: 6,
  /**
   * Maximum parts of the data of one pair of ranks if pairs have different amounts. A power of two, so that the parts of every pair are
   * whole chunks of the finest division.
   */
  partsOfPair: 16,
  /** Maximum arcs and ranks visited by one shortest-path search from every source; beyond it, no paths are searched. */
  effort: 1e7,
  /** Maximum hops of all parcels together: beyond it there are no candidates, since checking them would take too long. */
  hops: 6_000_000,
  /** If a pass would visit more arcs and ranks than this, several demands of one source are routed by one search … */
  looksOneByOne: 1e6,
  /** … but per batch at most one in this many of the source's demands: the demands of a batch do not see each other's load. */
  batchesOfSource: 8,
  /** A search for paths ends after this many consecutive attempts without improvement. */
  patience: 12,
} as const;

/** Limits of work of the list engine: what is looked at, and no more. */
export const listLimits = {
  /** Items × ranks of one search, unless the user asked for more, or ways × ranks: beyond, plans have millions of operations. */
  deliveries: 1 << 21,
  /** Pieces × ranks of what runs in many bulks. */
  deliveriesInBulks: 1 << 15,
  /** Ways × items of a search in which shards are cut in parts; quick searches may look at a part of it. */
  waysTimesItems: 1 << 19,
  /** Ways through switches that are told apart between two ranks: more would make searches longer and hardly better. */
  channels: 4,
  /** Pairs of ranks that exchange messages directly: with more of them searches for paths would take minutes. */
  pairs: 25_000,
  /** Pieces over each link of the narrowest rank, of moves that run in many bulks: an allreduce of 64 MiB on line:64 takes 10.1 ms, without it 18.4. */
  piecesInBulks: 6,
  /** Parts of what one rank has for another, where pairs differ: a power of two, so that those of all pairs are whole chunks of the most. */
  partsOfPair: 16,
  /** Arcs and ranks to look at if one search from each rank looks at all: beyond that no paths are searched. */
  effort: 1e7,
  /** Hops of all parcels together: beyond that there are no candidates, since proving them would take long. */
  hops: 6_000_000,
  /** In a pass of more looks at arcs and ranks than this, demands of one source are routed several at a time … */
  looksOneByOne: 1e6,
  /** … but no more than one in so many of those that it has: they do not see what the others of them take. */
  batchesOfSource: 8,
  /** A search for paths ends as well when this many attempts in a row have found nothing better. */
  patience: 12,
} as const;

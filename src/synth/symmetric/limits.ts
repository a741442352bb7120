/** Limits of work of the symmetric engine. */
export const limits = {
  /** Variants with more pieces of messages than this are left out where one with fewer is nearly as good: it is within a per cent. */
  pieces: 150_000,
  /**
   * Alltoalls of more hops than this are left out, for memory: 256 ranks have 1.05 million on a torus and 2.1 million on a hypercube.
   * No other alltoall is nearly as good there, so that its limit is not that of allgathers.
   */
  hops: 2_200_000,
  /** No search at random for fewer steps goes on beyond this many edges, except for the first attempt. */
  edges: 4_000_000,
} as const;

/** Which rank has which item, one bit each: `words` words of 32 items per rank. */
export interface Holdings {
  readonly words: number;
  readonly bits: Uint32Array;
  /** The same, with what they are about to have. */
  readonly gets: Uint32Array;
  /** `holders[item]`: ranks that have it or are about to. */
  readonly holders: Int32Array;
}

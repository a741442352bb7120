/** How a search is to be made, and when it has to end. */
export interface SearchControl {
  /** The same seed gives the same answers. */
  readonly seed: number;
  readonly shouldStop: () => boolean;
}

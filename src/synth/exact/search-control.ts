/** How a search is to be made, with what help, and when it has to end. */
import type { LinearModel, Solver } from '../solver/index.ts';

export interface SearchControl {
  /** The same seed gives the same answers. */
  readonly seed: number;
  readonly shouldStop: () => boolean;
  /** For what neither bounds nor construction decide; without one that stays open. */
  readonly solver?: Solver | undefined;
  /** Told every model before it is solved. */
  readonly onModel?: ((model: LinearModel, name: string) => void) | undefined;
}

/** An integer program whose solutions are the schedules of one instance. */
import type { Moves } from '../list/spread.ts';
import type { LinearModel } from '../solver/index.ts';
import type { Renumbering } from './symmetry.ts';

export interface MoveModel {
  readonly model: LinearModel;
  /** Where the columns go when the machine is renumbered; undefined if its solutions do not follow. */
  columnImages(renumbering: Renumbering): Int32Array | undefined;
  /** The moves that a solution stands for. */
  movesOf(values: Float64Array): Moves;
}

/** An integer program whose solutions are the schedules of one instance. */
import type { Moves } from '../list/spread.ts';
import type { LinearModel } from '../solver/index.ts';

export interface MoveModel {
  readonly model: LinearModel;
  /** The moves that a solution stands for. */
  movesOf(values: Float64Array): Moves;
}

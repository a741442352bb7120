/** An integer program whose solutions are the schedules of one instance. */
import type { LinearModel } from '../../solver/index.ts';
import type { Renumbering } from '../symmetry.ts';

export interface InstanceModel<Solution> {
  readonly model: LinearModel;
  /** Where the columns go when the machine is renumbered; undefined if its solutions do not follow. */
  columnImages(renumbering: Renumbering): Int32Array | undefined;
  /** What a solution of the model stands for. */
  solutionOf(values: Float64Array): Solution;
}

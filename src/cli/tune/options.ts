/** The options of `ccc tune` as they were typed. */
import type { Dtype } from '../../ir/dtype.ts';
import type { Bytes } from '../../ir/units.ts';
import type { RulesVersion } from '../../tune/open-mpi.ts';
import type { CollectiveOptions, LongRunOptions, RankRangeOption, TopologyOptions } from '../options.ts';

export interface TuneCommandOptions extends TopologyOptions, CollectiveOptions, LongRunOptions {
  readonly sizes: readonly [Bytes, Bytes];
  readonly points: number;
  /** In percent. */
  readonly tolerance: number;
  readonly engine: string;
  readonly seed: number;
  readonly dtype: Dtype;
  readonly output?: string;
  /** A target format that can hold all plans in one file, which is then written to `output`. */
  readonly emit?: string;
  readonly rules?: string;
  /** Version of Open MPI's rules format. */
  readonly rulesVersion: RulesVersion;
  readonly sameBits?: boolean;
  readonly csv?: string;
  readonly ranks?: RankRangeOption;
  readonly json?: boolean;
}

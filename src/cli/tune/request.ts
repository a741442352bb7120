/** What `ccc tune` is asked: by its options, and as the search is told. */
import type { Collective } from '../../ir/collective.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { RulesVersion } from '../../tune/open-mpi.ts';
import type { TuneRequest } from '../../tune/tune.ts';
import type { CollectiveOptions, LongRunOptions, RankRangeOption, TopologyOptions } from '../options.ts';

export interface TuneOptions extends TopologyOptions, CollectiveOptions, LongRunOptions {
  readonly sizes: readonly [Bytes, Bytes];
  readonly points: number;
  /** In percent. */
  readonly tolerance: number;
  readonly engine: string;
  readonly seed: number;
  readonly dtype: Dtype;
  readonly output?: string;
  /** A target format that has all plans in one file, which is `output` then. */
  readonly emit?: string;
  readonly rules?: string;
  /** The version of their file format. */
  readonly rulesVersion: RulesVersion;
  readonly sameBits?: boolean;
  readonly csv?: string;
  readonly ranks?: RankRangeOption;
  readonly json?: boolean;
}

/** One topology, and the collective on as many ranks as it has. */
export interface TuneTarget {
  readonly topology: Topology;
  readonly collective: Collective;
  /** The topology under each protocol, where there is one to choose. */
  readonly alternatives?: readonly Topology[] | undefined;
}

export interface TuneWork {
  readonly targets: readonly TuneTarget[];
  /** What all of them have in common. */
  readonly request: Omit<TuneRequest, 'collective' | 'topology' | 'shouldStop' | 'onPool'>;
  readonly options: TuneOptions;
  /** Columns of tables; undefined where nobody knows. */
  readonly width: number | undefined;
}

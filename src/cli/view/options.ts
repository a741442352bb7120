/** The options of `ccc view`. */
import type { Bytes } from '../../ir/units.ts';
import type { CollectiveOptions, TopologyOptions } from '../options.ts';

export interface ViewOptions extends TopologyOptions, CollectiveOptions {
  readonly ranks?: number;
  readonly chunks?: number;
  readonly inflight?: number;
  readonly size?: Bytes;
  readonly measured?: string;
  readonly output?: string;
  readonly serve?: boolean;
  readonly port: number;
}

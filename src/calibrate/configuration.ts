/** Measured configurations: a plan under a protocol with its times by size. */
import type { CollectiveKind } from '../ir/collective.ts';
import type { Plan } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/** Bytes M of a message, and the time it took. */
export interface MeasuredTime {
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/** The facts about a configuration that reports show. */
export interface ConfigurationLabel {
  /** The name in reports: the plan's file or name, with its protocol. */
  readonly name: string;
  readonly collective: CollectiveKind;
  readonly ranks: number;
  /** Undefined if the measurements do not name a protocol. */
  readonly protocol: string | undefined;
}

/** One plan under one protocol, with its measured times. */
export interface Configuration extends ConfigurationLabel {
  readonly plan: Plan;
  /** The machine with as many ranks as the plan ran on. */
  readonly topology: Topology;
  /** In ascending order of size, with one time for each size. */
  readonly times: readonly MeasuredTime[];
}

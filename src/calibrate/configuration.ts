/** What was measured: plans under protocols, each with its times by size. */
import type { CollectiveKind } from '../ir/collective.ts';
import type { Plan } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/** Bytes M of a message, and the time it took. */
export interface MeasuredTime {
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/** What reports say of a configuration. */
export interface ConfigurationLabel {
  /** What people call it: the plan's file or name, with its protocol. */
  readonly name: string;
  readonly collective: CollectiveKind;
  readonly ranks: number;
  /** Undefined where measurements do not distinguish protocols. */
  readonly protocol: string | undefined;
}

/** One plan under one protocol. */
export interface Configuration extends ConfigurationLabel {
  readonly plan: Plan;
  /** The machine, in the size that it ran on. */
  readonly topology: Topology;
  /** By ascending size, each once. */
  readonly times: readonly MeasuredTime[];
}

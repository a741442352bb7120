/**
 * What every target format implements: one file or folder per target, registered in `src/targets`. An emitter gets only
 * plans that have been proved; it refuses (`check`) before it writes anything (`emit`).
 */
import type { Dtype } from '../ir/dtype.ts';
import type { Plan, PlanOrigin } from '../ir/plan.ts';
import type { Bound, CostReport, Timeline } from '../ir/report.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { ProvedPlan } from '../ir/verification.ts';

/** A proved plan with everything known about it; what is undefined was not asked for. */
export interface PlanBundle {
  readonly proved: ProvedPlan;
  readonly topology: Topology | undefined;
  /** M: bytes of the larger of one rank's input and output. */
  readonly size: Bytes | undefined;
  readonly dtype: Dtype | undefined;
  readonly cost: CostReport | undefined;
  readonly bound: Bound | undefined;
  readonly origin: PlanOrigin | undefined;
  /** Simulates the plan once more, for targets that show or need when what happens. */
  readonly timeline?: (() => Timeline) | undefined;
}

/** A plan for messages of so many bytes and more, up to where the next one begins. */
export interface RangedBundle {
  readonly from: Bytes;
  readonly bundle: PlanBundle;
}

/** A file of a target that is a folder; the path is relative to that. */
export interface EmittedFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface Emitter {
  /** As given to `--emit`. */
  readonly name: string;
  /** One sentence for `ccc list emitters`. */
  readonly about: string;
  /**
   * `strict` where the target owns buffers from posting to completion: then it gets plans that were proved so, for channels
   * of any depth, with the waits that this needs.
   */
  readonly ownership?: 'strict';
  /** Targets whose text is read back and judged before it leaves, and as what. */
  readonly reread?: 'execution-plan';
  /** Targets without bulks, whose plans are of one: where the machine has lanes, what that takes is read back and told. */
  readonly inOneBulk?: 'msccl';
  /** What the target cannot express of this plan; empty if it can express all. */
  check(bundle: PlanBundle): readonly string[];
  /** What of that comes from the size of its runtimes: a plan on fewer lanes may lack nothing. Targets without such limits leave it out. */
  lackingRoom?(plan: Plan): readonly string[];
  /** The target text in pieces, so that large plans need not fit one string; a promise where its maker is loaded first. */
  emit(bundle: PlanBundle): Iterable<string> | Promise<Iterable<string>>;
  /** One text for all sizes, which chooses by the size of a message; targets that cannot do that leave it out. By ascending sizes, the first from 0 on. */
  emitRanges?(ranges: readonly RangedBundle[]): Iterable<string> | Promise<Iterable<string>>;
  /** Targets that are a folder: its files. What `emit` gives is then the text that runs them. */
  files?(bundle: PlanBundle): readonly EmittedFile[];
  /** What people should know of what is written. */
  remarks?(bundle: PlanBundle): readonly string[];
}

/**
 * The interface of all target formats: one file or folder per target, registered in `src/targets`. An emitter gets only proved plans. It reports what
 * it cannot express (`check`) before it writes anything (`emit`), and opens the proof in order to write (`opened`).
 */
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Plan, PlanOrigin } from '../ir/plan.ts';
import type { Bound, CostReport, Timeline } from '../ir/report.ts';
import type { MessageLimits, Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { machineOf, ProvedPlan } from '../verify/index.ts';

/** A proved plan with all known facts about it; a field is undefined if it was not requested. */
export interface PlanBundle {
  readonly proved: ProvedPlan;
  readonly topology: Topology | undefined;
  /** M: bytes of the larger of one rank's input and output. */
  readonly size: Bytes | undefined;
  readonly dtype: Dtype | undefined;
  readonly cost: CostReport | undefined;
  readonly bound: Bound | undefined;
  readonly origin: PlanOrigin | undefined;
  /** Simulates the plan once more, for targets that need to know when operations run. */
  readonly timeline?: (() => Timeline) | undefined;
}

/** A plan for messages of at least `from` bytes, up to the start of the next range. */
export interface RangedBundle {
  readonly from: Bytes;
  readonly bundle: PlanBundle;
}

/**
 * A bundle whose proof has been opened. The functions that write take nothing else, so that they write the plan that the kernel accepted: `plan` is a
 * copy that nobody else can modify, and statements about it come from the proof.
 */
export interface OpenBundle extends Omit<PlanBundle, 'proved'> {
  readonly plan: Plan;
  readonly verification: Verification;
  /** The machine's limits on messages, if the kernel has checked the plan against them for this size. */
  readonly limits: MessageLimits | undefined;
}

/** An opened plan for messages of at least `from` bytes. */
export interface OpenRange {
  readonly from: Bytes;
  readonly bundle: OpenBundle;
}

/**
 * Opens the proof of a bundle, in order to write the plan.
 * @throws CccError 'unproved' as `ProvedPlan.open`, and for a bundle with another machine, size or element type than its plan was checked for
 */
export function opened(bundle: PlanBundle): OpenBundle {
  const { proved, ...others } = bundle;
  const { plan, verification, options } = ProvedPlan.open(proved);
  const { load } = options;
  const machine = machineOf(options);
  if (machine !== undefined && bundle.topology !== machine) {
    const named = bundle.topology === undefined ? 'no machine' : bundle.topology.name;
    throw misnamed(plan, `the machine ${machine.name}`, named);
  }
  if (load !== undefined && bundle.size !== load.size) throw misnamed(plan, `${load.size} bytes`, `${bundle.size}`);
  if (load?.dtype !== undefined && bundle.dtype !== load.dtype) throw misnamed(plan, load.dtype, `${bundle.dtype}`);
  return { ...others, plan, verification, limits: load?.topology.messages };
}

/** Opens the bundle of each range, like `opened`. */
export function openedRanges(ranges: readonly RangedBundle[]): readonly OpenRange[] {
  return ranges.map(({ from, bundle }) => ({ from, bundle: opened(bundle) }));
}

function misnamed({ name }: Plan, checkedFor: string, named: string): CccError {
  return new CccError(
    'unproved',
    `${name} was checked for ${checkedFor}, and its bundle names ${named}: prove it again`,
  );
}

/** A file of a target that is a folder. The path is relative to the folder. */
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
   * `strict` if the target's runtime owns buffers from posting to completion. It then gets plans that were proved for strict ownership and for
   * channels of any depth, with the additional waits that this needs.
   */
  readonly ownership?: 'strict';
  /** Given if the text is read back and checked before it is returned: the format as which it is read. */
  readonly reread?: 'execution-plan';
  /** For targets without bulks: if the machine has lanes, the emitted text is read back, simulated in one bulk, and its time is reported. */
  readonly inOneBulk?: 'msccl';
  /** Reasons why the target cannot express this plan; empty if it can. */
  check(bundle: PlanBundle): readonly string[];
  /**
   * The reasons among these that come from limits of the target's runtimes, which a plan with fewer lanes may satisfy. Targets without such limits
   * omit it.
   */
  lackingRoom?(plan: Plan, topology: Topology | undefined): readonly string[];
  /** The text of the target in pieces, so that large plans need not fit one string; a promise if the emitter must be loaded first. */
  emit(bundle: PlanBundle): Iterable<string> | Promise<Iterable<string>>;
  /**
   * One text for all sizes, which chooses a plan by the size of a message; targets that cannot do that omit it. The ranges are in ascending order,
   * the first one from 0 on.
   */
  emitRanges?(ranges: readonly RangedBundle[]): Iterable<string> | Promise<Iterable<string>>;
  /** The files of a target that is a folder. `emit` then returns a text that runs them. */
  files?(bundle: PlanBundle): readonly EmittedFile[];
  /** Remarks for users on the written text. */
  remarks?(bundle: PlanBundle): readonly string[];
}

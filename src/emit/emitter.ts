/**
 * What every target format implements: one file or folder per target, registered in `src/targets`. An emitter gets only
 * plans that have been proved. It says what it cannot express (`check`) before it writes anything (`emit`), and opens the proof to write (`opened`).
 */
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Plan, PlanOrigin } from '../ir/plan.ts';
import type { Bound, CostReport, Timeline } from '../ir/report.ts';
import type { MessageLimits, Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { machineOf, ProvedPlan } from '../verify/index.ts';

/** A proved plan with everything that is known about it; a field is undefined if it was not requested. */
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

/**
 * A bundle whose proof has been opened. The functions that write take nothing else, so that what they write is the plan that the kernel accepted:
 * `plan` is a copy that nobody else has, and what is said about it comes from the proof.
 */
export interface OpenBundle extends Omit<PlanBundle, 'proved'> {
  readonly plan: Plan;
  readonly verification: Verification;
  /** The machine's limits on messages, if the kernel has checked the plan against them for this size. */
  readonly limits: MessageLimits | undefined;
}

/** An opened plan for messages of so many bytes and more. */
export interface OpenRange {
  readonly from: Bytes;
  readonly bundle: OpenBundle;
}

/**
 * Opens the proof of a bundle, in order to write the plan.
 * @throws CccError 'unproved' as `ProvedPlan.open`, and for a bundle that names another machine, size or element type than its plan was checked for
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

/** As `opened`, for each of several ranges. */
export function openedRanges(ranges: readonly RangedBundle[]): readonly OpenRange[] {
  return ranges.map(({ from, bundle }) => ({ from, bundle: opened(bundle) }));
}

function misnamed({ name }: Plan, checkedFor: string, named: string): CccError {
  return new CccError(
    'unproved',
    `${name} was checked for ${checkedFor}, and its bundle names ${named}: prove it again`,
  );
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
  /** For targets without bulks: if the machine has lanes, the emitted text is read back, simulated in one bulk, and its time is reported. */
  readonly inOneBulk?: 'msccl';
  /** What the target cannot express of this plan; empty if it can express all. */
  check(bundle: PlanBundle): readonly string[];
  /** What of that comes from the size of its runtimes: a plan on fewer lanes may lack nothing. Targets without such limits leave it out. */
  lackingRoom?(plan: Plan, topology: Topology | undefined): readonly string[];
  /** The target text in pieces, so that large plans need not fit one string; a promise where its maker is loaded first. */
  emit(bundle: PlanBundle): Iterable<string> | Promise<Iterable<string>>;
  /** One text for all sizes, which chooses by the size of a message; targets that cannot do that leave it out. By ascending sizes, the first from 0 on. */
  emitRanges?(ranges: readonly RangedBundle[]): Iterable<string> | Promise<Iterable<string>>;
  /** Targets that are a folder: its files. What `emit` gives is then the text that runs them. */
  files?(bundle: PlanBundle): readonly EmittedFile[];
  /** What people should know of what is written. */
  remarks?(bundle: PlanBundle): readonly string[];
}

/** Runs a plan on real buffers: lays out memory, starts threads, fills, runs, checks and times. */
import { availableParallelism, freemem } from 'node:os';
import { collectiveFacts, messageChunks, type ReductionOperator } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Dtype, dtypeBytes, operatorLacking } from '../ir/dtype.ts';
import { maxTimedOperations } from '../ir/limits.ts';
import { OperationCode, type Plan } from '../ir/plan.ts';
import { checkWholeElements } from '../ir/shards.ts';
import { type Bytes, formatBytes, type Seconds } from '../ir/units.ts';
import { type OpenedProof, ProvedPlan } from '../verify/index.ts';
import type { Mismatch } from './check.ts';
import { Control } from './control.ts';
import { canStartRunWorkers, type ExecutionCrew, soleMember, startCrew } from './crew.ts';
import { stagedSends } from './dry-run.ts';
import { checkChunksFit } from './fits.ts';
import type { InputKind } from './inputs.ts';
import { maxPages, pageBytes } from './kernels/kernel.ts';
import { Memory, type SharedMemory } from './kernels/web-assembly.ts';
import { ByteLayout, type LayoutRequest } from './layout.ts';
import type { Interval, ThreadAssignment } from './member.ts';
import { newCounters } from './progress.ts';
import { type RunTables, runTables } from './tables.ts';

/**
 * A plan that nobody has proved, which its owner wants to run all the same. It must be well formed and its messages must match (the first two checks
 * of the verifier). Other errors show in its results or as a deadlock.
 */
export interface UnverifiedPlan {
  readonly plan: Plan;
  readonly unverified: true;
}

export interface RunOptions {
  /** M in bytes; a whole number of elements. With counts it must agree with them. */
  readonly size: Bytes;
  readonly dtype: Dtype;
  /** Default: the plan's. */
  readonly op?: ReductionOperator | undefined;
  /** The unit of message addresses and lengths in bytes, if the plan has such a limit. */
  readonly alignment?: Bytes | undefined;
  /** Messages that a connection buffers, 0 for rendezvous; undefined for any number. */
  readonly inflight?: number | undefined;
  /** Number of timed runs, at least 1, after `warmups` untimed ones. */
  readonly repetitions: number;
  readonly warmups: number;
  /**
   * Number of worker threads. 0 runs everything in the calling thread, as do uncompiled sources. Default: one per rank, up to the number of
   * processors.
   */
  readonly threads?: number | undefined;
  readonly inputs: InputKind;
  readonly seed: number;
  /** Compare results with the reference. */
  readonly check: boolean;
  /** Run once more and note when each operation ran. */
  readonly record: boolean;
}

export interface RunResult {
  /** The bytes that were moved as M: the requested size or, for custom collectives, the whole elements in it. */
  readonly size: Bytes;
  readonly threads: number;
  /** Bytes of all buffers. */
  readonly memory: Bytes;
  /** Seconds of each repetition, from the first thread's start to the last one's end. */
  readonly seconds: readonly Seconds[];
  /** The first wrong element of each rank that has one; undefined if nothing was checked. */
  readonly wrong: readonly Mismatch[] | undefined;
  /** Start and end of each instance bulk · operations + operation, in seconds from the start of the run, if recorded. */
  readonly times: Float64Array | undefined;
}

/**
 * Runs a plan on buffers in memory.
 * @throws CccError 'unproved' as `ProvedPlan.open` and for a plan that deadlocks; 'range' for a size that is no whole number of elements; 'usage' for
 *   an operator that the type lacks and for a size at which chunks would be cut off; 'stopped' if memory is not sufficient or a thread dies
 */
export async function run(given: ProvedPlan | UnverifiedPlan, options: RunOptions): Promise<RunResult> {
  const subject = 'unverified' in given ? given : ProvedPlan.open(given);
  const { plan } = subject;
  checkOptions(plan, options);
  const tables = runTables(plan);
  const staged =
    'unverified' in subject || needsStaging(subject) ? stagedSends(tables, options.inflight) : noneStaged(tables);
  const request = layoutRequest(plan, options, staged);
  const layout = new ByteLayout(request);
  const { bytes } = layout;
  checkMemory(bytes);
  const { elementBytes } = request;
  if (!('unverified' in subject) && !layout.isEven) {
    checkChunksFit({ tables, layout, collective: plan.collective, elementBytes, inflight: options.inflight, staged });
  }
  const assignment = assign(subject, { tables, staged, request, bytes }, options);
  const crew = inThisThread(options) ? soleMember(assignment) : startCrew(assignment);
  try {
    return { ...(await runWith(crew, assignment, options)), size: effectiveSize(plan, options), memory: bytes };
  } finally {
    await crew.dismiss();
  }
}

/** Whether the verifier found that all ranks combine each chunk with the same reduction tree. */
function promisesBits({ verification }: OpenedProof): boolean {
  return verification.determinism?.identical === true;
}

function inThisThread({ threads }: RunOptions): boolean {
  return threads === 0 || !canStartRunWorkers();
}

/** Whether messages may have to be staged. A plan that needs no buffering also runs if each message waits in its source. */
function needsStaging({ verification }: OpenedProof): boolean {
  return verification.smallestInflight !== 0;
}

function noneStaged(tables: RunTables): Uint8Array {
  return new Uint8Array(tables.kind.length);
}

async function runWith(
  crew: ExecutionCrew,
  assignment: ThreadAssignment,
  { repetitions, warmups, check }: RunOptions,
): Promise<Pick<RunResult, 'threads' | 'seconds' | 'wrong' | 'times'>> {
  const intervals = await crew.run(warmups + repetitions, false);
  const seconds = Array.from({ length: repetitions }, (_, i) => duration(intervals, warmups + i));
  const times = await recorded(crew, assignment);
  const wrong = check ? await crew.check() : undefined;
  return { threads: assignment.threads, seconds, wrong, times };
}

/** Runs the plan once more and records the times of its operations. */
async function recorded(crew: ExecutionCrew, { record }: ThreadAssignment): Promise<Float64Array | undefined> {
  if (record === undefined) return undefined;
  const intervals = await crew.run(1, true);
  const start = Math.min(...intervals.map(([only]) => only.start));
  return record.map((time) => time - start);
}

function duration(intervals: readonly (readonly Interval[])[], repetition: number): Seconds {
  const starts = intervals.map((thread) => thread[repetition].start);
  const ends = intervals.map((thread) => thread[repetition].end);
  return Math.max(...ends) - Math.min(...starts);
}

function checkOptions(plan: Plan, { size, dtype, op = plan.collective.op, record }: RunOptions): void {
  const { counts, ranks } = plan.collective;
  const lacking = reduces(plan) ? operatorLacking(op, dtype) : undefined;
  if (lacking !== undefined) throw new CccError('usage', lacking);
  checkWholeElements(size, dtype, counts);
  if (record && plan.bulks * plan.ops.kind.length > maxTimedOperations) {
    throw new CccError('limit', `a timeline holds at most ${maxTimedOperations} operations of ${ranks} ranks`);
  }
}

function reduces(plan: Plan): boolean {
  return plan.ops.kind.some((kind) => kind === OperationCode.reduce || kind === OperationCode.recvReduce);
}

function layoutRequest(plan: Plan, { size, dtype, alignment }: RunOptions, staged: Uint8Array): LayoutRequest {
  const elementBytes = dtypeBytes[dtype];
  const { collective, bulks, scratchPerBulk, buffers, ops } = plan;
  const rooms: (readonly [number, number])[] = [];
  staged.forEach((isStaged, operation) => {
    if (isStaged === 1) rooms.push([operation, ops.srcCount[operation]]);
  });
  const sizes = { elements: size / elementBytes, elementBytes, alignment };
  return { collective, bulks, scratchPerBulk, buffers, ...sizes, staged: rooms };
}

/** The size that runs: the chunks of custom collectives consist of whole elements, all of the same number. */
function effectiveSize({ collective }: Plan, { size, dtype }: RunOptions): Bytes {
  if (collective.kind !== 'custom') return size;
  const unit = messageChunks(collective) * dtypeBytes[dtype];
  return Math.floor(size / unit) * unit;
}

/** @throws CccError 'stopped' before anything is allocated, if memory is not sufficient */
function checkMemory(bytes: Bytes): void {
  const most = maxPages * pageBytes;
  if (bytes > most) {
    const message = `the buffers of all ranks take ${formatBytes(bytes)}; the runtime's one shared memory holds ${formatBytes(most)}: give a smaller --size`;
    throw new CccError('stopped', message);
  }
  const available = Math.min(freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  if (bytes > available) {
    const message = `the buffers of all ranks take ${formatBytes(bytes)}, and ${formatBytes(available)} of memory are free: give a smaller --size`;
    throw new CccError('stopped', message);
  }
}

/** @throws CccError 'stopped' if the system cannot provide the memory that it reported as free */
function allocate(pages: number, bytes: Bytes): SharedMemory {
  try {
    return new Memory({ initial: pages, maximum: pages, shared: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CccError('stopped', `the system does not give ${formatBytes(bytes)} of shared memory for the buffers`);
  }
}

function assign(
  subject: OpenedProof | UnverifiedPlan,
  parts: {
    readonly tables: RunTables;
    readonly staged: Uint8Array;
    readonly request: LayoutRequest;
    readonly bytes: Bytes;
  },
  options: RunOptions,
): ThreadAssignment {
  const { tables, staged, request, bytes } = parts;
  const { plan } = subject;
  const { dtype, inflight, inputs: kind, seed, record } = options;
  const { ranks } = plan.collective;
  const op = options.op ?? plan.collective.op;
  const processors = availableParallelism();
  const threads = inThisThread(options) ? 1 : Math.min(ranks, options.threads ?? processors);
  const isReplicated =
    kind === 'random' && plan.collective.kind === 'allreduce' && 'verification' in subject && promisesBits(subject);
  const pages = Math.ceil(bytes / pageBytes);
  return {
    tables,
    layout: request,
    counters: newCounters(tables, (size) => new SharedArrayBuffer(size)),
    staged,
    inflight,
    dtype,
    op: reduces(plan) ? op : undefined,
    inputs: { dtype, op: collectiveFacts[plan.collective.kind].reduces ? op : 'max', ranks, kind, seed },
    memory: allocate(pages, bytes),
    control: Control.allocate(),
    threads,
    isCrowded: threads > processors,
    isReplicated,
    record: record ? new Float64Array(new SharedArrayBuffer(16 * plan.bulks * plan.ops.kind.length)) : undefined,
  };
}

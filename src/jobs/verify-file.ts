/** Verifies files: a plan as it is, a schedule for each requested number of ranks, instantiated and lowered. */
import type { Collective } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { dtypes } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { lower } from '../lower/index.ts';
import {
  checkParameters,
  fitness,
  instantiate,
  isNcclGraphText,
  type PlanDocument,
  parseScheduleFile,
  type ScheduleFile,
  type ScheduleRequest,
} from '../read/index.ts';
import { readAnyPlan } from '../read/plan/index.ts';
import { judgePlan, type Ownership, type VerifyOptions } from '../verify/index.ts';
import { inAuthorsWords } from './authors-words.ts';
import { claimedMachine, type DocumentBlocks } from './claims.ts';
import { compactVerification } from './compact.ts';
import { planFor, withoutStaging } from './staged-plan.ts';
import { underProtocol } from './timing-target.ts';
import { withBoundChecked } from './verify-bound.ts';
import { withTimeChecked } from './verify-time.ts';

/** Numbers of ranks, both ends included. */
export interface RankRange {
  readonly first: number;
  readonly last: number;
}

/** Options for verification. The inherited ones determine how a schedule becomes a plan. */
export interface VerifyRequest extends Omit<ScheduleRequest, 'ranks'> {
  readonly topology?: Topology | undefined;
  /** Numbers of ranks for schedules; default: the topology's, else the number for which the file is written, else 1 … 16. */
  readonly ranks?: RankRange | undefined;
  readonly inflight?: number | undefined;
  /** M in bytes, for the predicted time; default: the size in the plan's document. */
  readonly size?: Bytes | undefined;
  readonly bitwise: boolean;
  readonly ownership?: Ownership | undefined;
  /** Called after each number of ranks of a range. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The verdict on one plan, or on a schedule for one number of ranks. */
export interface FileVerdict {
  readonly collective: Collective;
  /** The part of the plan that reports need: the plans of a whole range would not fit in memory. */
  readonly plan: Pick<Plan, 'name'>;
  readonly verification: Verification;
}

/** The outcome for one number of ranks of a range. */
export type RankOutcome =
  | { readonly kind: 'verdict'; readonly verdict: FileVerdict; readonly operations: number }
  | { readonly kind: 'skipped'; readonly ranks: number; readonly reason: string; readonly operations: 0 };

/** The end of a range, which was not verified. */
export interface UnfinishedRange extends RankRange {
  readonly reason: string;
}

export interface FileReport {
  readonly kind: 'plan' | 'schedule';
  readonly verdicts: readonly FileVerdict[];
  /** Numbers of ranks in the range for which the schedule states that it does not work, with the reasons. */
  readonly skipped: readonly { readonly ranks: number; readonly reason: string }[];
  /** Numbers of ranks at the end of the range that were not verified because of a limit on work, with the reason. */
  readonly unfinished?: UnfinishedRange | undefined;
  /** The document of a plan, with its statements about topology and cost. */
  readonly document: PlanDocument | undefined;
  /** Remarks on properties of the file that are unusual, but not wrong. */
  readonly notes?: readonly string[];
  /** Whether the verdicts are those for in-place and out-of-place use, not those for several numbers of ranks. */
  readonly hasBothUses?: boolean | undefined;
}

const defaultRange: RankRange = { first: 1, last: 16 };

/** Verifies a file. The first character that is not white space distinguishes plans (JSON or XML) from schedules (YAML). */
export async function verifyText(source: SourceText, request: VerifyRequest): Promise<FileReport> {
  switch (/\S/.exec(source.text)?.[0]) {
    case '{':
      return (
        (await verifyScclText(source, request)) ??
        (await verifyExecutionPlanText(source, request)) ??
        verifyPlanText(source, request)
      );
    case '<':
      return verifyAlgorithmText(source, request);
    default:
      return verifyScheduleText(source, request);
  }
}

function verifyPlanText(source: SourceText, asked: VerifyRequest): FileReport {
  if (asked.ranks !== undefined) {
    throw new CccError('usage', '--ranks is for schedules: a plan has its own number of ranks');
  }
  const document = readAnyPlan(source, { limits: asked.limits });
  const request = { ...asked, topology: underProtocol(asked.topology, document.extra.protocol) };
  if ('compact' in document) {
    const { topology, inflight = topology?.inflight } = request;
    const own = { ...request, inflight, shape: topology?.shape };
    const verification = compactVerification(document, undefined, own);
    const { collective, name } = document.compact;
    return { kind: 'plan', verdicts: [{ collective, plan: { name }, verification }], skipped: [], document: undefined };
  }
  const { plan, extra } = document;
  const { collective } = plan;
  const load = loadIn(extra, request.topology, collective.ranks);
  const verification = judgePlan(plan, { ...request, load, slots: request.limits.slots });
  const bounded = withBoundChecked(verification, collective, extra, request.topology);
  const checked = withTimeChecked(bounded, plan, extra, request, request.limits.operations);
  return { kind: 'plan', verdicts: [{ collective, plan, verification: checked }], skipped: [], document };
}

/** The load for which a document states that its plan is, if the machine is known. */
function loadIn(blocks: DocumentBlocks, given: Topology | undefined, ranks: number): VerifyOptions['load'] {
  const { size, dtype } = blocks;
  const topology = claimedMachine(blocks.topology, given);
  if (topology === undefined || ranksOf(topology) !== ranks || typeof size !== 'number') return undefined;
  return { topology, size, dtype: dtypes.find((name) => name === dtype) };
}

/** Verifies an SCCL algorithm. Returns undefined for other JSON. */
async function verifyScclText(source: SourceText, request: VerifyRequest): Promise<FileReport | undefined> {
  const { isScclText, readSccl } = await import('../read/sccl/index.ts');
  if (!isScclText(source)) return undefined;
  const { verdict } = verdictOnSchedule(readSccl(source, request), request);
  return { kind: 'plan', verdicts: [verdict], skipped: [], document: undefined };
}

/** Verifies an MSCCL++ execution plan. Returns undefined for other JSON. */
async function verifyExecutionPlanText(source: SourceText, request: VerifyRequest): Promise<FileReport | undefined> {
  const { isMscclppText } = await import('../mscclpp/read/index.ts');
  if (!isMscclppText(source)) return undefined;
  const { verifyMscclpp } = await import('./verify-mscclpp.ts');
  const { name, collective, verification, notes } = verifyMscclpp(source, request);
  const verdict = { collective, plan: { name }, verification };
  return { kind: 'plan', verdicts: [verdict], skipped: [], document: undefined, notes };
}

/** The XML parser is loaded only for XML. */
async function verifyAlgorithmText(source: SourceText, request: VerifyRequest): Promise<FileReport> {
  if (isNcclGraphText(source)) {
    const message = `${source.name} has NCCL's rings and trees, no plan: ccc compile … --algorithm ${source.name} makes proved plans of them`;
    throw new CccError('usage', message);
  }
  const { verifyMscclUses } = await import('./verify-msccl.ts');
  const uses = verifyMscclUses(source, request);
  const [{ document }] = uses;
  const verdicts = uses.map(({ document: { plan, extra }, verification }) => {
    const timed = withTimeChecked(verification, plan, extra, request, request.limits.operations);
    return { collective: plan.collective, plan: { name: plan.name }, verification: timed };
  });
  const hasBothUses = uses.length > 1;
  return { kind: 'plan', verdicts, skipped: [], document, notes: document.notes, hasBothUses };
}

function verifyScheduleText(source: SourceText, request: VerifyRequest): FileReport {
  const file = parseScheduleFile(source, { limits: request.limits });
  const range = rangeFor(file, request);
  const outcomes: RankOutcome[] = [];
  let operations = 0;
  for (let ranks = range.first; ranks <= range.last && operations < request.limits.rangeOperations; ranks++) {
    const outcome = verifyRanks(file, ranks, range, request);
    outcomes.push(outcome);
    operations += outcome.operations;
    request.onProgress?.(outcomes.length, range.last - range.first + 1);
  }
  return scheduleReport(file, outcomes, range, request.limits);
}

/** Verifies a schedule for one number of ranks of a range. A root beyond the last rank is replaced by the last rank. */
export function verifyRanks(file: ScheduleFile, ranks: number, range: RankRange, request: VerifyRequest): RankOutcome {
  const root = range.first === range.last ? request.root : Math.min(request.root, ranks - 1);
  const instance = { ...request, ranks, root };
  checkParameters([file], request.parameters);
  const fit = fitness(file, instance);
  if (!fit.fits) return { kind: 'skipped', ranks, reason: fit.reason, operations: 0 };
  const { plan, verdict } = verdictOnSchedule(madeFor(file, instance, range), request);
  const verification = inAuthorsWords(verdict.verification, plan, file, instance);
  return { kind: 'verdict', operations: operationCount(plan), verdict: { ...verdict, verification } };
}

/** Instantiates the schedule. In a range of several numbers of ranks the file may state that it does not apply to one of them. */
function madeFor(file: ScheduleFile, instance: ScheduleRequest, { first, last }: RankRange): Schedule {
  try {
    return instantiate(file, instance);
  } catch (error) {
    const isOfFile = error instanceof CccError && (error.code === 'expression' || error.code === 'range');
    if (!isOfFile || first === last) throw error;
    const hint = `for N = ${instance.ranks}; if the schedule is not for so many ranks, let its 'ranks' say so`;
    throw new CccError(error.code, `${error.message}; ${hint}`, error.range);
  }
}

/**
 * The verdict on a schedule or, on machines that stage messages, on its staged plan. Errors before the staging are described in the terms of the
 * schedule.
 */
function verdictOnSchedule(
  schedule: Schedule,
  request: VerifyRequest,
): { readonly plan: Plan; readonly verdict: FileVerdict } {
  const { topology, size } = request;
  const plan = lower(schedule);
  const verdict = verdictOn(plan, { ...request, topology: withoutStaging(topology) });
  if (topology?.staging === undefined || verdict.verification.verdict !== 'correct') return { plan, verdict };
  const staged = planFor(schedule, topology, size);
  return { plan: staged, verdict: verdictOn(staged, request) };
}

/** The verdict on a plan that has no document. */
function verdictOn(plan: Plan, request: VerifyRequest): FileVerdict {
  const { limits } = request;
  const verification = judgePlan(plan, { ...request, slots: limits.slots });
  const timed = withTimeChecked(verification, plan, {}, request, limits.operations);
  return { collective: plan.collective, plan: { name: plan.name }, verification: timed };
}

/**
 * The report on a schedule over a range.
 * @param outcomes the outcomes from the first number of ranks on, as far as the limits allow
 * @throws CccError `schedule` if the schedule works for no number of ranks in the range
 */
export function scheduleReport(
  file: ScheduleFile,
  outcomes: readonly RankOutcome[],
  range: RankRange,
  limits: Limits,
): FileReport {
  const verdicts = outcomes.flatMap((outcome) => (outcome.kind === 'verdict' ? [outcome.verdict] : []));
  const skipped = outcomes.flatMap((outcome) =>
    outcome.kind === 'skipped' ? [{ ranks: outcome.ranks, reason: outcome.reason }] : [],
  );
  if (verdicts.length === 0) throw new CccError('schedule', `${file.name} ${skipped[0].reason}`);
  return {
    kind: 'schedule',
    verdicts,
    skipped,
    unfinished: unfinishedRange(outcomes.length, range, limits),
    document: undefined,
  };
}

/** The part of a range that was not verified, if any. @param done how many numbers of ranks have an outcome */
export function unfinishedRange(done: number, range: RankRange, limits: Limits): UnfinishedRange | undefined {
  const first = range.first + done;
  if (first > range.last) return undefined;
  const reason =
    `what came before has more operations than the limit rangeOperations = ${limits.rangeOperations}, which ` +
    '--limit rangeOperations=… raises';
  return { first, last: range.last, reason };
}

/**
 * The numbers of ranks for which to verify a schedule: the requested ones, the topology's, the file's, or 1 … 16.
 * @throws CccError 'stopped' for numbers beyond the limit on ranks, before any of them is verified
 */
export function rangeFor(file: ScheduleFile, request: VerifyRequest): RankRange {
  if (request.ranks !== undefined) {
    const { limits, ranks } = request;
    if (ranks.last <= limits.ranks) return ranks;
    const message = `${ranks.last} ranks are more than the limit ranks = ${limits.ranks}; --limit ranks=… raises it`;
    throw new CccError('stopped', message);
  }
  if (request.topology !== undefined) return { first: ranksOf(request.topology), last: ranksOf(request.topology) };
  if (file.fixedRanks !== undefined) return { first: file.fixedRanks, last: file.fixedRanks };
  return defaultRange;
}

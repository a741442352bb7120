/**
 * Verification of files that people wrote: a plan is proved as it stands, a schedule is instantiated for each number of
 * ranks asked for, lowered and proved.
 */
import type { Collective, ReductionOperator } from './ir/collective.ts';
import { CccError, type SourceText } from './ir/diagnostic.ts';
import type { Limits } from './ir/limits.ts';
import type { Plan } from './ir/plan.ts';
import { ranksOf, type Topology } from './ir/topology.ts';
import type { Verification } from './ir/verification.ts';
import { lower } from './lower/index.ts';
import { type PlanDocument, parseScheduleFile, readPlan, type ScheduleFile } from './read/index.ts';
import { fitness, instantiate } from './synth/index.ts';
import { type Ownership, verify } from './verify/index.ts';

/** Numbers of ranks, both ends included. */
export interface RankRange {
  readonly first: number;
  readonly last: number;
}

export interface VerifyRequest {
  readonly topology?: Topology | undefined;
  /** For schedules; default: the topology's, else the number the file is written for, else 1 … 16. */
  readonly ranks?: RankRange | undefined;
  readonly chunks?: number | undefined;
  readonly root: number;
  readonly op: ReductionOperator;
  readonly ordered: boolean;
  readonly inPlace: boolean;
  readonly parameters: Readonly<Record<string, number>>;
  readonly inflight?: number | undefined;
  readonly bitwise: boolean;
  readonly ownership?: Ownership | undefined;
  readonly limits: Limits;
  /** Told after each number of ranks of a range. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The verdict on one plan, or on a schedule for one number of ranks. */
export interface FileVerdict {
  readonly collective: Collective;
  readonly plan: Plan;
  readonly verification: Verification;
}

export interface FileReport {
  readonly kind: 'plan' | 'schedule';
  readonly verdicts: readonly FileVerdict[];
  /** Numbers of ranks in the range for which the schedule does not claim to work, with why. */
  readonly skipped: readonly { readonly ranks: number; readonly reason: string }[];
  /** The plan's own statements about topology and cost, if it is a plan. */
  readonly document: PlanDocument | undefined;
}

const defaultRange: RankRange = { first: 1, last: 16 };

/** A plan is JSON, a schedule is YAML: told apart by the first character that is not white space. */
export function verifyText(source: SourceText, request: VerifyRequest): FileReport {
  return /^\s*\{/.test(source.text) ? verifyPlanText(source, request) : verifyScheduleText(source, request);
}

function verifyPlanText(source: SourceText, request: VerifyRequest): FileReport {
  const document = readPlan(source, { limits: request.limits });
  const { plan } = document;
  const verdict = { collective: plan.collective, plan, verification: verify(plan, request) };
  return { kind: 'plan', verdicts: [verdict], skipped: [], document };
}

function verifyScheduleText(source: SourceText, request: VerifyRequest): FileReport {
  const file = parseScheduleFile(source);
  const range = rangeFor(file, request);
  const verdicts: FileVerdict[] = [];
  const skipped: { ranks: number; reason: string }[] = [];
  for (let ranks = range.first; ranks <= range.last; ranks++) {
    const instance = {
      ...request,
      ranks,
      root: range.first === range.last ? request.root : Math.min(request.root, ranks - 1),
    };
    const fit = fitness(file, instance);
    if (!fit.fits) {
      skipped.push({ ranks, reason: fit.reason });
    } else {
      const schedule = instantiate(file, instance);
      const plan = lower(schedule);
      verdicts.push({ collective: plan.collective, plan, verification: verify(plan, request) });
    }
    request.onProgress?.(ranks - range.first + 1, range.last - range.first + 1);
  }
  if (verdicts.length === 0) throw new CccError('schedule', `${file.name} ${skipped[0].reason}`);
  return { kind: 'schedule', verdicts, skipped, document: undefined };
}

function rangeFor(file: ScheduleFile, request: VerifyRequest): RankRange {
  if (request.ranks !== undefined) return request.ranks;
  if (request.topology !== undefined) return { first: ranksOf(request.topology), last: ranksOf(request.topology) };
  if (file.fixedRanks !== undefined) return { first: file.fixedRanks, last: file.fixedRanks };
  return defaultRange;
}

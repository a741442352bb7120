/** Prepares a file for drawing: its plan, right or wrong, the verdict of the verifier, and the machine. */

import { lowerBound } from '../bounds/index.ts';
import { judgeCertificate } from '../certificates/index.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { expandCompact } from '../ir/expand.ts';
import type { Limits } from '../ir/limits.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, defaultMessageSize, type Seconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { checkParameters, fitness, instantiate, parseScheduleFile, type ScheduleRequest } from '../read/index.ts';
import { readAnyPlan } from '../read/plan/index.ts';
import { judgePlan } from '../verify/index.ts';
import { type DocumentBlocks, isRecord } from './claims.ts';
import { blocksWrittenOut } from './compact.ts';
import { withScheduleLines } from './schedule-lines.ts';
import { planFor } from './staged-plan.ts';
import { timingTargetOf } from './timing-target.ts';
import { verifyMsccl } from './verify-msccl.ts';

/** Options. The inherited ones determine how a schedule becomes a plan. */
export interface ViewRequest extends Omit<ScheduleRequest, 'ranks'> {
  readonly topology?: Topology | undefined;
  /** Number of ranks for schedules without a topology; default: the number for which the file is written, else 4. */
  readonly ranks?: number | undefined;
  readonly inflight?: number | undefined;
  /** M in bytes; default: the plan's own size, else 64 MiB. */
  readonly size?: Bytes | undefined;
  readonly limits: Limits;
}

/** A lower bound with its reasons. */
export interface ViewedBound {
  readonly seconds: Seconds;
  readonly certificates: ReturnType<typeof lowerBound>['certificates'];
  /** The bounds that the file states, if they were checked, for a machine that is too large to recompute its bound. */
  readonly stated: readonly { readonly kind: string; readonly seconds: Seconds; readonly reason: string }[];
}

export interface Viewed {
  readonly plan: Plan;
  readonly verification: Verification;
  /** The given machine, or the shipped one that the file names. */
  readonly topology: Topology | undefined;
  readonly size: Bytes;
  readonly bound: ViewedBound | undefined;
  /** Remarks on properties of the file that are unusual, but not wrong. */
  readonly notes: readonly string[];
}

const defaultRanks = 4;
/** Maximum number of operations: a browser would not open even the tables of larger plans. */
const mostOperations = 4_000_000;
/** Maximum number of ranks: the bounds of larger machines take long to compute. */
const mostBounded = 256;

/** @throws CccError if the text cannot be read, or contains no programs to draw */
export async function viewText(source: SourceText, request: ViewRequest): Promise<Viewed> {
  const { isMscclppText } = await import('../mscclpp/read/index.ts');
  return isMscclppText(source) ? viewedExecutionPlan(source, request) : viewedPlan(source, request);
}

async function viewedExecutionPlan(source: SourceText, request: ViewRequest): Promise<Viewed> {
  const { drawnExecutionPlan } = await import('./viewed-mscclpp.ts');
  const { machineForMessages } = await import('../mscclpp/time/index.ts');
  const { topology } = request;
  const drawn = drawnExecutionPlan(source, request);
  checkRanks(drawn.plan, topology);
  const bound = topology === undefined ? undefined : boundOf(drawn.plan, topology, drawn.size, {});
  return { ...drawn, topology: topology && machineForMessages(topology), bound };
}

async function viewedPlan(source: SourceText, request: ViewRequest): Promise<Viewed> {
  const { plan, blocks, notes, verification } = await read(source, request);
  const operations = operationCount(plan);
  if (operations > mostOperations) {
    throw new CccError('limit', `the plan has ${operations} operations; a page has room for ${mostOperations}`);
  }
  const { topology, size = defaultMessageSize } = timingTargetOf(plan.collective, blocks, request);
  checkRanks(plan, topology);
  const bound = topology === undefined ? undefined : boundOf(plan, topology, size, blocks);
  return { plan, verification: verification(topology), topology, size, bound, notes };
}

/** @throws CccError 'malformed' if the machine has another number of ranks */
function checkRanks({ collective: { ranks } }: Plan, topology: Topology | undefined): void {
  if (topology === undefined || ranksOf(topology) === ranks) return;
  throw new CccError('malformed', `the plan has ${ranks} ranks, and ${topology.name} has ${ranksOf(topology)} chips`);
}

interface Read {
  readonly plan: Plan;
  readonly blocks: DocumentBlocks;
  readonly notes: readonly string[];
  readonly verification: (machine: Topology | undefined) => Verification;
}

/** Reads a file. The first character that is not white space distinguishes the formats. */
async function read(source: SourceText, request: ViewRequest): Promise<Read> {
  switch (/\S/.exec(source.text)?.[0]) {
    case '{':
      return readJson(source, request);
    case '<':
      return readAlgorithm(source, request);
    default:
      return readPlain(scheduledPlan(source, request), {}, request);
  }
}

function readPlain(
  plan: Plan,
  blocks: DocumentBlocks,
  { inflight, limits }: ViewRequest,
  notes: readonly string[] = [],
): Read {
  return {
    plan,
    blocks,
    notes,
    verification: (topology) => judgePlan(plan, { topology, inflight, slots: limits.slots }),
  };
}

async function readJson(source: SourceText, request: ViewRequest): Promise<Read> {
  const { isScclText, readSccl } = await import('../read/sccl/index.ts');
  if (isScclText(source))
    return readPlain(planFor(readSccl(source, request), request.topology, request.size), {}, request);
  const document = readAnyPlan(source, request);
  if ('plan' in document) {
    const { plan, extra } = document;
    return readPlain(withScheduleLines(plan, extra, request.limits), extra, request);
  }
  const { compact, extra } = document;
  const operations = compact.ops.kind.length * compact.collective.ranks;
  if (operations > request.limits.operations) {
    const message = `written out for all ranks the plan has ${operations} operations, more than the limit operations = ${request.limits.operations}`;
    throw new CccError('limit', message);
  }
  return readPlain(expandCompact(compact), blocksWrittenOut(extra), request, [
    'a compact plan, written out for all ranks',
  ]);
}

/** The XML parser is loaded only for XML. */
async function readAlgorithm(source: SourceText, request: ViewRequest): Promise<Read> {
  const { readMsccl } = await import('../read/msccl/index.ts');
  const { plan, notes } = readMsccl(source, request);
  const { inflight, limits } = request;
  return {
    plan,
    blocks: {},
    notes,
    verification: (topology) =>
      verifyMsccl(source, { ...request, topology, inflight, slots: limits.slots }).verification,
  };
}

function scheduledPlan(source: SourceText, request: ViewRequest): Plan {
  const file = parseScheduleFile(source, request);
  checkParameters([file], request.parameters ?? {});
  const { topology } = request;
  const ranks = topology === undefined ? (request.ranks ?? file.fixedRanks ?? defaultRanks) : ranksOf(topology);
  const instance = { ...request, ranks };
  const fit = fitness(file, instance);
  if (!fit.fits) throw new CccError('schedule', `${file.name} ${fit.reason}`);
  return planFor(instantiate(file, instance), topology, request.size);
}

/** The lower bound; undefined if the machine is too large and the file states no valid bound. */
function boundOf(
  plan: Plan,
  topology: Topology,
  size: Bytes,
  { bound, size: stated }: DocumentBlocks,
): ViewedBound | undefined {
  const { collective } = plan;
  if (collective.kind === 'custom' && collective.custom === undefined) return undefined;
  if (ranksOf(topology) <= mostBounded) return { ...lowerBound(collective, topology, size), stated: [] };
  const claimed = isRecord(bound) ? bound.certificate : undefined;
  if (stated !== size || !isRecord(claimed)) return undefined;
  const { kind, seconds, reason } = claimed;
  if (typeof kind !== 'string' || typeof seconds !== 'number' || typeof reason !== 'string') return undefined;
  if (judgeCertificate(claimed, collective, topology, size) !== 'certified') return undefined;
  return { seconds, certificates: [], stated: [{ kind, seconds, reason }] };
}

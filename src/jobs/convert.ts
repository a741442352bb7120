/** Converts a file with a schedule, a plan, an MSCCL or an SCCL algorithm to a proved plan. */
import type { PlanBundle } from '../emit/index.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import { defaultLimits } from '../ir/limits.ts';
import type { Plan } from '../ir/plan.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import { type Finding, firstError, sourceRangeOf } from '../ir/verification.ts';
import {
  checkParameters,
  fitness,
  instantiate,
  type PlanDocument,
  parseScheduleFile,
  readPlan,
  type ScheduleRequest,
} from '../read/index.ts';
import { readAnyPlan } from '../read/plan/index.ts';
import { prove } from '../verify/index.ts';
import type { DocumentBlocks } from './claims.ts';
import { blocksWrittenOut, expanded } from './compact.ts';
import { planFor } from './staged-plan.ts';
import { type TimingTarget, timingTargetOf } from './timing-target.ts';

/** Options. The inherited ones determine how a schedule becomes a plan; root and operator also apply to MSCCL algorithms. */
export interface ConvertRequest extends Omit<ScheduleRequest, 'ranks'> {
  /** The machine for which the plan is proved; a schedule is instantiated for its number of ranks. */
  readonly topology?: Topology | undefined;
  /** Number of ranks for schedules without a topology; default: the number for which the file is written. */
  readonly ranks?: number | undefined;
  /** Messages that a connection buffers; default: the topology's limit, else unbounded. */
  readonly inflight?: number | undefined;
  /** M in bytes, and the element type; default: those in the plan's document. */
  readonly size?: Bytes | undefined;
  readonly dtype?: Dtype | undefined;
  /** Writes a compact plan out in full. */
  readonly expand?: boolean | undefined;
}

export interface Conversion {
  /** The plan without its cost, which `withCost` adds on demand. */
  readonly bundle: PlanBundle;
  readonly pricedFor: TimingTarget;
  /** Remarks on properties of the file that are unusual, but not wrong. */
  readonly notes: readonly string[];
}

/** A plan that has been read but not proved. */
export interface Imported {
  readonly plan: Plan;
  /** The format of the file, for the plan's `origin`. */
  readonly format: 'ccc-plan' | 'ccc-schedule' | 'msccl-xml' | 'sccl-json';
  readonly notes: readonly string[];
  /** Errors of the file that no plan can express. */
  readonly flaws: readonly Finding[];
  /** The blocks of the plan's document besides the plan. */
  readonly blocks: DocumentBlocks;
}

/**
 * Reads a file and proves its plan, under the assumptions of the plan format: channels of the depth that readers of the plan assume, and
 * uninitialised memory at the start.
 * @throws CccError 'unproved' if the verifier finds an error; whatever reading throws
 */
export async function convert(source: SourceText, request: ConvertRequest): Promise<Conversion> {
  const { plan, format, notes, flaws, blocks } = await importPlan(source, request);
  const { inflight, limits = defaultLimits } = request;
  const wanted = timingTargetOf(plan.collective, blocks, request);
  const { topology, size, dtype } = wanted;
  const { verification, proved } = prove(plan, { topology, inflight, slots: limits.slots });
  const wrong = firstError([...flaws, ...verification.findings]);
  if (proved === undefined || wrong !== undefined) throw unproved(wrong);
  const origin = { engine: 'convert', format, schedule: plan.name };
  const bundle = { proved, topology, size, dtype, cost: undefined, bound: undefined, origin };
  return { bundle, pricedFor: wanted, notes };
}

/** Reads a file without proving it. The first character that is not white space distinguishes the formats. */
export async function importPlan(source: SourceText, request: ConvertRequest): Promise<Imported> {
  switch (/\S/.exec(source.text)?.[0]) {
    case '{':
      return readJson(source, request);
    case '<':
      return readAlgorithm(source, request);
    default:
      return { plan: planOfSchedule(source, request), format: 'ccc-schedule', notes: [], flaws: [], blocks: {} };
  }
}

async function readJson(source: SourceText, request: ConvertRequest): Promise<Imported> {
  const { isScclText, readSccl } = await import('../read/sccl/index.ts');
  if (isScclText(source)) {
    return {
      plan: planFor(readSccl(source, request), request.topology, request.size),
      format: 'sccl-json',
      notes: [],
      flaws: [],
      blocks: {},
    };
  }
  const { isMscclppText } = await import('../mscclpp/read/index.ts');
  if (isMscclppText(source)) {
    throw new CccError(
      'unsupported',
      `${source.name} is an MSCCL++ execution plan, which ccc writes as it is, and in no other format (--emit mscclpp)`,
    );
  }
  const { plan, extra } = request.expand === true ? writtenOut(source, request) : readPlan(source, request);
  return { plan, format: 'ccc-plan', notes: [], flaws: [], blocks: extra };
}

/** Reads a compact plan and writes it out in full. */
function writtenOut(source: SourceText, request: ConvertRequest): PlanDocument {
  const { inflight, limits = defaultLimits } = request;
  const document = readAnyPlan(source, request);
  if (!('compact' in document)) {
    throw new CccError('usage', `${document.plan.name} is no compact plan: there is nothing to expand`);
  }
  const plan = expanded(document.compact, inflight, limits);
  if ('severity' in plan) throw unproved(plan);
  return { plan, extra: blocksWrittenOut(document.extra) };
}

/** The XML parser is loaded only for XML. */
async function readAlgorithm(source: SourceText, request: ConvertRequest): Promise<Imported> {
  const { readMsccl } = await import('../read/msccl/index.ts');
  const { plan, notes: unusual, flaws, hasBothUses, extra: blocks } = readMsccl(source, request);
  const both = 'the file is for use in place and out of place; the plan is the one in place';
  const notes = hasBothUses ? [...unusual, both] : unusual;
  // A fused step becomes several operations, each with a message of its own in flight.
  const relay = new Int32Array(plan.ops.relay.length).fill(-1);
  return { plan: { ...plan, ops: { ...plan.ops, relay } }, format: 'msccl-xml', notes, flaws, blocks };
}

function planOfSchedule(source: SourceText, request: ConvertRequest): Plan {
  const file = parseScheduleFile(source, request);
  const { topology } = request;
  const ranks = topology === undefined ? (request.ranks ?? file.fixedRanks) : ranksOf(topology);
  if (ranks === undefined) {
    throw new CccError('usage', `${file.name} is for any number of ranks: say for which, with --ranks or --topo`);
  }
  checkParameters([file], request.parameters ?? {});
  const instance = { ...request, ranks };
  const fit = fitness(file, instance);
  if (!fit.fits) throw new CccError('schedule', `${file.name} ${fit.reason}`);
  return planFor(instantiate(file, instance), topology, request.size);
}

export function unproved(wrong: Finding | undefined): CccError {
  if (wrong === undefined) throw new Error('a plan without an error was not proved');
  return new CccError('unproved', `${wrong.code}: ${wrong.message}`, sourceRangeOf(wrong));
}

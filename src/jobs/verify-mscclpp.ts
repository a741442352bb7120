/** Verification of MSCCL++ execution plans: their own judge, since their runtime puts and gets into the memory of others. */

import type { Collective } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { oneLine } from '../ir/plain-text.ts';
import type { Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { verdictText } from '../ir/verification.ts';
import { simulate } from '../model/index.ts';
import { executionPlanNotes, type Judgement, judgeExecutionPlan } from '../mscclpp/check/index.ts';
import type { ExecutionPlan } from '../mscclpp/execution-plan.ts';
import { readMscclpp } from '../mscclpp/read/index.ts';
import { asMessages, machineForMessages } from '../mscclpp/time/index.ts';
import { withFinding } from './claims.ts';
import { assumedSize, type TimingTarget, timingSentence, timingTargetOf } from './timing-target.ts';

export interface ExecutionPlanRequest {
  readonly topology?: Topology | undefined;
  /** M for the predicted time; default: the size of other plans, or the nearest that the file is for. */
  readonly size?: Bytes | undefined;
  readonly inflight?: number | undefined;
  readonly bitwise: boolean;
  readonly limits: Limits;
}

export interface ExecutionPlanVerdict extends Judgement {
  readonly name: string;
  /** Where the runtime does something else than its words say. */
  readonly notes: readonly string[];
}

/** @throws CccError 'usage' for what such a plan cannot be asked; as reading and judging */
export function verifyMscclpp(source: SourceText, request: ExecutionPlanRequest): ExecutionPlanVerdict {
  const { inflight, limits } = request;
  if (inflight !== undefined) {
    throw new CccError('usage', '--inflight is for channels that buffer messages: those of MSCCL++ count signals');
  }
  const plan = readMscclpp(source, { limits });
  const judgement = judgedOn(plan, request);
  return { name: plan.name, ...withTime(plan, judgement, request), notes: executionPlanNotes(plan) };
}

/** A correct execution plan as messages on a machine. */
export interface TimedExecutionPlan {
  readonly plan: Plan;
  readonly topology: Topology;
  readonly seconds: Seconds;
  readonly pricedFor: TimingTarget;
}

/**
 * Undefined without a machine.
 * @throws CccError 'unsupported' and 'limit' for plans and sizes that have no time (see `asMessages`)
 */
export function timedExecutionPlan(
  plan: ExecutionPlan,
  collective: Collective,
  { topology, size }: Pick<ExecutionPlanRequest, 'topology' | 'size'>,
): TimedExecutionPlan | undefined {
  if (topology === undefined) return undefined;
  // The file's own protocol, where the machine has numbers for it: NCCL's, since MSCCL++ publishes none.
  const wanted = timingTargetOf(collective, { protocol: plan.protocol }, { topology, size });
  if (wanted.topology === undefined) return undefined;
  const bytes = sizeServed(plan, collective, { size });
  const messages = asMessages(plan, bytes);
  const machine = machineForMessages(wanted.topology);
  const { seconds } = simulate(messages, Routes.of(machine), bytes);
  return { plan: messages, topology: machine, seconds, pricedFor: { ...wanted, size: bytes } };
}

/** M: as asked, else the size of other plans, or the nearest that the file is for. */
export function sizeServed(
  { messages: { least, most } }: ExecutionPlan,
  collective: Collective,
  { size }: Pick<ExecutionPlanRequest, 'size'>,
): Bytes {
  return size ?? Math.min(most, Math.max(least, assumedSize(collective, undefined)));
}

/** A line below what is shown of an execution plan: its time, or why there is none; empty without a machine. */
export function executionPlanTimeLine(plan: ExecutionPlan, request: Omit<ExecutionPlanRequest, 'bitwise'>): string {
  if (request.topology === undefined) return '';
  try {
    const { collective, verification } = judgedOn(plan, { ...request, bitwise: false });
    if (verification.verdict !== 'correct') return `\nno time is simulated: ${oneLine(verdictText(verification))}\n`;
    const timed = timedExecutionPlan(plan, collective, request);
    return timed === undefined ? '' : `\n${timingSentence(timed.seconds, timed.pricedFor)}\n`;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return `\nno time is simulated: ${oneLine(error.message)}\n`;
  }
}

/** @throws CccError 'malformed' for a machine with another number of chips; as judging */
function judgedOn(plan: ExecutionPlan, { topology, bitwise }: ExecutionPlanRequest): Judgement {
  if (topology !== undefined && ranksOf(topology) !== plan.gpus.length) {
    const message = `the plan has ${plan.gpus.length} gpus, and ${topology.name} has ${ranksOf(topology)} chips`;
    throw new CccError('malformed', message, plan.range);
  }
  return judgeExecutionPlan(plan, { bitwise });
}

function withTime(plan: ExecutionPlan, judgement: Judgement, request: ExecutionPlanRequest): Judgement {
  const { collective, verification } = judgement;
  if (verification.verdict !== 'correct') return judgement;
  try {
    const timed = timedExecutionPlan(plan, collective, request);
    if (timed === undefined) return judgement;
    const line = `time: the plan ${timingSentence(timed.seconds, timed.pricedFor)}`;
    return { collective, verification: { ...verification, proved: [...verification.proved, line] } };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { collective, verification: withFinding(verification, 'warning', `it has no time here: ${error.message}`) };
  }
}

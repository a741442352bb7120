/**
 * Verification of MSCCL++ execution plans. They have a checker of their own, since their runtime writes to and reads from the memory of other gpus.
 */

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
  /** M in bytes, for the predicted time; default: the default size of other plans, or the nearest size that the file serves. */
  readonly size?: Bytes | undefined;
  readonly inflight?: number | undefined;
  readonly bitwise: boolean;
  readonly limits: Limits;
}

export interface ExecutionPlanVerdict extends Judgement {
  readonly name: string;
  /** Notes on operations for which the runtime does not do what their names say. */
  readonly notes: readonly string[];
}

/** Verifies an execution plan. @throws CccError 'usage' for options that do not apply to such plans; whatever reading and checking throw */
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
 * Converts a correct execution plan to messages. Returns undefined without a machine.
 * @throws CccError 'unsupported' and 'limit' for plans and sizes that cannot be timed (see `asMessages`)
 */
export function timedExecutionPlan(
  plan: ExecutionPlan,
  collective: Collective,
  { topology, size }: Pick<ExecutionPlanRequest, 'topology' | 'size'>,
): TimedExecutionPlan | undefined {
  if (topology === undefined) return undefined;
  // The file's own protocol, if the machine has figures for it. These are NCCL's, since MSCCL++ publishes none.
  const wanted = timingTargetOf(collective, { protocol: plan.protocol }, { topology, size });
  if (wanted.topology === undefined) return undefined;
  const bytes = sizeServed(plan, collective, { size });
  const messages = asMessages(plan, bytes);
  const machine = machineForMessages(wanted.topology);
  const { seconds } = simulate(messages, Routes.of(machine), bytes);
  return { plan: messages, topology: machine, seconds, pricedFor: { ...wanted, size: bytes } };
}

/** M in bytes: the requested size, else the default size of other plans, or the nearest size that the file serves. */
export function sizeServed(
  { messages: { least, most } }: ExecutionPlan,
  collective: Collective,
  { size }: Pick<ExecutionPlanRequest, 'size'>,
): Bytes {
  return size ?? Math.min(most, Math.max(least, assumedSize(collective, undefined)));
}

/** A line with the time of an execution plan, or the reason why there is none; empty without a machine. */
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

/** @throws CccError 'malformed' for a machine with another number of chips; whatever checking throws */
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

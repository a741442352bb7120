/** Verification of MSCCL++ execution plans: their own judge, since their runtime puts and gets into the memory of others. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { readMscclpp } from '../read/mscclpp/index.ts';
import { type Judgement, judgeExecutionPlan, notesOn } from '../verify-mscclpp/index.ts';

export interface ExecutionPlanRequest {
  readonly topology?: Topology | undefined;
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
  const { topology, inflight, bitwise, limits } = request;
  if (inflight !== undefined) {
    throw new CccError('usage', '--inflight is for channels that buffer messages: those of MSCCL++ count signals');
  }
  const plan = readMscclpp(source, { limits });
  if (topology !== undefined && ranksOf(topology) !== plan.gpus.length) {
    const message = `the plan has ${plan.gpus.length} gpus, and ${topology.name} has ${ranksOf(topology)} chips`;
    throw new CccError('malformed', message, plan.range);
  }
  return { name: plan.name, ...judgeExecutionPlan(plan, { bitwise }), notes: notesOn(plan) };
}

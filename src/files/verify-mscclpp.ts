/** Verification of MSCCL++ execution plans: their own judge, since their runtime puts and gets into the memory of others. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { ranksOf } from '../ir/topology.ts';
import { readMscclpp } from '../read/mscclpp/index.ts';
import { judgeExecutionPlan, notesOn } from '../verify/mscclpp/index.ts';
import type { FileReport, VerifyRequest } from './verify-file.ts';

/** @throws CccError 'usage' for what such a plan cannot be asked; as reading and judging */
export function verifyMscclpp(source: SourceText, request: VerifyRequest): FileReport {
  const { topology, inflight, bitwise, limits } = request;
  if (inflight !== undefined) {
    throw new CccError('usage', '--inflight is for channels that buffer messages: those of MSCCL++ count signals');
  }
  const plan = readMscclpp(source, { limits });
  if (topology !== undefined && ranksOf(topology) !== plan.gpus.length) {
    const message = `the plan has ${plan.gpus.length} gpus, and ${topology.name} has ${ranksOf(topology)} chips`;
    throw new CccError('malformed', message, plan.range);
  }
  const { collective, verification } = judgeExecutionPlan(plan, { bitwise });
  const verdict = { collective, plan: { name: plan.name }, verification };
  return { kind: 'plan', verdicts: [verdict], skipped: [], document: undefined, notes: notesOn(plan) };
}

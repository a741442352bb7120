/** Prepares MSCCL++ execution plans for drawing, as the messages from which they are timed (docs/mscclpp.md, *Time*). */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { type Plan, PlanBuilder } from '../ir/plan.ts';
import type { Bytes } from '../ir/units.ts';
import type { PlanPlace, Verdict, Verification } from '../ir/verification.ts';
import { executionPlanNotes, judgeExecutionPlan } from '../mscclpp/check/index.ts';
import type { ExecutionPlan } from '../mscclpp/execution-plan.ts';
import { readMscclpp } from '../mscclpp/read/index.ts';
import { asMessages } from '../mscclpp/time/index.ts';
import { type ExecutionPlanRequest, sizeServed } from './verify-mscclpp.ts';

interface DrawnExecutionPlan {
  readonly plan: Plan;
  readonly verification: Verification;
  /** M in bytes; a size that the file serves. */
  readonly size: Bytes;
  readonly notes: readonly string[];
}

/** Verdicts on plans whose signals and waits cannot be matched, so that they cannot be converted to messages. */
const unpaired: readonly Verdict[] = ['malformed', 'mismatched'];

/** @throws CccError as reading and checking; for a correct plan also as `asMessages` */
export function drawnExecutionPlan(
  source: SourceText,
  request: Pick<ExecutionPlanRequest, 'size' | 'limits'>,
): DrawnExecutionPlan {
  const execution = readMscclpp(source, { limits: request.limits });
  const { collective, verification } = judgeExecutionPlan(execution, { bitwise: false });
  const size = sizeServed(execution, collective, request);
  const messages = unpaired.includes(verification.verdict) ? undefined : messagesOf(execution, size, verification);
  const plan = messages ?? new PlanBuilder().build(headerOf(execution, collective));
  const notes = [
    ...executionPlanNotes(execution),
    'its blocks are drawn as lanes, and what they put and get as messages',
  ];
  return { plan, verification: withPlaces(verification, plan), size, notes };
}

/** The plan as messages; undefined for a wrong plan that cannot be converted. Its counterexample is then text only. */
function messagesOf(execution: ExecutionPlan, size: Bytes, { verdict }: Verification): Plan | undefined {
  try {
    return asMessages(execution, size);
  } catch (error) {
    if (error instanceof CccError && verdict !== 'correct') return undefined;
    throw error;
  }
}

function headerOf({ name, gpus }: ExecutionPlan, collective: Plan['collective']) {
  const buffers = gpus.map(({ chunks: { input, output, scratch } }) => ({ input, output, scratch }));
  return { name, collective, bulks: 1, scratchPerBulk: 1, buffers, rounds: [] };
}

/** Translates counterexamples about operations of blocks to the operations that were made from them, by rank and place in the file. */
function withPlaces(verification: Verification, { ops, origins, firstLane, firstOp, laneId }: Plan): Verification {
  const made = new Map<string, { readonly lane: number; readonly index: number; readonly step: number }>();
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
      for (let o = firstOp[lane + 1] - 1; o >= firstOp[lane]; o--) {
        const origin = origins[ops.origin[o]];
        if (origin !== undefined) {
          made.set(`${rank} ${origin.start}`, { lane: laneId[lane], index: o - firstOp[lane], step: ops.step[o] });
        }
      }
    }
  }
  const placed = (place: PlanPlace): PlanPlace => ({
    ...place,
    ...(made.get(`${place.rank} ${place.range?.start}`) ?? { lane: -1 }),
  });
  const findings = verification.findings.map((finding) => ({
    ...finding,
    story: finding.story.map((line) => ({ ...line, place: placed(line.place) })),
  }));
  return { ...verification, findings };
}

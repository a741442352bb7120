/** A plan as it goes from one thread to another: with explanations instead of a function that makes them. */

import { Steps } from '../../ir/schedule.ts';
import type { GroupsResult } from '../../process-groups/groups.ts';
import type { Baselines } from '../../search/baselines.ts';
import type { CandidateReport } from '../../search/comparing.ts';
import type { CompileResult } from '../../search/compile.ts';
import type { CompiledOrGroups } from './best-found.ts';

export interface FoundPlan extends Omit<CompileResult, 'explain'> {
  /** What its objective makes of it: the less, the better. */
  readonly value: number;
  readonly explained: readonly CandidateReport[] | undefined;
  /** What NCCL would do, where that was asked for. */
  readonly baselines?: Baselines | undefined;
  readonly groups?: GroupsResult['groups'];
}

export function foundPlan({ explain, ...result }: CompiledOrGroups, value: number): FoundPlan {
  return { ...result, value, explained: undefined };
}

/** The result as it was in the thread that found it: classes get lost on the way. */
export function foundPlanResult(found: FoundPlan): CompileResult {
  const { schedule, explained = [] } = found;
  return { ...found, schedule: { ...schedule, steps: new Steps(schedule.steps) }, explain: () => explained };
}

/** Plans for runtimes that own buffers from posting to completion: adds the necessary waits and proves the plan once more. */
import type { PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { firstError, sourceRangeOf, type Verification, verdictText } from '../ir/verification.ts';
import { ownStrictly } from '../lower/index.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';

/**
 * The bundle with a plan that is proved for strict ownership and for channels of any depth, since the runtime decides how many messages it buffers. A
 * plan that is proved like that already is unchanged.
 * @param target the name of the target, for the error message
 * @throws CccError 'unsupported' for a plan that is correct only for channels of limited depth
 */
export function owningStrictly(bundle: PlanBundle, target: string): PlanBundle {
  return { ...bundle, proved: provedStrictly(bundle.proved.plan, target) };
}

/** The same for a plan that has not been proved. */
export function provedStrictly(plan: Plan, target: string): ProvedPlan {
  const asItIs = prove(plan, { ownership: 'strict' });
  if (asItIs.proved !== undefined) return asItIs.proved;
  if (asItIs.verification.verdict !== 'race') throw unsuitable(asItIs.verification, target);
  const withWaits = prove(ownStrictly(plan), { ownership: 'strict' });
  if (withWaits.proved === undefined) throw unsuitable(withWaits.verification, target);
  return withWaits.proved;
}

function unsuitable(verification: Verification, target: string): CccError {
  const found = `and then this plan is wrong: ${verdictText(verification)}`;
  const message = `${target} decides itself how many messages it buffers, ${found}`;
  return new CccError('unsupported', message, sourceRangeOf(firstError(verification.findings)));
}

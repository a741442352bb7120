/** Plans for runtimes that own buffers from posting to completion: with the waits for it, proved once more. */
import type { PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { firstError, sourceRangeOf, type Verification, verdictText } from '../ir/verification.ts';
import { ownStrictly } from '../lower/index.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';

/**
 * The bundle with a plan that is proved with strict ownership and for channels of any depth: the runtime decides how many messages it
 * buffers. Plans that are so already stay as they are.
 * @param target who needs it, for the message
 * @throws CccError 'unsupported' for a plan that is right only as long as channels are shallow
 */
export function owningStrictly(bundle: PlanBundle, target: string): PlanBundle {
  return { ...bundle, proved: provedStrictly(bundle.proved.plan, target) };
}

/** Likewise for a plan that nobody has proved yet. */
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

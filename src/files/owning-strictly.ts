/** Plans for runtimes that own buffers from posting to completion: with the waits for it, proved once more. */
import type { PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import type { ProvedPlan, Verification } from '../ir/verification.ts';
import { ownStrictly } from '../lower/index.ts';
import { prove } from '../verify/index.ts';

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

function unsuitable({ verdict, findings }: Verification, target: string): CccError {
  const wrong = findings.find(({ severity }) => severity === 'error');
  const range = wrong?.story.find(({ place }) => place.range !== undefined)?.place.range;
  const found = wrong === undefined ? verdict : `${verdict}: ${wrong.message}`;
  return new CccError(
    'unsupported',
    `${target} decides itself how many messages it buffers, and then this plan is wrong: ${found}`,
    range,
  );
}

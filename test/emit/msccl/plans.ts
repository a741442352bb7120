/** Plans as MSCCL XML and back: what the tests of that format share. */
import type { PlanBundle } from '../../../src/emit/index.ts';
import { mscclXml, mscclXmlRccl } from '../../../src/emit/msccl/index.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { verifyMsccl } from '../../../src/jobs/verify-msccl.ts';
import { prove } from '../../../src/verify/index.ts';

export const profiles = [mscclXml, mscclXmlRccl] as const;
export type Profile = (typeof profiles)[number];

/** A bundle of nothing but the plan. @throws Error if it cannot be proved */
export function bundleOf(plan: Plan, inflight?: number): PlanBundle {
  const { proved, verification } = prove(plan, { inflight });
  if (proved === undefined) throw new Error(verification.findings.map(({ message }) => message).join('; '));
  const unasked = { size: undefined, dtype: undefined, cost: undefined, bound: undefined, origin: undefined };
  return { proved, topology: undefined, ...unasked };
}

/** The text. @throws Error with what the profile lacks for it */
export function xmlOf(plan: Plan, profile: Profile, inflight?: number): string {
  const bundle = bundleOf(plan, inflight);
  const lacking = profile.check(bundle);
  if (lacking.length > 0) throw new Error(lacking.join('; '));
  return [...profile.emit(bundle)].join('');
}

/** What the importer and the verifier make of a text, with channels as deep as its protocol has them. */
export function readBack(text: string, { root, op }: Plan['collective']) {
  return verifyMsccl({ name: 'written.xml', text }, { root, op });
}

/** How often each type of step occurs. */
export function stepTypes(text: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [, type] of text.matchAll(/ type="(\w+)"/g)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** Whether the verifier, the kernel and the judge that tries every interleaving say the same of a tiny plan. */
import type { Plan } from '../../src/ir/plan.ts';
import type { Verdict } from '../../src/ir/verification.ts';
import { verify } from '../../src/verify/index.ts';
import { queryKernel } from '../../src/verify/kernel.ts';
import { judge, ownsTwice, wantedBy } from './exhaustive/exhaustive.ts';
import { structureOf } from './structure.ts';

/** Counts verdicts that both agreed on; under strict ownership as `strictly race` or `strictly free`. */
export type Tally = Map<string, number>;

/** Returns the verdict that all give; throws if they disagree. The kernel only has to say no where it is no. */
export function agree(plan: Plan, inflight: number | undefined, tally: Tally, about: () => string): Verdict {
  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);
  const { verdict } = verify(plan, { inflight });
  count(verdict);
  const expected = allowed(plan, inflight);
  if (!expected.includes(verdict)) {
    throw new Error(`the verifier says ${verdict}, exhaustion ${expected.join(' or ')}: ${about()}`);
  }
  const kernel = queryKernel(plan, { inflight });
  if (kernel.ok !== expected.includes('correct')) {
    throw new Error(`the kernel says ${JSON.stringify(kernel)}, exhaustion ${expected.join(' or ')}: ${about()}`);
  }
  const raceFree = verdict === 'correct' || verdict === 'wrong-result';
  if (!raceFree) return verdict;
  const strict = verify(plan, { inflight, ownership: 'strict' }).verdict;
  const owned = ownsTwice(plan, inflight);
  if (owned === undefined) return verdict;
  if ((strict === 'race') !== owned) {
    throw new Error(`strict: the verifier says ${strict}, exhaustion ${owned ? 'race' : 'no race'}: ${about()}`);
  }
  const strictly = queryKernel(plan, { inflight, ownership: 'strict' });
  if (strictly.ok !== (verdict === 'correct' && !owned)) {
    throw new Error(`strict: the kernel says ${JSON.stringify(strictly)}, exhaustion ${owned}: ${about()}`);
  }
  count(owned ? 'strictly race' : 'strictly free');
  return verdict;
}

/** The verdicts that trying every interleaving allows. */
export function allowed(plan: Plan, inflight: number | undefined): readonly Verdict[] {
  const structure = structureOf(plan);
  if (structure !== undefined) return [structure];
  const found = judge(plan, inflight, wantedBy(plan.collective));
  // What is uninitialised in a plan that deadlocks is a matter of what never runs.
  if (found.deadlock) return found.uninitialised ? ['uninitialised', 'deadlock'] : ['deadlock'];
  if (found.uninitialised) return ['uninitialised'];
  if (found.race) return ['race'];
  return found.right ? ['correct'] : ['wrong-result'];
}

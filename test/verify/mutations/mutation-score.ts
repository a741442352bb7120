/**
 * The mutation score: mistakes made in plans of shipped schedules, each judged by trying every interleaving where there are few
 * enough of them, else by running the plan in several random orders. Whatever is wrong must be rejected, for the right reason.
 */
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import type { Verdict } from '../../../src/ir/verification.ts';
import { lower } from '../../../src/lower/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import { verify } from '../../../src/verify/index.ts';
import { queryKernel } from '../../../src/verify/kernel.ts';
import { allowed } from '../agreement.ts';
import { runAtRandom, wantedBy } from '../exhaustive/exhaustive.ts';
import { structureOf } from '../structure.ts';
import { type Choose, mutate, mutations } from './mutations.ts';
import { seeded, statesOf } from './near-right.ts';

export interface Score {
  mutants: number;
  /** Shown to be wrong by the judge. */
  wrong: number;
  /** Of those, rejected, and rejected with a verdict that the judge allows. */
  rejected: number;
  rightReason: number;
  /** Every interleaving was tried, and all is well: the mutant means the same. */
  equivalent: number;
  /** Rejected, and no random run went wrong: a race or a deadlock that did not happen to show. */
  unseen: number;
  /** Wrong and accepted, or rejected for another reason. */
  readonly failures: string[];
}

export interface Sampling {
  readonly ranks: readonly number[];
  /** Mutants per plan and kind of mistake. */
  readonly perKind: number;
  /** States of all interleavings (as a product over lanes) up to which all are tried. */
  readonly mostStates: number;
  readonly runs: number;
  readonly seed: number;
  /** Takes one of so many schedules. */
  readonly oneIn: number;
}

/** The scores by kind of mistake. */
export function mutationScores(sampling: Sampling): ReadonlyMap<string, Score> {
  const scores = new Map<string, Score>();
  const choose = seeded(sampling.seed);
  for (const { plan, about } of plansOf(sampling, choose)) {
    for (const [name, mutation] of Object.entries(mutations)) {
      for (let again = 0; again < sampling.perKind; again++) {
        const mutant = mutate(plan, mutation, choose);
        if (mutant !== undefined)
          judgeMutant(scoreOf(scores, name), mutant, undefined, `${about}: ${name}`, sampling, choose);
      }
    }
    const smallest = verify(plan).smallestInflight ?? 0;
    if (smallest > 0) {
      const name = 'shrink in-flight';
      judgeMutant(scoreOf(scores, name), plan, smallest - 1, `${about}: ${name}`, sampling, choose);
    }
  }
  return scores;
}

function scoreOf(scores: Map<string, Score>, name: string): Score {
  let score = scores.get(name);
  if (score === undefined) {
    score = { mutants: 0, wrong: 0, rejected: 0, rightReason: 0, equivalent: 0, unseen: 0, failures: [] };
    scores.set(name, score);
  }
  return score;
}

function* plansOf({ ranks: sizes, oneIn }: Sampling, choose: Choose): Generator<{ plan: Plan; about: string }> {
  for (const name of listShipped('schedules')) {
    const file = loadScheduleFile(name);
    for (const ranks of sizes) {
      for (const inPlace of [false, true]) {
        if (choose(oneIn) !== 0) continue;
        const request = {
          ranks,
          root: 0,
          op: 'sum',
          ordered: false,
          inPlace,
          parameters: {},
          limits: defaultLimits,
        } as const;
        if (!fitness(file, request).fits) continue;
        const bulks = 1 + choose(2);
        yield { plan: lower(instantiate(file, request), { bulks }), about: `${name} on ${ranks}, ${bulks} bulks` };
      }
    }
  }
}

function judgeMutant(
  score: Score,
  mutant: Plan,
  inflight: number | undefined,
  about: string,
  sampling: Sampling,
  choose: Choose,
): void {
  score.mutants++;
  const { verdict } = verify(mutant, { inflight });
  const shown = reasons(mutant, inflight, sampling, choose);
  const kernel = queryKernel(mutant, { inflight });
  const isKnown = shown !== undefined && kernel.ok !== shown.includes('correct');
  if (isKnown)
    score.failures.push(`${about}: the kernel says ${JSON.stringify(kernel)}, expected ${shown.join(' or ')}`);
  if (shown === undefined) {
    if (verdict !== 'correct') score.unseen++;
    return;
  }
  if (shown.includes('correct')) {
    score.equivalent++;
    if (verdict !== 'correct') score.failures.push(`${about}: ${verdict}, but it is right`);
    return;
  }
  score.wrong++;
  if (verdict !== 'correct') score.rejected++;
  if (shown.includes(verdict)) score.rightReason++;
  else score.failures.push(`${about}: ${verdict}, expected ${shown.join(' or ')}`);
}

/** The verdicts that what is known of a plan allows; undefined if some runs went well and nothing else is known. */
function reasons(
  plan: Plan,
  inflight: number | undefined,
  { mostStates, runs }: Sampling,
  choose: Choose,
): readonly Verdict[] | undefined {
  if (statesOf(plan) <= mostStates) return allowed(plan, inflight);
  const structure = structureOf(plan);
  if (structure !== undefined) return [structure];
  for (let run = 0; run < runs; run++) {
    const outcome = runAtRandom(plan, inflight, wantedBy(plan.collective), choose);
    if (outcome === 'stuck') return ['deadlock', 'uninitialised'];
    if (outcome === 'wrong') return ['wrong-result', 'race', 'uninitialised'];
  }
  return undefined;
}

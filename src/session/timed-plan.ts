/** Simulates a plan on its machine for `ccc show`. This needs both, and a proof that the plan does not deadlock. */

import { CccError } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { oneLine } from '../ir/plain-text.ts';
import type { Plan } from '../ir/plan.ts';
import type { CostReport } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf } from '../ir/topology.ts';
import { type Bytes, counted } from '../ir/units.ts';
import { verdictText } from '../ir/verification.ts';
import type { DocumentBlocks } from '../jobs/claims.ts';
import { canBeTimed, type TimingWish, timingSentence, timingTargetOf } from '../jobs/timing-target.ts';
import { simulate } from '../model/index.ts';
import { prove } from '../verify/index.ts';

/** A plan that was proved on a machine and simulated there. */
export interface SimulatedProof {
  readonly plan: Plan;
  readonly routes: Routes;
  readonly size: Bytes;
  readonly report: CostReport;
  /** `takes 394.3 µs for 64 MiB on sg2260x4 (simulated; size and topology from the plan)`. */
  readonly text: string;
}

/**
 * The plan with its time; undefined where no machine is known.
 * @throws CccError 'unproved' for a plan that is wrong there, 'usage' for one of other ranks, 'limit' for one that is too large
 */
export function timedPlan(
  plan: Plan,
  blocks: DocumentBlocks,
  wish: TimingWish,
  limits: Limits,
): SimulatedProof | undefined {
  const wanted = timingTargetOf(plan.collective, blocks, wish);
  const { topology, size } = wanted;
  if (topology === undefined || size === undefined) return undefined;
  const { ranks } = plan.collective;
  if (ranksOf(topology) !== ranks) {
    const message = `the plan is for ${counted(ranks, 'rank')}, but ${topology.name} has ${ranksOf(topology)}`;
    throw new CccError('usage', message);
  }
  if (!canBeTimed(plan, topology, limits.operations)) {
    throw new CccError('limit', `in all its bulks the plan has more operations than the limit ${limits.operations}`);
  }
  // A plan that may deadlock cannot be simulated.
  const { proved, verification } = prove(plan, { topology, slots: limits.slots });
  if (proved === undefined) {
    throw new CccError('unproved', `the plan is not correct on ${topology.name}: ${verdictText(verification)}`);
  }
  const routes = Routes.of(topology);
  const report = simulate(plan, routes, size);
  return { plan, routes, size, report, text: timingSentence(report.seconds, wanted) };
}

/** Returns a line with the time of a plan, or the reason why there is none; empty if no machine is known. */
export function timeLine(plan: Plan, blocks: DocumentBlocks, wish: TimingWish, limits: Limits): string {
  try {
    const timed = timedPlan(plan, blocks, wish, limits);
    return timed === undefined ? '' : `\n${timed.text}\n`;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return `\nno time is simulated: ${oneLine(error.message)}\n`;
  }
}

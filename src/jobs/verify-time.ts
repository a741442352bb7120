/** The time that a plan takes, simulated, and whether its document says the same. */

import { operationCount, type Plan } from '../ir/plan.ts';
import { optimality } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf } from '../ir/topology.ts';
import { formatSeconds, rounding, type Seconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { simulate } from '../model/index.ts';
import { claimedMachine, type DocumentBlocks, isRecord, withFinding } from './claims.ts';
import { canBeTimed, type TimingTarget, type TimingWish, timingSentence, timingTargetOf } from './timing-target.ts';

/**
 * The verification of a correct plan with the time that it takes where a machine is known, as a line among what was proved, and with a
 * warning where its document says another time, bound or optimality. A plan whose time is misstated does the right thing all the same.
 * @param mostOperations of all bulks together, beyond which nothing is simulated
 */
export function withTimeChecked(
  verification: Verification,
  plan: Plan,
  blocks: DocumentBlocks,
  wish: TimingWish,
  mostOperations: number,
): Verification {
  if (verification.verdict !== 'correct') return verification;
  const wanted = timingTargetOf(plan.collective, blocks, wish);
  const { topology, size } = wanted;
  if (topology === undefined || size === undefined || ranksOf(topology) !== plan.collective.ranks) return verification;
  if (!canBeTimed(plan, topology, mostOperations)) {
    const operations = operationCount(plan) * plan.bulks;
    const message = `its time was not simulated: ${operations} operations in all bulks are more than the limit operations = ${mostOperations}`;
    return withFinding(verification, 'warning', message);
  }
  const { seconds } = simulate(plan, Routes.of(topology), size);
  return withTime(verification, seconds, wanted, blocks, claimedMachine(blocks.topology, topology) !== undefined);
}

/**
 * The time as a line among what was proved, with a warning where the document says something else.
 * @param isItsMachine whether the time is of the machine that the document is about
 */
export function withTime(
  verification: Verification,
  seconds: Seconds,
  wanted: TimingTarget<{ readonly name: string }>,
  blocks: DocumentBlocks,
  isItsMachine: boolean,
): Verification {
  const line = `time: the plan ${timingSentence(seconds, wanted)}`;
  const timed = { ...verification, proved: [...verification.proved, line] };
  const isOfDocument = wanted.size === blocks.size && isItsMachine;
  const wrong = isOfDocument ? misstatement(blocks, seconds, `takes ${formatSeconds(seconds)}`) : undefined;
  return wrong === undefined ? timed : withFinding(timed, 'warning', wrong);
}

/** What a document says of time and bound that is not so. */
function misstatement({ cost, bound }: DocumentBlocks, seconds: Seconds, takes: string): string | undefined {
  if (!isRecord(cost) || typeof cost.seconds !== 'number') return undefined;
  if (!isSame(cost.seconds, seconds)) {
    return `its document says ${formatSeconds(cost.seconds)}; simulated, it ${takes}`;
  }
  if (!isRecord(bound) || typeof bound.seconds !== 'number' || typeof bound.optimality !== 'number') return undefined;
  if (bound.seconds > seconds * (1 + rounding)) {
    return `its document says that no plan takes less than ${formatSeconds(bound.seconds)}, but it ${takes}`;
  }
  const reached = optimality(bound.seconds, seconds);
  if (isSame(bound.optimality, reached)) return undefined;
  return `its document says ${bound.optimality} of the bound; by its own bound and time it is ${reached.toFixed(4)}`;
}

function isSame(stated: number, found: number): boolean {
  return Math.abs(stated - found) <= rounding * Math.abs(found);
}

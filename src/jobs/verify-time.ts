/** Simulates the time of a plan and compares it with the time that its document states. */

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
 * Adds the simulated time to the verification of a correct plan, if a machine is known: a line among the proved properties, and a warning if the
 * document states another time, bound or optimality. A wrong time is only a warning, since the plan still computes the right result.
 * @param mostOperations maximum number of operations of all bulks together for which a plan is simulated
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
 * Adds a time to a verification, and a warning if the document states another one.
 * @param isItsMachine whether the time is for the machine of the document
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

/** A statement of the document about time or bound that is wrong; undefined if there is none. */
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

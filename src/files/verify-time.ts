/** Checks the time that a plan's document states, by simulating the plan again. */
import { simulate } from '../cost/index.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { optimality } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { formatSeconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { type Blocks, isRecord, machineOf, withFinding } from './claims.ts';

/** Numbers that differ by more than this part of themselves are not the same: documents hold all digits. */
const tolerance = 1e-9;

/**
 * The verification of a correct plan with what is to be said of the time in its document, and of the distance from the bound: a line among
 * what was proved, or a warning. A plan whose time is misstated does the right thing all the same.
 * @param topology as for the bound (`withBoundChecked`)
 * @param mostOperations of all bulks together, beyond which the time is not looked at
 */
export function withTimeChecked(
  verification: Verification,
  plan: Plan,
  { cost, bound, size, topology: block }: Blocks,
  topology: Topology | undefined,
  mostOperations: number,
): Verification {
  if (verification.verdict !== 'correct' || !isRecord(cost) || typeof cost.seconds !== 'number') return verification;
  const machine = machineOf(block, topology);
  if (machine === undefined || typeof size !== 'number' || ranksOf(machine) !== plan.collective.ranks)
    return verification;
  const operations = operationCount(plan) * plan.bulks;
  if (operations > mostOperations) {
    const message = `its time was not simulated: ${operations} operations in all bulks are more than the limit operations = ${mostOperations}`;
    return withFinding(verification, 'warning', message);
  }
  const { seconds } = simulate(plan, Routes.of(machine), size);
  const takes = `takes ${formatSeconds(seconds)} on ${machine.name}`;
  if (!isSame(cost.seconds, seconds)) {
    return withFinding(
      verification,
      'warning',
      `its document says ${formatSeconds(cost.seconds)}; simulated, it ${takes}`,
    );
  }
  const timed = { ...verification, proved: [...verification.proved, `time: simulated again, the plan ${takes}`] };
  if (!isRecord(bound) || typeof bound.seconds !== 'number' || typeof bound.optimality !== 'number') return timed;
  if (bound.seconds > seconds * (1 + tolerance)) {
    const message = `its document says that no plan takes less than ${formatSeconds(bound.seconds)}, but it ${takes}`;
    return withFinding(timed, 'warning', message);
  }
  const reached = optimality(bound.seconds, seconds);
  if (isSame(bound.optimality, reached)) return timed;
  const message = `its document says ${bound.optimality} of the bound; by its own bound and time it is ${reached.toFixed(4)}`;
  return withFinding(timed, 'warning', message);
}

function isSame(stated: number, found: number): boolean {
  return Math.abs(stated - found) <= tolerance * Math.abs(found);
}

/**
 * The last stage of a compilation: if the best plan is above its lower bound, a linear program mixes schedules in rounds (column
 * generation; docs/ilp.md).
 */

import { Routes } from '../ir/routes.ts';
import { ranksOf } from '../ir/topology.ts';
import { noticeable, type Seconds } from '../ir/units.ts';
import type { Solver } from '../solver/index.ts';
import { bestInRounds, inWholeChunks, maxRanksFor } from '../synth/index.ts';
import { candidateReport, outline } from './comparing.ts';
import type { CompileRequest, CompileResult } from './compile.ts';
import { consistentBound } from './consistent-bound.ts';
import { type EvaluatedCandidate, evaluateWithinLimits, nearEnough } from './evaluate/index.ts';
import { originOf, provedBundle } from './proved-bundle.ts';

/** Maximum ranks. Beyond them the programs are too large; for a quick search, on 16 ranks a second passes before they gain anything. */
const mostRanks = { full: maxRanksFor.programs, quick: 8 } as const;

/** Whether rounds may improve the plan, so that loading a solver is worthwhile. */
export function mayGainInRounds(
  { bundle, stoppedEarly }: Pick<CompileResult, 'bundle' | 'stoppedEarly'>,
  { topology, engine, algorithm, objective, bulks, effort = 'full' }: CompileRequest,
): boolean {
  const isOpen = engine === 'auto' && algorithm === undefined && objective === 'time' && bulks === 'auto';
  // Rounds model links only, so machines with a lane model are excluded below.
  const isAbove = bundle.cost.seconds > bundle.bound.seconds * nearEnough;
  return (
    isOpen && isAbove && !stoppedEarly && bundle.topology?.lane === undefined && ranksOf(topology) <= mostRanks[effort]
  );
}

/**
 * Returns the same result or a better one. If the request's `shouldStop` ends it early, it returns the best so far.
 * @param onProgress called with the number of rounds under consideration, and their time in seconds
 */
export function withRounds(
  result: CompileResult,
  request: CompileRequest,
  solver: Solver,
  onProgress?: (rounds: number, seconds: Seconds) => void,
): CompileResult {
  const routes = Routes.of(request.topology);
  const before = result.bundle.cost.seconds;
  const problem = { ...request, routes };
  const found = bestInRounds(problem, solver, before, onProgress);
  if (found === undefined) return result;
  const whole = inWholeChunks(problem, solver, before);
  const priced = [...found.candidates, ...(whole === undefined ? [] : [whole])]
    .map((candidate) => evaluateWithinLimits(candidate, request, routes, Number.POSITIVE_INFINITY))
    .filter((outcome): outcome is EvaluatedCandidate => outcome.kind === 'priced')
    .sort((a, b) => a.cost.seconds - b.cost.seconds);
  const [best] = priced;
  const isBetter = best !== undefined && best.cost.seconds < before * (1 - noticeable);
  const report = { solver: solver.name, before, rounds: found.rounds, seconds: found.seconds };
  if (!isBetter) return { ...result, inRounds: { ...report, steps: undefined, after: before } };
  const { steps } = best.candidate.origin;
  const made = { steps: typeof steps === 'number' ? steps : undefined, after: best.cost.seconds };
  return { ...replaced(result, best, request, routes), inRounds: { ...report, ...made } };
}

function replaced(
  result: CompileResult,
  best: EvaluatedCandidate,
  request: CompileRequest,
  routes: Routes,
): CompileResult {
  const { plan } = best.checked;
  const { topology, size } = request;
  const bound = consistentBound(
    result.bundle.bound,
    { plan, topology, size, seconds: best.cost.seconds },
    { ...request, topology: topology.name },
  );
  const slower = <Row extends { readonly status: 'chosen' | 'slower' }>(row: Row): Row => ({
    ...row,
    status: 'slower',
  });
  return {
    ...result,
    bundle: provedBundle(best, request, bound, originOf(best, request.seed)),
    schedule: best.schedule,
    candidates: [outline(best, 'chosen', bound), ...result.candidates.map(slower)],
    explain: () => [candidateReport(best, 'chosen', bound, routes), ...result.explain().map(slower)],
  };
}

/**
 * Tries another order of the local copies in plans of staged schedules. Simulation decides, since the order helps some
 * collectives and hurts others.
 */
import type { Routes } from '../../ir/routes.ts';
import { copyOrders } from '../../passes/index.ts';
import { candidateOf, worthwhile } from '../../synth/index.ts';
import { tune } from './bulks.ts';
import { type EvaluatedCandidate, type EvaluationRequest, evaluateWithinLimits } from './evaluate-candidate.ts';

/**
 * Returns the best plan with another order of copies, in the number of bulks that suits it, if it is faster.
 * @param known a plan of a staged schedule
 */
export function withCopyOrder(
  { candidate, schedule, cost }: EvaluatedCandidate,
  request: EvaluationRequest,
  routes: Routes,
): EvaluatedCandidate | undefined {
  if (request.topology.staging === undefined) return undefined;
  const plans = copyOrders(schedule).flatMap(({ name: order, schedule: reordered }) => {
    const other = candidateOf(reordered, { ...candidate.origin, copies: order }, `${candidate.name}, copies ${order}`);
    const priced = evaluateWithinLimits(other, request, routes, Number.POSITIVE_INFINITY);
    return priced.kind === 'priced' ? [tune(priced, request, routes, cost.seconds)] : [];
  });
  const [best] = plans.sort((a, b) => a.cost.seconds - b.cost.seconds);
  return best !== undefined && best.cost.seconds < cost.seconds * worthwhile ? best : undefined;
}

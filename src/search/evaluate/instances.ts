/**
 * Chooses the number of lanes per message (*instances*): more where the bandwidth of one lane is the bottleneck, fewer
 * where the overhead per lane is (docs/time-model.md).
 */
import type { Routes } from '../../ir/routes.ts';
import { inInstances } from '../../passes/index.ts';
import { maxNcclChannels } from '../../synth/index.ts';
import { type EvaluatedCandidate, type EvaluationRequest, evaluateWithinLimits } from './evaluate-candidate.ts';

/**
 * Splits the messages of a plan over 2, 4, 8 … lanes while simulation shows a gain. Returns the plan unchanged on
 * machines without a lane model, and if the number of chunks is given.
 */
export function withInstances(
  single: EvaluatedCandidate,
  request: EvaluationRequest,
  routes: Routes,
): EvaluatedCandidate {
  const isAsked = request.chunks !== undefined || single.schedule.collective.counts !== undefined;
  if (routes.topology.lane === undefined || isAsked) return single;
  let best = single;
  for (let count = 2; count <= maxNcclChannels; count *= 2) {
    const more = inManyLanes(single, count, request, routes);
    if (more === undefined || more.cost.seconds >= best.cost.seconds) break;
    best = more;
  }
  if (best === single) return single;
  // The gain is reported with as many digits as are meaningful.
  const inOneInstance = Number((single.cost.seconds / best.cost.seconds).toPrecision(4));
  return { ...best, candidate: { ...best.candidate, origin: { ...best.candidate.origin, inOneInstance } } };
}

/**
 * The plan with every message split over `lanes` lanes; undefined if that exceeds a limit, the lanes that chips have,
 * or what the target supports.
 */
export function inManyLanes(
  single: EvaluatedCandidate,
  count: number,
  request: EvaluationRequest,
  routes: Routes,
): EvaluatedCandidate | undefined {
  const { candidate } = single;
  const split = {
    ...candidate,
    origin: { ...candidate.origin, instances: count },
    build: (multiple: number) => inInstances(candidate.build(multiple), count),
  };
  const { firstLane } = single.checked.plan;
  const lanes = firstLane.reduce((most, first, rank) => Math.max(most, first - (firstLane[rank - 1] ?? 0)), 0);
  if (count > maxNcclChannels || lanes * count > (request.topology.lane?.count ?? Number.POSITIVE_INFINITY))
    return undefined;
  const priced = evaluateWithinLimits(split, request, routes, Number.POSITIVE_INFINITY);
  if (priced.kind !== 'priced') return undefined;
  return (request.lackingRoom?.(priced.checked.plan, request.topology) ?? []).length === 0 ? priced : undefined;
}

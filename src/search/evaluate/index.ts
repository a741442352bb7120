/** What candidates cost, and the number of bulks that suits them. */
export { Pipelines, tune } from './bulks.ts';
export { withCopyOrder } from './copy-orders.ts';
export { nearEnough } from './effort.ts';
export { busiestLinkTime, pipelineEstimate, reducesWithoutOverlap, scheduleEstimate } from './estimates.ts';
export {
  checkOperationLimit,
  type EvaluatedCandidate,
  type EvaluationOutcome,
  type EvaluationRequest,
  evaluateCandidate,
  evaluateWithinLimits,
  fewTransfers,
} from './evaluate-candidate.ts';
export { inManyLanes, withInstances } from './instances.ts';
export { nameOfPlan } from './name-of-plan.ts';
export { withBestSizes } from './sizes/index.ts';

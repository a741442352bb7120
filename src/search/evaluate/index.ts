/** What candidates cost, and the number of bulks that suits them. */
export { Pipelines, tune } from './bulks.ts';
export { withCopyOrder } from './copy-orders.ts';
export { nearEnough } from './effort.ts';
export { leastLinkTime, pipelineEstimate, reducesWithoutOverlap, scheduleEstimate } from './estimates.ts';
export { inManyLanes, withInstances } from './instances.ts';
export {
  checkOperations,
  type EvaluationOutcome,
  fewTransfers,
  type Priced,
  type PriceRequest,
  price,
  priceWithinLimits,
} from './price.ts';
export { withBestSizes } from './sizes/index.ts';

/** The cost model: simulated time of plans, lower bounds that no plan can beat, and ring orders with short routes. */
export { chipsAreAlike } from './alike-chips.ts';
export { lowerBound } from './bounds/lower-bound.ts';
export { type BulkEvents, bulkEvents, type ResourceUse } from './bulk-events.ts';
export { checkCertificate } from './certificate-check.ts';
export { type MachineArc, type MachineNetwork, machineNetwork } from './flow/machine-network.ts';
export { FlowNetwork, unlimited } from './flow/max-flow.ts';
export { type CutSearch, type TightestCut, tightestCut } from './flow/tightest-cut.ts';
export { leastTime, type SteppedTime, steppedTime } from './least-time.ts';
export { bulkLoads } from './loads.ts';
export { leastRecurrence } from './recurrence.ts';
export { type ReductionOverlap, reductionOverlap } from './reduction-overlap.ts';
export { leastStretchRing, type RingOrder } from './ring-order.ts';
export { simulateShifted } from './shifted.ts';
export { simulate } from './simulate.ts';
export { type Chain, type SizedRun, SizedRuns, timeOf } from './sized-runs.ts';
export { type SteadyState, steadyState } from './steady-state.ts';
export { timeline } from './timeline.ts';

/** The cost model: simulated time of plans, lower bounds that no plan can beat, and ring orders with short routes. */

export { chipsAreAlike } from './alike-chips.ts';
export { cheapestArborescence } from './arborescence.ts';
export { lowerBound } from './bounds/lower-bound.ts';
export { checkCertificate, judgeCertificate } from './certificates/check-certificate.ts';
export type { Verdict } from './certificates/verdict.ts';
export { type MachineArc, type MachineNetwork, machineNetwork } from './flow/machine-network.ts';
export { FlowNetwork, unlimited } from './flow/max-flow.ts';
export { type CutSearch, type TightestCut, tightestCut } from './flow/tightest-cut.ts';
export { type FlowingTime, flowingTime } from './flowing-time.ts';
export { leastTime, type SteppedTime, steppedTime } from './least-time.ts';
export { type Nearness, nearestChips, type Placement } from './nearest-chips.ts';
export { timeOfPath } from './path-time.ts';
export { bulkLoads } from './pipelines/loads.ts';
export { type ReductionOverlap, reductionOverlap } from './pipelines/reduction-overlap.ts';
export { type SteadyState, steadyState } from './pipelines/steady-state.ts';
export { leastStretchRing, type RingOrder } from './rings/ring-order.ts';
export { Simplex } from './simplex.ts';
export { sentBytes } from './simulation/sent-bytes.ts';
export { simulateShifted } from './simulation/shifted.ts';
export { SimulatedTimes, simulate } from './simulation/simulate.ts';
export { type Chain, type SizedRun, SizedRuns, timeOf } from './simulation/sized-runs.ts';
export { timeline } from './simulation/timeline.ts';

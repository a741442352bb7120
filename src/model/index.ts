/** The model of time: the simulator of plans, and estimates of schedules and pipelines that need no simulation. */

export { type FlowingTime, flowingTime } from './estimate/flowing-time.ts';
export { occupancyLowerBound, type SteppedTime, steppedTime } from './estimate/occupancy-bound.ts';
export { timeOfPath } from './estimate/path-time.ts';
export { bulkLoads } from './estimate/pipelines/loads.ts';
export { type ReductionOverlap, reductionOverlap } from './estimate/pipelines/reduction-overlap.ts';
export { type SteadyState, steadyState } from './estimate/pipelines/steady-state.ts';
export { simulateShifted } from './simulate/shifted.ts';
export { SimulatedTimes, simulate } from './simulate/simulate.ts';
export { type CriticalChain, chainTime, type SizedRun, SizedRuns } from './simulate/sized-runs.ts';
export { timeline } from './simulate/timeline.ts';
export { sentBytes } from './simulate/weights.ts';

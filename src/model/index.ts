/**
 * The model of time. `simulate` runs a plan as a discrete-event simulation; all reported times come from it. The estimators answer cheaper questions,
 * before a plan exists or without running it:
 * - `occupancyLowerBound`: a lower bound on the time of a schedule, from the occupancy of its busiest link, port or engine;
 * - `steppedTime`: the time of a schedule if every chip finishes a step before it begins the next one;
 * - `flowingTime`: the time of a schedule in one bulk if messages wait for data and links, not for steps;
 * - `bulkLoads`: how long one bulk of a plan occupies each resource, a lower bound on the time between bulks;
 * - `steadyState`: the time that each further bulk adds to a full pipeline, and its lower bound from loads and dependencies;
 * - `reductionOverlap` and `timeOfPath` explain a simulated run and estimate nothing.
 */

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

/** The runtime's public face: runs plans on real buffers. */
export type { Mismatch } from './check.ts';
export type { InputKind } from './inputs.ts';
export { type RunOptions, type RunResult, run, type UnverifiedPlan } from './run.ts';
export { type StepTimes, stepTimes, traceJson } from './timeline.ts';

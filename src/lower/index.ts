/** Lowers schedules to plans. */
export { type LowerOptions, lower } from './lower.ts';
export { ownStrictly } from './own-strictly.ts';
export { jointCollective, type PlacedCollective, type PlacedPlan, sideBySide } from './side-by-side.ts';
export { fitsFastMemory, lowerToFit, MemoryExceeded, staged } from './staging.ts';

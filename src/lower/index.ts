/** Schedule → plan. */
export { type LowerOptions, lower } from './lower.ts';
export { type PlacedPlan, sideBySide } from './side-by-side.ts';

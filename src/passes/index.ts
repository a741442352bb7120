/** Schedule → schedule. None of these passes judges: what they make is lowered and proved like anything else. */
export { alongside } from './alongside.ts';
export { compactSteps } from './compact-steps.ts';
export { compose } from './compose.ts';
export { fold, foldedKinds } from './fold.ts';
export { forwardHops } from './forward-hops.ts';
export { joinPieces } from './pieces.ts';
export { type Placement, place } from './place.ts';
export { prune } from './prune.ts';
export { refine } from './refine.ts';
export { relabel } from './relabel.ts';
export { resize } from './resize.ts';
export { reverse } from './reverse.ts';
export { scheduleOfPlan } from './schedule-of-plan.ts';
export { type SizeClasses, sizeClasses } from './size-classes.ts';
export { stage } from './stage.ts';
export { transposeScan } from './transpose-scan.ts';
export { unroll } from './unroll.ts';
export { withCounts } from './variable-counts.ts';

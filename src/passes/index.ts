/** Schedule → schedule. None of these passes judges: what they make is lowered and proved like anything else. */
export { compose } from './compose.ts';
export { fold, foldedKinds } from './fold.ts';
export { type Placement, place } from './place.ts';
export { prune } from './prune.ts';
export { relabel } from './relabel.ts';
export { reverse } from './reverse.ts';
export { withCounts } from './variable-counts.ts';

/** What `ccc show` prints: values in, text out. Nothing here reads, writes or fails. */
export { showDefinition } from './definition.ts';
export { showOverlay } from './overlay.ts';
export { showCompactPlan, showPlan } from './plan.ts';
export { showSteps } from './steps.ts';
export { showTopology } from './topology.ts';
export { showUnderlay } from './underlay.ts';

/** Makes the texts of `ccc show`. These functions take values and return text; none reads, writes or fails. */

export { showOverlay } from './plan/overlay.ts';
export { showCompactPlan, showPlan } from './plan/plan.ts';
export { showTimeline } from './plan/timeline.ts';
export { showLinks, showUnderlay } from './plan/underlay.ts';
export { showDefinition } from './schedule/definition.ts';
export { showSteps } from './schedule/steps.ts';
export { showTopology } from './topology/topology.ts';

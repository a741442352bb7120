/** Plans in. */
export { type CompactDocument, type PlanDocument, readAnyPlan, readPlan } from './read-plan.ts';

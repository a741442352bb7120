/** Readers of plan JSON. */
export { type CompactDocument, type PlanDocument, readAnyPlan, readPlan } from './read-plan.ts';

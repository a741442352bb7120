/** Plans in. */
export { type PlanDocument, readPlan } from './read-plan.ts';

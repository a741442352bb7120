/** Pages that show plans: machine, timeline, programs and verdict, in one HTML file that loads nothing else. */
export { bendsOf } from './machine/bends.ts';
export { layOutMachine } from './machine/layout.ts';
export type { MachineLayout } from './machine/places.ts';
export { type MeasuredRun, readMeasured } from './measured.ts';
export type { PageDocument, PagePlan, PageTuning } from './page-document.ts';
export { pagePlan, type ViewSubject } from './page-plan.ts';
export { pageText } from './page-text.ts';
export { readTuning } from './tuning.ts';

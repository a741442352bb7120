/** Machines calibrated from measured times (docs/calibration.md). */
export { type Calibration, calibrate, type FoundParameter } from './calibrate.ts';
export type { Dropped } from './clean.ts';
export type { Configuration, ConfigurationLabel, MeasuredTime } from './configuration.ts';
export { calibratedFile } from './document.ts';
export { type Errors, errorsOf, groupedBy, type Prediction } from './errors.ts';
export { type FittedLine, lineThrough, timeOn } from './floor.ts';
export { valueText } from './quantities.ts';
export { type Split, splitOf } from './split.ts';
export { median } from './statistics.ts';
export { type MeasurementSubject, type SubjectRequest, type Subjects, subjectsOf } from './subjects.ts';

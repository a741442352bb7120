/** Readers of schedules, topologies, plans and dumps. Every error has the place in the file that is wrong. */
export { readCounts } from './counts.ts';
export { describeShipped } from './describe.ts';
export {
  convertDump,
  type DumpKind,
  type DumpOptions,
  dumpKindOf,
  dumpKinds,
  type LinkChoice,
} from './machines/index.ts';
export { isNcclGraphText, type NcclGraphs } from './nccl-graph/graphs.ts';
export { nearest, nearestNames } from './nearest.ts';
export type { ReadOptions } from './options.ts';
export { type PlanDocument, readPlan } from './plan/index.ts';
export {
  checkParameters,
  chunkMultiple,
  chunkUnit,
  elaborate,
  type Fitness,
  fitness,
  inChannels,
  instantiate,
  isScheduleText,
  loadScheduleFile,
  parseScheduleFile,
  type RanksFit,
  ranksFit,
  type ScheduleBody,
  type ScheduleFile,
  type ScheduleParameter,
  type ScheduleRequest,
} from './schedule/index.ts';
export { type ShippedKind, shippedNames as listShipped } from './shipped.ts';
export { isFilePath, readSource } from './source.ts';
export {
  checkGroups,
  type Description,
  describeMachine,
  describeTopology,
  findTopology,
  isMachineFile,
  type LinkSpec,
  parseChipMap,
  parseGamma,
  parseGroups,
  parseLinkSpec,
  resolveTopology,
  withGamma,
  withGroup,
  withGroupAmong,
  withLink,
  withMap,
  withOverlap,
  withoutChip,
  withoutLink,
  withoutParts,
} from './topology/index.ts';

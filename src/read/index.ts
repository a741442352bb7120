/** Files in: schedules, topologies and plans, each error with its place. */
export { nearest, nearestNames } from './nearest.ts';
export type { ReadOptions } from './options.ts';
export {
  chunkMultiple,
  elaborate,
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

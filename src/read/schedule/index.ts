/** Reader of schedule files, and their instantiation. */
export { chunkMultiple, elaborate, type RanksFit, ranksFit, type ScheduleRequest } from './elaborate.ts';
export type { MadeTransfer } from './expand.ts';
export {
  isScheduleText,
  parseScheduleFile,
  type ScheduleBody,
  type ScheduleFile,
  type ScheduleParameter,
} from './file.ts';
export { inChannels } from './in-channels.ts';
export { checkParameters, chunkUnit, type Fitness, fitness, instantiate } from './instantiate.ts';
export { loadScheduleFile } from './load.ts';

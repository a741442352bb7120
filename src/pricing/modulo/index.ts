/** Modulo scheduling of one bulk, and the channels that let bulks overlap as it asks for. */
export { moduloSchedule } from './modulo-schedule.ts';
export { inStages, onOwnChannels } from './overlap-bulks.ts';

/** Groups of ranks that work at the same time: links shared out among them. */
export { type GroupMachine, groupMachine } from './machine.ts';
export { type Way, waysForGroups } from './ways.ts';

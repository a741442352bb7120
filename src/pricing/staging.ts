/** Machines on which messages are staged through a fast memory: what their schedules and plans have to be like. */
import { messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Topology } from '../ir/topology.ts';
import { type Bytes, formatBytes } from '../ir/units.ts';
import { lower } from '../lower/index.ts';
import { stage } from '../passes/index.ts';

/** A schedule as this machine needs it: with everything staged, if that is what its links ask for. */
export function staged(schedule: Schedule, topology: Topology): Schedule {
  return topology.staging === undefined ? schedule : stage(schedule);
}

/** Bytes of scratch of all bulks under way together, on the chip that uses most, for a message of `size` bytes. */
export function scratchBytes(plan: Plan, size: Bytes): Bytes {
  const chunks = plan.buffers.reduce((most, { scratch }) => Math.max(most, scratch), 0);
  return (chunks * plan.scratchPerBulk * size) / messageChunks(plan.collective) / plan.bulks;
}

/**
 * The least number of bulks with which the scratch of a staged schedule fits the machine's fast memory; 1 where that is no question.
 * @param plan the schedule's plan, in any number of bulks
 */
export function leastBulks(plan: Plan, topology: Topology, size: Bytes): number {
  const { staging } = topology;
  if (staging === undefined) return 1;
  const single = scratchBytes(plan, size) * (plan.bulks / plan.scratchPerBulk);
  if (single <= staging.memory) return 1;
  // Of many bulks so many are under way together.
  const copies = lowerCopies;
  return Math.max(copies, Math.ceil((copies * single) / staging.memory));
}

/** Copies of scratch that plans of many bulks have. */
const lowerCopies = 4;

/**
 * The plan of a schedule in as many bulks as are asked for; in one, or in as few as its scratch fits with, where that is free.
 * @throws CccError 'limit' where as many bulks as are asked for need more fast memory than there is
 */
export function lowerToFit(
  schedule: Schedule,
  name: string,
  { bulks, topology, size }: { readonly bulks: number | 'auto'; readonly topology: Topology; readonly size: Bytes },
): Plan {
  const plan = lower(schedule, { bulks: bulks === 'auto' ? 1 : bulks, name });
  const needed = scratchBytes(plan, size);
  if (topology.staging === undefined || needed <= topology.staging.memory) return plan;
  const least = leastBulks(plan, topology, size);
  if (bulks === 'auto') return lower(schedule, { bulks: least, name });
  const what = `${formatBytes(needed)} of scratch in ${bulks} bulks`;
  const fits = `the ${formatBytes(topology.staging.memory)} that chips stage messages in; at least ${least} bulks do`;
  throw new CccError('limit', `${what} do not fit ${fits}`);
}

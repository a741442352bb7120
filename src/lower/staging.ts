/** Machines on which messages are staged through a fast memory: what their schedules and plans have to be like. */
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { chunkBytesOf } from '../ir/shards.ts';
import type { Topology } from '../ir/topology.ts';
import { type Bytes, counted, formatBytes } from '../ir/units.ts';
import { forwardHops, isStaged, stage } from '../passes/index.ts';
import { lower, usualCopies } from './lower.ts';

/**
 * A schedule as this machine needs it: with everything staged, if that is what its links ask for. So that ranks can swap shards in place where
 * connections buffer nothing, too: what is sent would have to be gone before what takes its place can come, at both ends.
 */
export function staged(unstaged: Schedule, topology: Topology): Schedule {
  const schedule = topology.messages === undefined ? unstaged : inHops(unstaged, Routes.of(topology));
  const { kind, inPlace } = schedule.collective;
  const swaps = topology.inflight === 0 && kind === 'alltoall' && inPlace;
  return (topology.staging !== undefined && !isStaged(schedule)) || swaps ? stage(schedule) : schedule;
}

/** Engines that run commands have ports to neighbours: chips between the ends of a message receive it and send it on. */
function inHops(schedule: Schedule, routes: Routes): Schedule {
  const { links, chips } = routes.topology;
  const rankOf = new Map([...chips.entries()].map(([rank, chip]) => [chip, rank]));
  const via = (source: number, destination: number, channel: number): readonly number[] => {
    const route = routes.between(source, destination, channel)?.links ?? [];
    return route.slice(0, -1).flatMap((link) => rankOf.get(links[link].to) ?? []);
  };
  const { source, destination, channel } = schedule.steps;
  const passesOn = source.some(
    (from, t) => from !== destination[t] && via(from, destination[t], channel[t]).length > 0,
  );
  return passesOn ? forwardHops(schedule, via) : schedule;
}

/** Copies of scratch that plans of many bulks have: so many bulks are under way together. */

/** Chunks of scratch of one bulk, on the chip that uses most. */
function scratchChunks({ buffers }: Plan): number {
  return buffers.reduce((most, { scratch }) => Math.max(most, scratch), 0);
}

/** Whether a plan of a staged schedule leaves the machine's fast memory enough; true where that is no question. */
export function fitsFastMemory(plan: Plan, topology: Topology, size: Bytes): boolean {
  return topology.staging === undefined || scratchBytes(plan, topology, size) <= topology.staging.memory;
}

/** Bytes of scratch of all bulks under way together, on the chip that uses most, for a message of `size` bytes. */
function scratchBytes(plan: Plan, { messages }: Topology, size: Bytes): Bytes {
  return scratchChunks(plan) * plan.scratchPerBulk * chunkBytesOf(plan, size, messages?.alignment);
}

/** In how many bulks as many of them as plans have copies of scratch for fit the memory. @throws CccError 'limit' where a unit of each chunk does not */
function leastBulks(plan: Plan, { name, staging, messages }: Topology, size: Bytes): number {
  const memory = staging?.memory ?? Number.POSITIVE_INFINITY;
  const chunks = scratchChunks(plan) * usualCopies;
  const unit = messages?.alignment ?? 0;
  const room = unit === 0 ? memory / chunks : Math.floor(memory / chunks / unit) * unit;
  if (room > 0) return Math.max(usualCopies, Math.ceil(chunkBytesOf({ ...plan, bulks: 1 }, size) / room));
  const needed = `${chunks} chunks of at least ${unit} bytes in ${usualCopies} bulks, ${formatBytes(chunks * unit)}`;
  throw new CccError('limit', `${plan.name} stages ${needed}; chips of ${name} have ${formatBytes(memory)} for it`);
}

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
  const { staging } = topology;
  if (staging === undefined || fitsFastMemory(plan, topology, size)) return plan;
  const least = leastBulks(plan, topology, size);
  if (bulks === 'auto') return lower(schedule, { bulks: least, name, scratchPerBulk: usualCopies });
  const what = `${formatBytes(scratchBytes(plan, topology, size))} of scratch in ${counted(bulks, 'bulk')}`;
  const fits = `the ${formatBytes(staging.memory)} that chips stage messages in; at least ${counted(least, 'bulk')} would`;
  throw new CccError('limit', `${what} do not fit ${fits}`);
}

/** Machines on which messages are staged through a fast memory: what their schedules and plans have to be like. */
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { chunkBytesOf } from '../ir/shards.ts';
import type { Topology } from '../ir/topology.ts';
import { type Bytes, counted, formatBytes } from '../ir/units.ts';
import { forwardHops, isStaged, stage } from '../passes/index.ts';
import { defaultScratchCopies, lower } from './lower.ts';

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

/**
 * How many bulks are nearest to `asked` that leave the memory enough: fewer have fewer copies of scratch, beyond these copies more have smaller ones, of a
 * unit for each chunk at least. Undefined where none do.
 */
function nearestBulks(plan: Plan, asked: number, topology: Topology, size: Bytes): number | undefined {
  const { staging, messages } = topology;
  for (let bulks = Math.min(asked, defaultScratchCopies) - 1; bulks > 0; bulks--) {
    if (fitsFastMemory({ ...plan, bulks, scratchPerBulk: bulks }, topology, size)) return bulks;
  }
  const room = (staging?.memory ?? 0) / (scratchChunks(plan) * defaultScratchCopies);
  const unit = messages?.alignment;
  const chunk = unit === undefined ? room : Math.floor(room / unit) * unit;
  return chunk === 0
    ? undefined
    : Math.max(defaultScratchCopies, Math.ceil(chunkBytesOf({ ...plan, bulks: 1 }, size) / chunk));
}

/** A plan that asks for `needed` bytes of fast memory, which are too many. */
export class MemoryExceeded extends CccError {
  readonly needed: Bytes;

  constructor(needed: Bytes, message: string) {
    super('limit', message);
    this.needed = needed;
  }
}

/**
 * The plan of a schedule in as many bulks as are asked for; in one, or in as few as its scratch fits with, where that is free.
 * @throws MemoryExceeded where as many bulks as are asked for need more fast memory than there is
 */
export function lowerToFit(
  schedule: Schedule,
  name: string,
  { bulks, topology, size }: { readonly bulks: number | 'auto'; readonly topology: Topology; readonly size: Bytes },
): Plan {
  const asked = bulks === 'auto' ? 1 : bulks;
  const plan = lower(schedule, { bulks: asked, name });
  const { staging, messages } = topology;
  if (staging === undefined || fitsFastMemory(plan, topology, size)) return plan;
  const nearest = nearestBulks(plan, asked, topology, size);
  if (bulks === 'auto' && nearest !== undefined) return lower(schedule, { bulks: nearest, name });
  const needed = scratchBytes(plan, topology, size);
  const unit = messages?.alignment ?? 0;
  const least = bulks === 'auto' ? Math.min(needed, scratchChunks(plan) * defaultScratchCopies * unit) : needed;
  const fits =
    nearest === undefined
      ? `no number of bulks fits, in chunks of ${unit} bytes or more; a memory of ${formatBytes(least)} would`
      : `at ${nearest < asked ? 'most' : 'least'} ${counted(nearest, 'bulk')} would fit`;
  const takes = `${name} takes ${formatBytes(needed)} of scratch in ${counted(asked, 'bulk')}`;
  const has = `staging: memory of ${topology.name} is ${formatBytes(staging.memory)}`;
  throw new MemoryExceeded(least, `${takes}; ${has}: ${fits}`);
}

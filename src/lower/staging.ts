/** Adapts schedules and plans to machines on which messages are staged through a fast memory of limited size. */
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
 * The schedule as this machine requires it: staged through scratch if the links reach only a fast memory, and forwarded hop by hop if message engines
 * reach only neighbours. An alltoall in place is also staged where connections buffer nothing, because two ranks that swap shards there would each
 * have to send before either can receive.
 */
export function staged(unstaged: Schedule, topology: Topology): Schedule {
  const schedule = topology.messages === undefined ? unstaged : inHops(unstaged, Routes.of(topology));
  const { kind, inPlace } = schedule.collective;
  const swaps = topology.inflight === 0 && kind === 'alltoall' && inPlace;
  return (topology.staging !== undefined && !isStaged(schedule)) || swaps ? stage(schedule) : schedule;
}

/** Message engines are connected to neighbours only, so chips between the ends of a message must receive it and send it on. */
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

/** Chunks of scratch per bulk on the chip that uses most. */
function scratchChunks({ buffers }: Plan): number {
  return buffers.reduce((most, { scratch }) => Math.max(most, scratch), 0);
}

/** Whether the scratch of a plan fits into the fast memory of the machine; true for machines without staging. */
export function fitsFastMemory(plan: Plan, topology: Topology, size: Bytes): boolean {
  return topology.staging === undefined || scratchBytes(plan, topology, size) <= topology.staging.memory;
}

/** Bytes of scratch of all concurrent bulks, on the chip that uses most, for a message of `size` bytes. */
function scratchBytes(plan: Plan, { messages }: Topology, size: Bytes): Bytes {
  return scratchChunks(plan) * plan.scratchPerBulk * chunkBytesOf(plan, size, messages?.alignment);
}

/**
 * The number of bulks nearest to `asked` for which scratch fits into the fast memory; undefined if there is none. Fewer bulks than the default number
 * of copies need fewer copies of scratch; more bulks than that make each copy smaller, down to one unit per chunk.
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

/** Thrown for a plan whose scratch, `needed` bytes, exceeds the fast memory. */
export class MemoryExceeded extends CccError {
  readonly needed: Bytes;

  constructor(needed: Bytes, message: string) {
    super('limit', message);
    this.needed = needed;
  }
}

/**
 * Lowers a schedule to a plan in the requested number of bulks. With `auto`, the plan has one bulk or, if its scratch does not fit into the fast
 * memory then, a number of bulks with which it does.
 * @throws MemoryExceeded if the scratch does not fit
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

/** What scans over all links take, told before schedules are made. */
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { ChunkProgram } from './chunk-program.ts';

/** Operations on all chunks of all packets: beyond, more packets gain less than they cost to look at. */
const mostOperations = 25_000;

/** Packets that suit a size, and what they take. */
export interface Packets {
  readonly count: number;
  readonly seconds: Seconds;
}

/** Whether chips cannot send while they reduce: then those that are ahead hold up others. */
export function getsOutOfStep({ topology }: Routes): boolean {
  return topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/** Whether messages on some link pay for their latency one after the other. */
export function isBlocking({ topology }: Routes): boolean {
  return topology.links.some(({ occupancy }) => occupancy === 'blocking');
}

/** A chain through neighbours keeps in step by itself: each rank has one to wait for and one that waits. */
export function isChain(programs: readonly ChunkProgram[], { topology }: Routes): boolean {
  return (
    programs.length === 1 && programs[0].stages < topology.chips.length && programs[0].messages < topology.chips.length
  );
}

/** What a scan in packets takes of the machine. */
export interface Held {
  /** For how long what is busiest is held, and what is usual: H and h, in seconds for each byte. */
  readonly longest: number;
  readonly mostly: number;
  /** Of a message, with what it waits for: α. */
  readonly latency: Seconds;
  /** Bulks do what more packets would than may be written out. */
  readonly isInBulks?: boolean;
}

/**
 * Packets follow each other stage by stage: k of them, of s stages each, take k(α + H·M/k) on what is busiest and (s − 1)(α + h·M/k) for the other
 * stages. That is least at k = √((s − 1)·h·M/α).
 */
export function inPackets(programs: readonly ChunkProgram[], held: Held, size: Bytes): Packets {
  const { longest, mostly, latency, isInBulks } = held;
  const others = Math.max(...programs.map(({ stages }) => stages)) - 1;
  const operations = programs.reduce((sum, program) => sum + program.operations.length, 0);
  const most = Math.max(1, Math.floor(mostOperations / operations));
  const best = latency === 0 ? most : Math.sqrt((others * mostly * size) / latency);
  const count = Math.max(1, Math.min(most, Math.round(best)));
  const reached = isInBulks ? Math.max(1, best) : count;
  return { count, seconds: (reached + others) * latency + (longest + (others * mostly) / reached) * size };
}

export function longestLatency({ topology }: Routes): Seconds {
  return topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
}

/** By rank: reductions of each byte of a message, on average over the chunks of a packet. */
export function reductionsOf(programs: readonly ChunkProgram[], ranks: number): Float64Array {
  const reductions = new Float64Array(ranks);
  for (const { kind, destination } of programs.flatMap(({ operations }) => operations))
    if (kind === 'reduce') reductions[destination] += 1 / programs.length;
  return reductions;
}

/** γ of the slowest chip, in bytes per second. */
export function leastThroughput({ topology: { chips, nodes } }: Routes): number {
  return Math.min(...chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY));
}

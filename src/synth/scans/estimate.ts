/** What scans over all links take, told before schedules are made. */
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { Problem } from '../engine.ts';
import type { ChunkProgram } from './chunk-program.ts';
import { limits } from './limits.ts';

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

/**
 * Packets follow each other stage by stage: k of them, of s stages each, take (k + s − 1)(α + l·M/k), with α for a message, and one more
 * for its handshake, and l for what the busiest link, and the reductions of the chip that has most of them where these exclude sending,
 * take of each byte. That is least at k = √((s − 1)·l·M/α).
 *
 * @param load seconds for which the busiest link is held for each byte
 * @param areInPackets packets are written out; else each is a bulk
 */
export function inPackets(
  programs: readonly ChunkProgram[],
  load: number,
  areInPackets: boolean,
  { routes, size }: Pick<Problem, 'routes' | 'size'>,
): Packets {
  const withHandshakes = getsOutOfStep(routes) && !isChain(programs, routes);
  const latency = longestLatency(routes) * (withHandshakes ? 2 : 1);
  const { chips, nodes } = routes.topology;
  const reductions = reductionsOf(programs, chips.length);
  const reducing = chips.map((chip, rank) => {
    const { reduce } = nodes[chip];
    return reduce === undefined || reduce.overlap ? 0 : reductions[rank] / reduce.throughput;
  });
  const held = (load + Math.max(...reducing)) * size;
  const { best, count, stages } = bestPackets(programs, held, latency);
  // Elsewhere bulks do what more packets would.
  const reached = withHandshakes || (areInPackets && isBlocking(routes)) ? count : Math.max(1, best);
  return { count, seconds: (reached + stages - 1) * (latency + held / reached) };
}

/**
 * The same where sends wait, so that no handshakes are needed, and not all stages are held for as long: k packets of s stages take
 * k(α + H/k) on what is held longest, and (s − 1)(α + h/k) for the other stages.
 *
 * @param longest, mostly H and h, in seconds for each byte
 */
export function inWaitingPackets(
  programs: readonly ChunkProgram[],
  { longest, mostly }: { readonly longest: number; readonly mostly: number },
  { routes, size }: Pick<Problem, 'routes' | 'size'>,
): Packets {
  const latency = longestLatency(routes);
  const { count, stages } = bestPackets(programs, mostly * size, latency);
  return { count, seconds: (count + stages - 1) * latency + longest * size + ((stages - 1) * mostly * size) / count };
}

/** The best number of packets, as a real number and as a whole one that is no more than may be written out; and the stages of each. */
function bestPackets(programs: readonly ChunkProgram[], held: Seconds, latency: Seconds) {
  const stages = Math.max(...programs.map((program) => program.stages));
  const operations = programs.reduce((sum, program) => sum + program.operations.length, 0);
  const most = Math.max(1, Math.floor(mostOperations / operations));
  const best = latency === 0 ? most : Math.sqrt(((stages - 1) * held) / latency);
  return { best, count: Math.max(1, Math.min(most, Math.round(best))), stages };
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

/** What two alltoalls take if all links carry the same, which no choice of ways can better. */
export function transposingAtLeast(routes: Routes, size: Bytes): Seconds {
  const { latency, perByte } = straight(routes);
  return 2 * Math.max(latency, perByte * size);
}

/** About what two alltoalls take by ways that a search finds: all links carry nearly the same. */
export function transposingByWays(routes: Routes, size: Bytes): Seconds {
  const { latency, perByte } = straight(routes);
  return 2 * limits.unevenness * (latency + perByte * size) + size / leastThroughput(routes);
}

/** The longest latency of an alltoall straight from rank to rank, and for how long links are held on average for each byte of a message. */
function straight(routes: Routes): { readonly latency: Seconds; readonly perByte: Seconds } {
  const { links, chips } = routes.topology;
  let [latency, held] = [0, 0];
  for (const from of chips.keys()) {
    for (const to of chips.keys()) {
      const route = from === to ? undefined : routes.between(from, to);
      for (const link of route?.links ?? []) held += 1 / links[link].bandwidth;
      latency = Math.max(latency, route?.latency ?? 0);
    }
  }
  return { latency, perByte: held / chips.length / links.length };
}

/** γ of the slowest chip, in bytes per second. */
export function leastThroughput({ topology: { chips, nodes } }: Routes): number {
  return Math.min(...chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY));
}

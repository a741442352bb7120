/** What scans over all links take, told before schedules are made. */
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { ChunkProgram } from './chunk-program.ts';

/** Operations on all chunks of all packets: beyond, more packets gain less than they cost to look at. */
const mostOperations = 25_000;

/** Packets that suit a size, and what they take. */
export interface PacketEstimate {
  readonly count: number;
  readonly seconds: Seconds;
}

/** Whether chips cannot send while they reduce: then those that are ahead hold up others. */
export function becomesUnsynchronised({ topology }: Routes): boolean {
  return topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/** A chain through neighbours keeps in step by itself: each rank has one to wait for and one that waits. */
export function isChain(programs: readonly ChunkProgram[], { topology }: Routes): boolean {
  return (
    programs.length === 1 && programs[0].stages < topology.chips.length && programs[0].messages < topology.chips.length
  );
}

/**
 * Packets follow each other stage by stage: k of them, of s stages each, take (k + s − 1)(α + l·M/k) where the busiest link is held for l seconds for
 * each byte. That is least at k = √((s − 1)·l·M/α). Bulks do what more packets would than may be written out.
 */
export function inPackets(
  programs: readonly ChunkProgram[],
  load: number,
  { topology }: Routes,
  size: Bytes,
): PacketEstimate {
  const latency = topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
  const others = Math.max(...programs.map(({ stages }) => stages)) - 1;
  const operations = programs.reduce((sum, program) => sum + program.operations.length, 0);
  const most = Math.max(1, Math.floor(mostOperations / operations));
  const best = latency === 0 ? most : Math.max(1, Math.sqrt((others * load * size) / latency));
  return {
    count: Math.max(1, Math.min(most, Math.round(best))),
    seconds: (best + others) * (latency + (load * size) / best),
  };
}

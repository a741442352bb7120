/** Estimates of the time of scans over all links, before any schedule is built. */
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { ChunkProgram } from './chunk-program.ts';

/** Maximum operations of all packets together: beyond it, more packets gain less than their evaluation costs. */
const mostOperations = 25_000;

/** The best number of packets for a message size, and the time with that number. */
export interface PacketEstimate {
  readonly count: number;
  readonly seconds: Seconds;
}

/** Whether some chip cannot send while it reduces: ranks that are ahead then delay others. */
export function becomesUnsynchronised({ topology }: Routes): boolean {
  return topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/** Whether the programs form a single chain through neighbours. It stays synchronised by itself, since each rank waits for only one other. */
export function isChain(programs: readonly ChunkProgram[], { topology }: Routes): boolean {
  return (
    programs.length === 1 && programs[0].stages < topology.chips.length && programs[0].messages < topology.chips.length
  );
}

/**
 * The best number of packets. k packets of s stages each take (k + s − 1)(α + l·M/k), where the busiest link is occupied for l seconds per
 * byte; that is minimal at k = √((s − 1)·l·M/α). If the limit of operations allows fewer packets, bulks make up for the rest.
 * @param load l, in seconds per byte of the message
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

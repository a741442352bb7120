/** Scans over all links of any machine: a few schemes side by side, so that the busiest link carries little more than it must. */
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { Candidate, Problem, Proposal } from '../engine.ts';
import { type ChunkProgram, programOf } from './chunk-program.ts';
import { hopsOf } from './hops.ts';
import { tell } from './merging.ts';
import { packedSchedule } from './packed-schedule.ts';
import { packSchemes } from './packing.ts';

/** On larger machines, alltoalls have fewer messages one after the other. */
const mostRanks = 32;
/** Chunks of a wave that are tried. */
const chunkCounts = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16] as const;
/** More chunks must gain so much. */
const worthwhile = 0.99;
/** Operations on all chunks of all waves: beyond, more waves gain less than they cost to look at. */
const mostOperations = 25_000;

/** What ranks do for the chunks of one wave, and what to expect of that. */
interface Packed {
  readonly programs: readonly ChunkProgram[];
  /** How many waves suit the size. */
  readonly waves: number;
  readonly seconds: Seconds;
}

export function* proposePacked(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks, size } = problem;
  const { kind, ranks } = collective;
  const name = 'packed chains';
  if (ranks < 3 || ranks > mostRanks) {
    const reason = `made for 3 to ${mostRanks} ranks, not ${ranks}`;
    return yield { kind: 'dismissed', dismissal: { name, reason } };
  }
  const hops = hopsOf(routes);
  const outOfStep = routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
  let best: Packed | undefined;
  for (const count of chunkCounts) {
    if (chunks !== undefined && chunks % count !== 0) continue;
    const { schemes, load } = packSchemes(kind, hops, count);
    const programs = schemes.map((scheme) => programOf(tell(scheme, ranks, kind === 'scan'), hops, kind === 'scan'));
    const packed = inWaves(programs, load, routes, size);
    if (best === undefined || packed.seconds < best.seconds * worthwhile) best = packed;
  }
  if (best === undefined) return;
  const { programs, waves } = best;
  if (!outOfStep) yield { kind: 'candidate', candidate: candidateOf(name, programs, problem, 1) };
  if (waves > 1 && chunks === undefined) {
    const candidate = candidateOf(`${name}, in waves`, programs, problem, waves);
    const inStep = (multiple: number) => ({ ...candidate.build(multiple), inStep: true as const });
    yield { kind: 'candidate', candidate: outOfStep ? { ...candidate, build: inStep } : candidate };
  }
}

/**
 * Waves follow each other stage by stage: k of them, of s stages each, take (k + s − 1)(α + l·M/k), with α for a message and l for
 * what the busiest link, and the reductions of the chip that has most of them where these exclude sending, take of each byte. That is
 * least at k = √((s − 1)·l·M/α).
 */
function inWaves(programs: readonly ChunkProgram[], load: number, { topology }: Routes, size: Bytes): Packed {
  const latency = topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
  const stages = programs.reduce((most, program) => Math.max(most, program.stages), 1);
  const operations = programs.reduce((sum, program) => sum + program.operations.length, 0);
  const held = (load + reducing(programs, topology)) * size;
  const most = Math.max(1, Math.floor(mostOperations / operations));
  const best = latency === 0 ? most : Math.sqrt(((stages - 1) * held) / latency);
  const waves = Math.max(1, Math.min(most, Math.round(best)));
  return { programs, waves, seconds: (waves + stages - 1) * (latency + held / waves) };
}

/** What the busiest chip reduces of each byte of a message, in seconds, where it neither sends nor receives meanwhile. */
function reducing(programs: readonly ChunkProgram[], { chips, nodes }: Routes['topology']): number {
  const seconds = chips.map((chip, rank) => {
    const { reduce } = nodes[chip];
    if (reduce === undefined || reduce.overlap) return 0;
    const reductions = programs.flatMap(({ operations }) =>
      operations.filter(({ kind, destination }) => kind === 'reduce' && destination === rank),
    );
    return reductions.length / programs.length / reduce.throughput;
  });
  return Math.max(...seconds);
}

function candidateOf(
  name: string,
  programs: readonly ChunkProgram[],
  { collective, chunks }: Problem,
  waves: number,
): Candidate {
  const least = (chunks ?? programs.length) * waves;
  return {
    name,
    origin: { engine: 'scans', schedule: name },
    build: (multiple) => packedSchedule(programs, { ...collective, chunks: least * multiple }, name),
  };
}

/**
 * Scans over all links of any machine: several schemes in parallel, one per chunk of a packet, chosen so that the busiest link carries
 * little more than the minimum (packing.ts).
 */
import { type Candidate, dismissed, type Problem, type Proposal } from '../engine.ts';
import { relativeTolerance } from '../limits.ts';
import { inLockStep } from '../reductions/in-step.ts';
import { type ChunkProgram, programOf } from './chunk-program.ts';
import { becomesUnsynchronised, inPackets, isChain, type PacketEstimate } from './estimate.ts';
import { hopsOf } from './hops.ts';
import { tellOfScheme } from './merging.ts';
import { packedSchedule } from './packed-schedule.ts';
import { Packer } from './packing.ts';

const limits = {
  /** Maximum ranks. With more, alltoalls need fewer consecutive messages; with more than half of it, packets are too many to write out. */
  ranks: 64,
  /** Work to derive the program of a packet, in operations of a plan per operation of the program. */
  workPerOperation: 0.5,
} as const;
/** Candidate numbers of chunks per packet. */
const chunkCounts = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16] as const;

/** The programs of one packet, and the estimated time. */
interface Packed {
  readonly programs: readonly ChunkProgram[];
  readonly packets: PacketEstimate;
}

/** Proposes the packed scan with the best number of chunks per packet, or dismisses it with the reason. */
export function* proposePacked(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks, size, incumbent = Number.POSITIVE_INFINITY, shouldStop } = problem;
  const { kind, ranks } = collective;
  const name = 'packed chains';
  if (ranks < 3 || ranks > limits.ranks) {
    const reason = `made for 3 to ${limits.ranks} ranks, not ${ranks}`;
    return yield dismissed(name, reason);
  }
  const isScan = kind === 'scan';
  const packer = new Packer(kind, hopsOf(routes), shouldStop);
  let best: Packed | undefined;
  let isOver = false;
  /** Load of the busiest link if there is a single chunk, in seconds per byte. Each of n chunks loads some link with about 1/n of it. */
  let single = 0;
  for (const count of chunkCounts) {
    if (isOver) break;
    const enough = Math.min(incumbent, best?.packets.seconds ?? Number.POSITIVE_INFINITY);
    const seconds =
      best === undefined ? (single / count) * size : inPackets(best.programs, single / count, routes, size).seconds;
    if ((chunks !== undefined && chunks % count !== 0) || seconds >= enough * (1 - relativeTolerance)) continue;
    const { schemes, load } = packer.packing(count);
    if (count === 1) single = load;
    if (schemes.length < count || load * size >= enough) continue;
    const programs = schemes.map((scheme) => programOf(tellOfScheme(scheme, ranks, isScan), ranks, isScan));
    const operations = programs.reduce((sum, program) => sum + program.operations.length, 0);
    isOver = shouldStop?.(operations * limits.workPerOperation) === true;
    const packets = inPackets(programs, load, routes, size);
    if (best === undefined || packets.seconds < best.packets.seconds) best = { programs, packets };
  }
  if (best === undefined) return yield dismissed(name, 'its busiest link alone takes longer than another plan');
  yield { kind: 'candidate', candidate: candidateOf(name, best, problem) };
}

/**
 * Chooses between packets and bulks. In packets everything that a link carries in a stage is one message; in bulks every message is sent
 * separately for each bulk. If links differ, stages wait for the slowest link, which bulks do not. Chips that cannot send while they reduce
 * must be synchronised, unless the program is a chain.
 */
function candidateOf(name: string, { programs, packets }: Packed, problem: Problem): Candidate {
  const { collective, chunks, routes } = problem;
  const { links } = routes.topology;
  const areAlike = links.every(({ occupancy }) => occupancy === links[0].occupancy);
  const areInPackets = chunks === undefined && areAlike && collective.ranks <= limits.ranks / 2;
  const least = (chunks ?? programs.length) * (areInPackets ? packets.count : 1);
  const build = (multiple: number) => packedSchedule(programs, { ...collective, chunks: least * multiple }, name);
  const candidate: Candidate = { name, origin: { engine: 'scans', schedule: name }, build };
  return becomesUnsynchronised(routes) && !isChain(programs, routes) ? inLockStep(candidate, 'scans') : candidate;
}

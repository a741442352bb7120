/**
 * Chains from rank to rank on machines whose chips cannot send while they reduce, where some rank is no neighbour of the next one and what
 * is between them goes over others.
 *
 * A chip that passes on what it does not reduce sends and receives without a pause: that it has still to reduce something of its own
 * makes nobody wait, and it finds no moment at which its links are idle. So sends wait until everything of the steps before has come and has been
 * reduced. Packets of chunks follow each other stage by stage, and bulks of packets: as many packets in a bulk as a chip passes on before it
 * reduces what belongs to the first.
 */
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Seconds } from '../../ir/units.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import type { ChunkOperation, ChunkProgram, Place } from './chunk-program.ts';
import { getsOutOfStep, transposingAtLeast } from './estimate.ts';
import { type Hops, hopsOf } from './hops.ts';
import { packedSchedule } from './packed-schedule.ts';
import { packChain } from './packing.ts';
import type { Scheme } from './scheme.ts';

/** With more ranks a pipeline of so many stages needs more bulks than it is worth. */
const mostRanks = 128;
const mostPackets = 64;
/** Packets in a bulk for each of those that a chip is ahead. */
const spare = 1.25;
/** What is likely to take so much longer than two alltoalls is not looked at. */
const hopeless = 1.15;

const input: Place = { buffer: 'input', slot: 0 };
const data: Place = { buffer: 'data', slot: 0 };

/** Returns what the chain promises to take in as many bulks as suit it, or infinity where none is made. */
export function* proposeChain(problem: Problem): Generator<Proposal, Seconds> {
  const { collective, routes, size, chunks } = problem;
  const { kind, ranks } = collective;
  const none = Number.POSITIVE_INFINITY;
  if (!getsOutOfStep(routes) || ranks < 3 || ranks > mostRanks || chunks !== undefined) return none;
  const hops = hopsOf(routes);
  const { schemes, load, messages } = packChain(hops);
  // Between neighbours the algorithms of the library do; and where a link has two messages of a packet, ranks get out of step.
  if (messages === ranks - 1 || load > hops.slowest * (1 + 1e-9)) return none;
  const name = 'chain over other ranks';
  const program = chainProgram(schemes[0], hops, kind === 'scan');
  const seconds = pipelined(program, load, problem);
  const transposing = transposingAtLeast(routes, size) + size * reducing(routes);
  if (problem.byName !== true && seconds > transposing * hopeless) {
    yield dismissed(name, 'two alltoalls are likely to take less');
    return none;
  }
  const packets = Math.ceil(lead(program, ranks) * spare);
  if (packets > mostPackets) {
    yield dismissed(name, `a bulk needs ${packets} packets to keep ranks in step, more than ${mostPackets}`);
    return none;
  }
  const build = (multiple: number): Schedule => {
    const schedule = packedSchedule([program], { ...collective, chunks: packets * multiple }, name);
    return { ...schedule, sendsWait: true };
  };
  yield { kind: 'candidate', candidate: { name, origin: { engine: 'scans', schedule: name }, build } };
  return seconds;
}

/** k packets in s stages: (k + s − 1)(α + M/k·(l + 1/γ)), least at k = √((s − 1)·M·(l + 1/γ)/α). */
function pipelined({ stages }: ChunkProgram, load: number, { routes, size }: Problem): Seconds {
  const latency = routes.topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
  return (Math.sqrt(size * (load + reducing(routes))) + Math.sqrt((stages - 1) * latency)) ** 2;
}

/** 1/γ of the slowest chip. */
function reducing({ topology: { chips, nodes } }: Routes): number {
  return Math.max(...chips.map((chip) => 1 / (nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY)));
}

/** Stages between the first and the last in which a rank has something to do. */
function lead({ operations }: ChunkProgram, ranks: number): number {
  const first = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(ranks).fill(Number.NEGATIVE_INFINITY);
  for (const { stage, part, source, destination } of operations) {
    if (part < 0) continue;
    for (const rank of [source, destination]) {
      first[rank] = Math.min(first[rank], stage);
      last[rank] = Math.max(last[rank], stage);
    }
  }
  return last.reduce((most, stage, rank) => Math.max(most, stage - first[rank]), 1);
}

/**
 * A scan's sums come together in place. An exscan's result is what comes, and the sum that goes on is made beside it, of a copy
 * of the input that is made before: in place the result takes its place.
 */
function chainProgram(scheme: Scheme, hops: Hops, isScan: boolean): ChunkProgram {
  const operations: ChunkOperation[] = [];
  const used = new Int32Array(hops.ranks);
  const slot = (rank: number): Place => ({ buffer: 'scratch', slot: used[rank]++ });
  let from = isScan ? data : input;
  let stage = 0;
  for (const tree of scheme.slice(0, hops.ranks - 1)) {
    const way = tree.hops.slice(1);
    for (const [index, hop] of way.entries()) {
      const { from: source, to: destination } = hops.all[hop];
      const isLast = index === way.length - 1;
      const to = isLast ? data : slot(destination);
      const kind = isLast && isScan ? 'reduce' : 'copy';
      stage++;
      operations.push({ stage, part: 0, source, destination, kind, order: 'received-first', from, to });
      from = to;
      if (!isLast || isScan || destination === hops.ranks - 1) continue;
      from = slot(destination);
      const ends = { source: destination, destination, order: 'received-first' } as const;
      operations.push({ stage, part: -1, ...ends, kind: 'copy', from: input, to: from });
      operations.push({ stage, part: 1, ...ends, kind: 'reduce', from: data, to: from });
    }
  }
  const messages = operations.filter(({ source, destination }) => source !== destination).length;
  return { operations, messages, scratch: Math.max(...used), stages: stage, parts: 3 };
}

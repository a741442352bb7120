/**
 * Chains from rank to rank on machines whose chips cannot send while they reduce, where some rank is no neighbour of the next one and what
 * is between them goes over others.
 *
 * A chip that passes on what it does not reduce sends and receives without a pause: that it has still to reduce something of its own
 * makes nobody wait, and it finds no moment at which its links are idle. So sends wait until everything of the steps before has come and has been
 * reduced. Packets of chunks follow each other stage by stage, and bulks of packets: as many packets in a bulk as a chip passes on before it
 * reduces what belongs to the first.
 */
import type { Schedule } from '../../ir/schedule.ts';
import type { Problem, Proposal } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import type { ChunkOperation, ChunkProgram, Place } from './chunk-program.ts';
import { getsOutOfStep } from './estimate.ts';
import { type Hops, hopsOf } from './hops.ts';
import { limits } from './limits.ts';
import { packedSchedule } from './packed-schedule.ts';
import { packChain } from './packing.ts';
import type { Scheme } from './scheme.ts';

const input: Place = { buffer: 'input', slot: 0 };
const data: Place = { buffer: 'data', slot: 0 };

export function* proposeChain(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks } = problem;
  const { kind, ranks } = collective;
  if (!getsOutOfStep(routes) || ranks < 3 || ranks > mostRanksFor.cubes || chunks !== undefined) return;
  const hops = hopsOf(routes);
  const { schemes, load, messages } = packChain(hops);
  // Between neighbours the algorithms of the library do; and where a link has two messages of a packet, ranks get out of step.
  if (messages === ranks - 1 || load > hops.slowest * (1 + 1e-9)) return;
  const name = 'chain over other ranks';
  const program = chainProgram(schemes[0], hops, kind === 'scan');
  const packets = Math.ceil(lead(program, ranks) * limits.spare);
  const build = (multiple: number): Schedule => {
    const schedule = packedSchedule([program], { ...collective, chunks: packets * multiple }, name);
    return { ...schedule, sendsWait: true };
  };
  yield { kind: 'candidate', candidate: { name, origin: { engine: 'scans', schedule: name }, build } };
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
      const { from: source, to: destination } = hops.arcs[hop];
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

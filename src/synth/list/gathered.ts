/**
 * Allreduce for short vectors: everyone gets everyone's vector and reduces on its own. That moves N times as many bytes as
 * there are, but in as many steps as an allgather takes; all ranks reduce in rank order, so all get the same bits, and the
 * operator need not commute.
 */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { addMoves, type Moves } from './spread.ts';

/**
 * Whether reducing where everything has been gathered could be faster than reducing on the way: it saves steps of at most the
 * greatest latency, and cannot move (N − 2) · M bytes more in that time if all links together do not.
 */
export function gatheringPays(topology: Topology, size: Bytes): boolean {
  const latency = topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
  const bandwidth = topology.links.reduce((sum, link) => sum + link.bandwidth, 0);
  return (ranksOf(topology) - 2) * size <= latency * bandwidth;
}

/** The allreduce that makes an allgather's moves in scratch, where rank r's vector lies at r · C. */
export function allreduceByGathering(
  moves: Moves,
  name: string,
  collective: Collective,
  chunksPerItem: number,
): Schedule {
  const { ranks, chunks } = collective;
  const builder = new StepsBuilder();
  for (let rank = 0; rank < ranks; rank++) {
    builder.add(local('copy', rank, piece('data', 0, 'scratch', rank * chunks, chunks)));
  }
  builder.endStep();
  addMoves(builder, moves, 'scratch', chunksPerItem);
  for (let rank = 0; rank < ranks; rank++) {
    builder.add(local('copy', rank, piece('scratch', 0, 'data', 0, chunks)));
  }
  builder.endStep();
  for (let rank = 0; rank < ranks; rank++) {
    for (let other = 1; other < ranks; other++) {
      builder.add(local('reduce', rank, piece('scratch', other * chunks, 'data', 0, chunks)));
    }
  }
  return { name, collective, scratch: ranks * chunks, commutative: false, ring: false, steps: builder.build() };
}

function piece(from: ScheduleBuffer, fromOffset: number, to: ScheduleBuffer, toOffset: number, count: number): Piece {
  return { from, fromOffset, to, toOffset, count };
}

function local(kind: Transfer['kind'], rank: number, only: Piece): Transfer {
  const pieces = [only];
  return { kind, source: rank, destination: rank, channel: 0, order: 'held-first', pieces, origin: undefined };
}

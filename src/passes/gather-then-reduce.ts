/**
 * Gather-then-reduce: if a schedule gathers all operands at a rank, the rank can combine them locally, in rank order. That moves more bytes than
 * combining along the route, but needs only the steps of the gathering schedule, and all ranks that combine the same operands get the same bits.
 */
import { type Collective, type CollectiveKind, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { cutPiece } from './pieces.ts';

/** The collective that gathers the operands of each reduction. */
export const gatheringKinds: Partial<Readonly<Record<CollectiveKind, 'allgather' | 'gather' | 'alltoall'>>> = {
  allreduce: 'allgather',
  scan: 'allgather',
  exscan: 'allgather',
  reduce: 'gather',
  reducescatter: 'alltoall',
};

/** A barrier combines nothing, but every rank must have received a message that depends on every other rank. */
const moveKinds: typeof gatheringKinds = { ...gatheringKinds, barrier: 'allgather' };

/**
 * Makes a schedule of a reduction: the steps of `move`, then every rank's local reductions.
 *
 * @param move an allgather (for allreduce, scan, exscan, barrier) or gather (for reduce) of the target's C chunks per rank, or an alltoall (for
 *   reducescatter) of its shards, with the same ranks and root
 * @throws CccError 'schedule' for any other move, or one that writes a rank's own shard
 */
export function gatherThenReduce(move: Schedule, target: Collective): Schedule {
  const { kind, chunks, ranks } = target;
  const fits =
    move.collective.kind === moveKinds[kind] && move.collective.ranks === ranks && move.collective.chunks === chunks;
  if (!fits) {
    throw new CccError('schedule', `${move.name} does not bring together what ${kind} of ${chunks} chunks combines`);
  }
  const builder = new StepsBuilder();
  const gathered = kind !== 'reducescatter';
  for (let step = 0; step < move.steps.stepCount; step++) {
    for (const transfer of move.steps.inStep(step))
      builder.add(gathered ? toScratch(transfer, move, target) : transfer);
    builder.endStep(move.steps.rounds[step]);
  }
  // Scratch holds the gathered operands, then the scratch of `move`, then the accumulator.
  const operands = gathered ? messageChunks(move.collective) : 0;
  const accumulator = operands + move.scratch;
  if (kind === 'reducescatter') foldShards(builder, target, accumulator);
  else if (kind !== 'barrier') foldGathered(builder, target, accumulator);
  return {
    name: move.name,
    collective: target,
    scratch: accumulator + chunks,
    commutative: false,
    ring: false,
    steps: builder.build(),
  };
}

/** Redirects the shards of other ranks to scratch, since `data` has no room for them. A rank's own shard is its input. */
function toScratch(transfer: Transfer, { name, collective }: Schedule, target: Collective): Transfer {
  const { chunks } = target;
  const own = ownBuffer(target);
  const operands = messageChunks(collective);
  const place = (rank: number, buffer: ScheduleBuffer, offset: number): readonly [ScheduleBuffer, number] => {
    if (buffer === 'scratch') return ['scratch', offset + operands];
    if (buffer === 'input') return [own, offset];
    return Math.floor(offset / chunks) === rank ? [own, offset - rank * chunks] : ['scratch', offset];
  };
  const pieces = transfer.pieces
    .flatMap((piece) => bySlot(piece))
    .map((piece): Piece => {
      const [from, fromOffset] = place(transfer.source, piece.from, piece.fromOffset);
      const [to, toOffset] = place(transfer.destination, piece.to, piece.toOffset);
      if (to === own) {
        throw new CccError('schedule', `${name} writes what a rank contributes itself: its result cannot be folded`);
      }
      return { from, fromOffset, to, toOffset, count: piece.count };
    });
  return { ...transfer, pieces };

  /** Cuts a piece at the boundaries between shards. */
  function bySlot(piece: Piece): Piece[] {
    const parts: Piece[] = [];
    for (let start = 0; start < piece.count; ) {
      const left = (buffer: ScheduleBuffer, offset: number) =>
        buffer === 'scratch' ? piece.count : chunks - ((offset + start) % chunks);
      const count = Math.min(piece.count - start, left(piece.from, piece.fromOffset), left(piece.to, piece.toOffset));
      parts.push(cutPiece(piece, start, count));
      start += count;
    }
    return parts;
  }
}

/**
 * The buffer in which a rank's contribution stays until the result replaces it. In an allreduce, which may be part of a larger one, that is its data.
 */
function ownBuffer({ kind }: Collective): ScheduleBuffer {
  return kind === 'allreduce' ? 'data' : 'input';
}

/** The buffer and first chunk of an operand of a local reduction. */
export type Operand = readonly [buffer: ScheduleBuffer, offset: number];

/** Adds the local reductions of all ranks: each combines all operands in rank order in the accumulator, and copies the result to its place. */
function foldGathered(builder: StepsBuilder, target: Collective, accumulator: number): void {
  const { kind, ranks, chunks, root } = target;
  const folding = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => kind !== 'reduce' || rank === root);
  const operandsOf = (rank: number): readonly Operand[] => {
    const last = kind === 'scan' ? rank : kind === 'exscan' ? rank - 1 : ranks - 1;
    return Array.from({ length: last + 1 }, (_, other) =>
      other === rank ? [ownBuffer(target), 0] : ['scratch', other * chunks],
    );
  };
  reduceOperands(builder, folding, { operandsOf, resultOf: () => 0, accumulator, count: chunks });
}

function foldShards(builder: StepsBuilder, { ranks, chunks }: Collective, accumulator: number): void {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const operands = all.map((other): Operand => ['data', other * chunks]);
  const resultOf = (rank: number) => rank * chunks;
  reduceOperands(builder, all, { operandsOf: () => operands, resultOf, accumulator, count: chunks });
}

/**
 * A local reduction of a rank: its operands in order, the chunk of scratch in which it accumulates, and the chunk of `data` for the result, if that
 * goes there.
 */
interface Fold {
  operandsOf(rank: number): readonly Operand[];
  resultOf?(rank: number): number;
  readonly accumulator: number;
  /** Chunks of each operand. */
  readonly count: number;
}

/** Adds the local reductions of some ranks, each on its own operands. */
export function reduceOperands(
  builder: StepsBuilder,
  folding: readonly number[],
  { operandsOf, resultOf, accumulator, count }: Fold,
): void {
  const local = (rank: number, kind: 'copy' | 'reduce', from: Operand, to: Operand): void => {
    const piece: Piece = { from: from[0], fromOffset: from[1], to: to[0], toOffset: to[1], count };
    const ends = { source: rank, destination: rank, channel: 0, order: 'held-first', origin: undefined } as const;
    builder.add({ kind, ...ends, pieces: [piece] });
  };
  const most = Math.max(0, ...folding.map((rank) => operandsOf(rank).length));
  const total: Operand = ['scratch', accumulator];
  for (let index = 0; index < most; index++) {
    for (const rank of folding) {
      const operands = operandsOf(rank);
      if (index < operands.length) local(rank, index === 0 ? 'copy' : 'reduce', operands[index], total);
    }
    builder.endStep();
  }
  if (resultOf === undefined) return;
  for (const rank of folding) {
    if (operandsOf(rank).length > 0) local(rank, 'copy', total, ['data', resultOf(rank)]);
  }
  builder.endStep();
}

/**
 * Scan by transposition: an alltoall sends part h of all vectors to rank h, which combines them in rank order, and a second alltoall returns the
 * parts of the results. Each rank performs an N-th of all reductions, and a chain of messages is at most two alltoalls long.
 */
import { type Collective, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { prune } from './prune.ts';

/**
 * Maximum number of ranks for which unneeded transfers are pruned. They are about an N-th of all transfers, and the time to find them grows with N.
 */
const mostRanksToPrune = 32;

/**
 * Makes the schedule of a scan or exscan. With up to 32 ranks, chunks on which no result depends are not sent.
 *
 * @param alltoall an alltoall for the same ranks with as many chunks in all as the target has; it uses data, scratch and input
 * @param atOnce whether every rank begins to combine only when all parts have arrived, and sends results only when it has combined all. On chips that
 *   cannot send while they reduce, a few ranks that reduce early would otherwise delay all others
 * @throws CccError 'schedule' for any other schedule or target
 */
export function transposeScan(alltoall: Schedule, target: Collective, atOnce = false): Schedule {
  checkFit(alltoall, target);
  const { ranks } = target;
  const shard = alltoall.collective.chunks;
  const results = 2 * alltoall.scratch;
  const builder = new StepsBuilder();
  const local = (kind: Transfer['kind'], from: Place, to: Place, count = shard): void => {
    const piece: Piece = { from: from[0], fromOffset: from[1], to: to[0], toOffset: to[1], count };
    for (let rank = 0; rank < ranks; rank++) {
      const ends = { source: rank, destination: rank, channel: 0, origin: undefined } as const;
      builder.add({ kind, ...ends, order: 'received-first', pieces: [piece] });
    }
  };
  if (target.kind === 'exscan') {
    for (let other = 0; other < ranks; other++) local('copy', ['input', other * shard], ['data', other * shard]);
    builder.endStep();
  }
  addMoves(builder, alltoall, (buffer, offset) => [buffer, offset]);
  const gathered = (other: number): Place => ['data', other * shard];
  const result = (other: number): Place => ['scratch', results + other * shard];
  const first = target.kind === 'scan' ? 0 : 1;
  // The result of an exscan at rank 0 is undefined, but if it is sent all the same, its slot must be initialised.
  if (target.kind === 'exscan') local('copy', gathered(0), result(0));
  const combined = (ranks - first) * shard;
  if (atOnce) local('copy', gathered(0), result(first), combined);
  for (let other = first; other < ranks; other++) {
    if (!atOnce) local('copy', gathered(other - first), result(other));
    builder.endStep();
    if (other > first) local('reduce', result(other - 1), result(other));
    builder.endStep();
  }
  if (atOnce) local('copy', result(first), gathered(first), combined);
  else for (let other = first; other < ranks; other++) local('copy', result(other), gathered(other));
  builder.endStep();
  addMoves(builder, alltoall, (buffer, offset) => {
    if (buffer === 'scratch') return [buffer, offset + alltoall.scratch];
    return buffer === 'input' ? ['scratch', results + offset] : [buffer, offset];
  });
  const whole: Schedule = {
    name: alltoall.name,
    collective: target,
    scratch: results + ranks * shard,
    commutative: false,
    ring: false,
    steps: builder.build(),
  };
  return ranks <= mostRanksToPrune ? prune(whole, 'pieces') : whole;
}

/** The buffer and first chunk of a shard. */
type Place = readonly [buffer: ScheduleBuffer, offset: number];

function checkFit({ name, collective, steps }: Schedule, target: Collective): void {
  const fits =
    (target.kind === 'scan' || target.kind === 'exscan') &&
    collective.kind === 'alltoall' &&
    collective.ranks === target.ranks &&
    messageChunks(collective) === target.chunks;
  if (!fits) {
    throw new CccError('schedule', `${name} does not transpose the ${target.chunks} chunks of a ${target.kind}`);
  }
  for (let t = 0; t < steps.transferCount; t++) {
    if (steps.transfer(t).pieces.some(({ from, to }) => from === 'output' || to === 'output' || to === 'input')) {
      throw new CccError('schedule', `${name} names its input or output as what a part of a schedule cannot have`);
    }
  }
}

function addMoves(
  builder: StepsBuilder,
  { steps }: Schedule,
  place: (buffer: ScheduleBuffer, offset: number) => Place,
): void {
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      const pieces = transfer.pieces.map((piece): Piece => {
        const [from, fromOffset] = place(piece.from, piece.fromOffset);
        const [to, toOffset] = place(piece.to, piece.toOffset);
        return { from, fromOffset, to, toOffset, count: piece.count };
      });
      builder.add({ ...transfer, pieces });
    }
    builder.endStep();
  }
}

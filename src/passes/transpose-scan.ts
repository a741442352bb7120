/**
 * Transpose, scan locally, transpose back. An alltoall brings piece h of all vectors to rank h, which combines them in rank order,
 * and a second one brings every rank the pieces of its result. Each rank reduces its N-th part of what must be reduced, and no
 * message waits for more than two alltoalls.
 */
import { type Collective, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { prune } from './prune.ts';

/** What no result depends on is about an N-th part of all, which is long to find and soon not worth it. */
const mostRanksToPrune = 32;

/**
 * The schedule of a scan or exscan. Of up to 32 ranks, what no result depends on is not sent.
 *
 * @param alltoall of as many chunks in all as the target has, for the same ranks; works on data, scratch and input
 * @param atOnce every rank begins to combine when all pieces have come, and sends results when it has combined all. Where chips cannot
 *   send while they reduce, a few that reduce early would hold up all others
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
  // Nobody needs what an exscan gives to rank 0, but where it is sent all the same there must be something.
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

/** Where one shard lies. */
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

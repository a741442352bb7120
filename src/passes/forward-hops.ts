/**
 * Routes messages between chips without a direct link over intermediate chips that store and forward them, instead of letting the hardware pass them
 * through.
 */
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';

/**
 * Sends every message hop by hop: a step becomes as many steps as its longest route has hops. Messages are stored in scratch in between.
 *
 * @param via the intermediate ranks between two ranks, in the order in which a message visits them; none for neighbours
 */
export function forwardHops(
  schedule: Schedule,
  via: (source: number, destination: number, channel: number) => readonly number[],
): Schedule {
  const { steps, collective } = schedule;
  const builder = new StepsBuilder();
  let scratch = schedule.scratch;
  for (let step = 0; step < steps.stepCount; step++) {
    // By rank: the chunks of scratch in use in this step; later steps may reuse them.
    const taken = new Int32Array(collective.ranks).fill(schedule.scratch);
    const ways = steps.inStep(step).map((transfer) => hopsOf(transfer, via, taken));
    const longest = ways.reduce((most, hops) => Math.max(most, hops.length), 0);
    for (let hop = 0; hop < longest; hop++) {
      for (const hops of ways) if (hop < hops.length) builder.add(hops[hop]);
      builder.endStep();
    }
    scratch = taken.reduce((most, end) => Math.max(most, end), scratch);
  }
  return { ...schedule, scratch, steps: builder.build() };
}

/** The hops of a message. The last one copies or reduces as the transfer does. */
function hopsOf(
  transfer: Transfer,
  via: (source: number, destination: number, channel: number) => readonly number[],
  taken: Int32Array,
): readonly Transfer[] {
  const { source, destination, channel } = transfer;
  if (source === destination) return [transfer];
  let held = { rank: source, pieces: transfer.pieces };
  const hops: Transfer[] = [];
  for (const rank of via(source, destination, channel)) {
    const there: Piece[] = held.pieces.map((piece) => {
      const toOffset = taken[rank];
      taken[rank] += piece.count;
      return { ...piece, to: 'scratch', toOffset };
    });
    hops.push({ ...transfer, kind: 'copy', source: held.rank, destination: rank, pieces: there });
    held = {
      rank,
      pieces: there.map((piece, index) => ({
        from: 'scratch',
        fromOffset: piece.toOffset,
        to: transfer.pieces[index].to,
        toOffset: transfer.pieces[index].toOffset,
        count: piece.count,
      })),
    };
  }
  return [...hops, { ...transfer, source: held.rank, pieces: held.pieces }];
}

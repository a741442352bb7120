/** Messages between chips without a direct link, stored and forwarded by the chips in between instead of passing through them. */
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';

/**
 * Sends every message hop by hop: a step becomes as many as its longest way has hops. What is on its way rests in scratch.
 *
 * @param via the ranks between two ranks, in the order in which a message meets them; none for neighbours
 */
export function forwardHops(
  schedule: Schedule,
  via: (source: number, destination: number, channel: number) => readonly number[],
): Schedule {
  const { steps, collective } = schedule;
  const builder = new StepsBuilder();
  let scratch = schedule.scratch;
  for (let step = 0; step < steps.stepCount; step++) {
    // Each rank's scratch that is taken in this step; the steps that follow may use it again.
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

/** The message's hops, the last of which does what the transfer does. */
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

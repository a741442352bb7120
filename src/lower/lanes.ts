/** The lanes of one rank: one for local operations on channel 0, one for those on each further channel, and one for each connection end. */
import type { Steps } from '../ir/schedule.ts';

/** The lane of local operations on channel 0; the others are numbered from 1 in the order of their first use. */
export const localLane = 0;

export interface LaneAssignment {
  readonly count: number;
  /** The lane of each transfer on this rank, by its position in the list of transfers of the rank. */
  readonly laneOf: Int32Array;
}

/** Gives every connection end of a rank its lane, so that sends and receives never wait for each other by lane order. */
export function assignLanes(steps: Steps, rank: number, transfers: Int32Array, ranks: number): LaneAssignment {
  const known = new Map<number, number>();
  const laneOf = new Int32Array(transfers.length);
  for (let i = 0; i < transfers.length; i++) {
    const t = transfers[i];
    const sends = steps.source[t] === rank;
    if (sends && steps.destination[t] === rank && steps.channel[t] === 0) {
      laneOf[i] = localLane;
      continue;
    }
    const peer = sends ? steps.destination[t] : steps.source[t];
    const key = (steps.channel[t] * ranks + peer) * 2 + (sends ? 0 : 1);
    let lane = known.get(key);
    if (lane === undefined) {
      lane = known.size + 1;
      known.set(key, lane);
    }
    laneOf[i] = lane;
  }
  return { count: known.size + 1, laneOf };
}

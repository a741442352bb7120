/** Time in steps of the shortest message: how many of them messages of one chunk take on each way, and hold it. */
import { type Bytes, noticeable, type Seconds } from '../../ir/units.ts';
import type { RoundsNetwork } from '../rounds/network.ts';
import type { Commodity } from '../rounds/problem.ts';

export interface Grid {
  readonly step: Seconds;
  /** By way, in steps: until a message has come, and until the next may start. */
  readonly takes: Int32Array;
  readonly holds: Int32Array;
}

/** @param bytes of a chunk @param isBlocking by way: whether its links are held until the message has come */
export function gridOf(
  { moving, latency, headStart }: RoundsNetwork,
  isBlocking: readonly boolean[],
  bytes: Bytes,
): Grid {
  const bytesTime = moving.map(([{ perByte }]) => bytes * perByte);
  const seconds = bytesTime.map((time, way) => latency - headStart[way] + time);
  const step = Math.min(...seconds);
  const steps = (time: Seconds): number => Math.max(1, Math.ceil(time / step - noticeable));
  return {
    step,
    takes: Int32Array.from(seconds, steps),
    holds: Int32Array.from(seconds, (time, way) => steps(isBlocking[way] ? time : bytesTime[way])),
  };
}

/** By rank, the steps after which a chunk of the commodity can be there at the soonest. */
export function soonest({ source = 0 }: Commodity, { from, to, ranks }: RoundsNetwork, { takes }: Grid): Float64Array {
  const after = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  after[source] = 0;
  for (let changes = true; changes; ) {
    changes = false;
    for (let way = 0; way < from.length; way++) {
      if (after[from[way]] + takes[way] >= after[to[way]]) continue;
      after[to[way]] = after[from[way]] + takes[way];
      changes = true;
    }
  }
  return after;
}

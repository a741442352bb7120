/**
 * The time at which workers (links of a cut, reduce engines) with given rates and start times have together done a
 * given amount.
 */
import type { Bytes, BytesPerSecond, Seconds } from '../ir/units.ts';

export interface BoundWorker {
  readonly rate: BytesPerSecond;
  readonly idle: Seconds;
}

/** Solves Σ rate·max(0, T − idle) = bytes for T. */
export function timeToFill(workers: readonly BoundWorker[], bytes: Bytes): Seconds {
  let rate = 0;
  let weighted = 0;
  let seconds = Number.POSITIVE_INFINITY;
  for (const worker of workers.toSorted((a, b) => a.idle - b.idle)) {
    if (worker.idle >= seconds) break;
    rate += worker.rate;
    weighted += worker.rate * worker.idle;
    seconds = (bytes + weighted) / rate;
  }
  return seconds;
}

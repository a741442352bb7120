/** When enough is done by what works at some rate each, after it has been idle for some time. */
import type { Bytes, BytesPerSecond, Seconds } from '../ir/units.ts';
import { sumOf } from './machine.ts';

export interface CheckedWorker {
  readonly rate: BytesPerSecond;
  readonly idle: Seconds;
}

/** The least T with Σ rate·max(0, T − idle) ≥ bytes, from below, by halving; 0 for no bytes, or if that is never. */
export function checkedTimeToFill(workers: readonly CheckedWorker[], bytes: Bytes): Seconds {
  const isEnough = (time: Seconds) => sumOf(workers.map(({ rate, idle }) => rate * Math.max(0, time - idle))) >= bytes;
  if (bytes === 0) return 0;
  let late = 1;
  while (!isEnough(late)) {
    late *= 2;
    if (!Number.isFinite(late)) return 0;
  }
  let early = 0;
  for (let round = 0; round < 200 && early < late; round++) {
    const middle = (early + late) / 2;
    if (middle <= early || middle >= late) break;
    if (isEnough(middle)) late = middle;
    else early = middle;
  }
  return early;
}

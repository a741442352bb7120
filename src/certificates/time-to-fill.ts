/** When resources that are idle at first and then work at constant rates have together moved a given number of bytes. */
import type { Bytes, BytesPerSecond, Seconds } from '../ir/units.ts';
import { sumOf } from './machine.ts';

export interface CheckedWorker {
  readonly rate: BytesPerSecond;
  readonly idle: Seconds;
}

/** The min T with Σ rate·max(0, T − idle) ≥ bytes, by bisection and rounded down, so that bounds stay valid; 0 for no bytes, or if no T suffices. */
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

/** Cleans the measured times of one plan under one protocol: removes measurements that do not concern it, and counts them by reason. */

import type { Bytes } from '../ir/units.ts';
import type { MeasuredTime } from './configuration.ts';
import { fitting } from './limits.ts';
import { median } from './statistics.ts';

/** Reasons for dropping a measurement. */
export type Dropped =
  | 'of no bytes'
  | 'of sizes that do not divide into the chunks'
  | 'of sizes that the file is not for (minBytes, maxBytes)'
  | 'in the column that the plan does not serve'
  | 'out of place, where those in place are taken'
  | 'spikes of over five times both neighbours'
  | 'longer than one and a half times what a larger size took';

/** One time, and whether it was taken in place, where that was said. */
export interface RawTime extends MeasuredTime {
  readonly inPlace: boolean | undefined;
}

export interface Served {
  /** Whether the plan is for in-place or out-of-place use; a time that states neither counts as one of the plan's. */
  readonly inPlace: boolean;
  readonly outOfPlace: boolean;
  /** The runtime runs another algorithm for sizes that are no multiple of this; undefined if the plan runs for every size. */
  readonly chunks: number | undefined;
  /** The range of sizes M for which the runtime uses the plan, both ends included; undefined for all sizes. */
  readonly messages?: { readonly least: Bytes; readonly most: Bytes } | undefined;
}

export interface Cleaned {
  /** For each size, in ascending order, the median of its repetitions. */
  readonly times: readonly MeasuredTime[];
  readonly dropped: ReadonlyMap<Dropped, number>;
  /** Number of measurements that were merged into the median of another one's size. */
  readonly repeated: number;
}

export function clean(raw: readonly RawTime[], served: Served): Cleaned {
  const dropped = new Map<Dropped, number>();
  const drop = (why: Dropped, count = 1): void => {
    if (count > 0) dropped.set(why, (dropped.get(why) ?? 0) + count);
  };
  const keep = (times: readonly RawTime[], why: Dropped, isKept: (time: RawTime) => boolean): readonly RawTime[] => {
    const kept = times.filter(isKept);
    drop(why, times.length - kept.length);
    return kept;
  };
  const { chunks = 1, messages: { least, most } = { least: 0, most: Number.POSITIVE_INFINITY } } = served;
  let kept = keep(raw, 'of no bytes', ({ size }) => size > 0);
  kept = keep(kept, 'of sizes that do not divide into the chunks', ({ size }) => size % chunks === 0);
  kept = keep(
    kept,
    'of sizes that the file is not for (minBytes, maxBytes)',
    ({ size }) => size >= least && size <= most,
  );
  kept = keep(kept, 'in the column that the plan does not serve', ({ inPlace }) =>
    inPlace === undefined ? true : inPlace ? served.inPlace : served.outOfPlace,
  );
  // For a plan with both uses, the in-place times are taken, as ccc also reads the in-place form of such a plan.
  if (kept.some(({ inPlace }) => inPlace === true)) {
    kept = keep(kept, 'out of place, where those in place are taken', ({ inPlace }) => inPlace !== false);
  }
  const bySize = new Map<number, number[]>();
  for (const { size, seconds } of kept) bySize.set(size, [...(bySize.get(size) ?? []), seconds]);
  const medians = [...bySize]
    .sort(([a], [b]) => a - b)
    .map(([size, seconds]): MeasuredTime => ({ size, seconds: median(seconds) }));
  const level = medians.filter((_, index) => !isSpike(medians, index));
  drop('spikes of over five times both neighbours', medians.length - level.length);
  const times = level.filter(({ seconds }, index) =>
    level.slice(index + 1).every((larger) => seconds <= fitting.downhill * larger.seconds),
  );
  drop('longer than one and a half times what a larger size took', level.length - times.length);
  return { times, dropped, repeated: kept.length - bySize.size };
}

function isSpike(times: readonly MeasuredTime[], index: number): boolean {
  const neighbours = [times[index - 1], times[index + 1]].filter((time) => time !== undefined);
  return neighbours.length === 2 && neighbours.every(({ seconds }) => times[index].seconds > fitting.spike * seconds);
}

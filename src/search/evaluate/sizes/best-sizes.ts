/** The sizes with which a schedule is fastest: a linear program, whose rows are found by simulation as they are needed. */

import { operationCount } from '../../../ir/plan.ts';
import type { Routes } from '../../../ir/routes.ts';
import { dataWindow, type Schedule } from '../../../ir/schedule.ts';
import { type Bytes, noticeable, type Seconds } from '../../../ir/units.ts';
import { lower } from '../../../lower/index.ts';
import { chainTime, type SizedRun, SizedRuns } from '../../../model/index.ts';
import { resize, type SizeClasses, sizeClasses } from '../../../passes/index.ts';
import { maxFailures } from '../../../synth/index.ts';
import type { EvaluationRequest } from '../evaluate-candidate.ts';
import { CuttingPlanes, type MinPoint } from './cutting-planes.ts';

/** Sizes for the classes of a schedule's chunks. */
export interface Sized {
  readonly sizing: Sizing;
  /** By class, as parts of a shard. */
  readonly parts: Float64Array;
  /** Simulated, with these very sizes. */
  readonly seconds: Seconds;
}

/** For what sizes are looked for, and what that may take. */
export interface SizeSearch {
  readonly routes: Routes;
  readonly size: Bytes;
  /** What takes as long is of no use. */
  readonly incumbent: Seconds;
  /** Takes so many operations that are simulated; false where they are not there any more. */
  readonly spend: (operations: number) => boolean;
}

/** The search ends where nothing more than this part of the time can be gained. */
const precision = 1e-4;
/** An operation is simulated in the time of about so many multiplications. */
const operationWork = 500;
/** Beyond so many classes the search takes long and gains little. */
const mostClasses = 48;

/** What may be simulated in all, until the time is up. */
export function workBudget(
  operations: number,
  { shouldStop, onSimulated }: Pick<EvaluationRequest, 'shouldStop' | 'onSimulated'>,
): SizeSearch['spend'] {
  let left = operations;
  return (work) => {
    if (work > left || shouldStop?.() === true) return false;
    left -= work;
    onSimulated?.(work);
    return true;
  };
}

/** A schedule's plan simulated with any sizes of its chunks. */
export class Sizing {
  readonly schedule: Schedule;
  readonly classes: SizeClasses;
  readonly operations: number;
  /** Of a shard, or of the message where there are none. */
  readonly shardBytes: Bytes;
  private readonly runs: SizedRuns;

  constructor(schedule: Schedule, classes: SizeClasses, { routes, size }: SizeSearch) {
    const { collective } = schedule;
    const inputs = Array.from({ length: collective.ranks }, (_, rank) => dataWindow(collective, rank).input);
    const classAt = (rank: number, slot: number): number => classes.of[inputs[rank] + slot];
    const plan = lower(schedule);
    this.schedule = schedule;
    this.classes = classes;
    this.operations = operationCount(plan);
    this.shardBytes = size / classes.shards.length;
    this.runs = new SizedRuns(plan, routes, classes.count, classAt);
  }

  /** @param parts by class, as parts of a shard */
  run(parts: Float64Array): SizedRun {
    return this.runs.run(parts.map((part) => part * this.shardBytes));
  }
}

/**
 * Times as functions of the sizes are the longest of many chains of operations, each linear in the sizes: as long as things happen
 * in the same order, a convex function. Each simulation yields the chains that bind there, which are planes below the function, and
 * the least point of all planes is where it is simulated next.
 *
 * @param alike all shards are cut in the same way
 * @returns undefined for collectives that cannot be cut, too many classes, and when there is no effort left
 */
export function bestSizes(schedule: Schedule, alike: boolean, search: SizeSearch): Sized | undefined {
  const classes = sizeClasses(schedule, alike);
  if (classes === undefined || classes.count > mostClasses) return undefined;
  const { count, shards } = classes;
  const sizing = new Sizing(schedule, classes, search);
  const { operations, shardBytes } = sizing;
  if (!search.spend(3 * operations)) return undefined;
  const planes = new CuttingPlanes(count, different(shards));
  let next: MinPoint = { value: 0, point: new Float64Array(count).fill(1 / schedule.collective.chunks) };
  let best = { parts: next.point, seconds: Number.POSITIVE_INFINITY };
  // Times are counted in the time of the first run, so that all numbers are of the order of 1.
  let unit: Seconds | undefined;
  for (;;) {
    const { seconds, chains } = sizing.run(next.point);
    const sizes = next.point.map((part) => part * shardBytes);
    unit ??= seconds;
    const scale = unit;
    if (seconds < best.seconds) best = { parts: next.point, seconds };
    const news = chains().filter((chain) => chainTime(chain, sizes) > next.value * scale * (1 + precision / 10));
    for (const { constant, perByte } of news) {
      planes.add(
        constant / scale,
        perByte.map((rate) => (rate * shardBytes) / scale),
      );
    }
    const before = planes.work;
    const least = news.length === 0 ? undefined : planes.least(20 * count + 100);
    if (least === undefined || best.seconds - least.value * scale < precision * best.seconds) break;
    if (!search.spend(2 * operations + Math.floor((planes.work - before) / operationWork))) break;
    next = least;
  }
  return { sizing, ...best };
}

/**
 * Leaves out what has no bytes, and then the smallest chunks one after the other, as long as that is faster: what the linear program does not see is
 * that a message of no bytes need not be sent.
 */
export function withoutSmall(given: Sized, search: SizeSearch): Sized {
  let best = fasterOf(given, without(given, emptyClasses(given), search));
  for (let failures = 0; failures < maxFailures; ) {
    const { parts } = best;
    const smallest = [...parts.keys()].sort((a, b) => parts[a] - parts[b] || a - b).slice(failures, failures + 1);
    const fewer = fasterOf(best, without(best, smallest, search));
    if (smallest.length === 0) break;
    if (fewer === best) failures++;
    else [best, failures] = [fewer, 0];
  }
  return best;
}

export function fasterOf(a: Sized, b: Sized | undefined): Sized {
  return b !== undefined && b.seconds < a.seconds ? b : a;
}

/** Classes of chunks that have no bytes. */
export function emptyClasses({ parts }: Sized): number[] {
  return [...parts.keys()].filter((of) => parts[of] < noticeable);
}

/** The schedule without these classes and with the best sizes of the others; undefined where there are none, or shards would differ. */
function without({ sizing }: Sized, gone: readonly number[], search: SizeSearch): Sized | undefined {
  const { schedule, classes } = sizing;
  const counts = new Int32Array(classes.count).fill(1);
  for (const of of gone) counts[of] = 0;
  const totals = classes.shards.map((shard) => shard.reduce((sum, of) => sum + counts[of], 0));
  if (gone.length === 0 || totals[0] === 0 || totals.some((total) => total !== totals[0])) return undefined;
  return bestSizes(resize(schedule, classes, counts), true, search);
}

/** Shards that are cut in the same way are one. */
function different(shards: readonly Int32Array[]): readonly Int32Array[] {
  return [...new Map(shards.map((shard) => [shard.join(' '), shard])).values()];
}

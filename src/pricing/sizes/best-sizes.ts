/** The sizes with which a schedule is fastest: a linear program, whose rows are found by simulation as they are needed. */
import { type Chain, timeOf } from '../../cost/index.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { type SizeClasses, sizeClasses } from '../../passes/index.ts';
import { CuttingPlanes } from './cutting-planes.ts';
import { Sizing } from './sizing.ts';
import type { WorkBudget } from './work-budget.ts';

/** A schedule with a size for each class of its chunks. */
export interface Sized {
  readonly schedule: Schedule;
  readonly classes: SizeClasses;
  /** By class, as parts of a shard. */
  readonly parts: Float64Array;
  /** Simulated, with these very sizes. */
  readonly seconds: Seconds;
  /** Simulated with other sizes. */
  secondsWith(parts: Float64Array): Seconds;
}

/** For what sizes are looked for, and what that may take. */
export interface SizeSearch {
  readonly routes: Routes;
  readonly size: Bytes;
  readonly effort: WorkBudget;
}

/** The search ends where nothing more than this part of the time can be gained. */
const precision = 1e-4;
/** An operation is simulated in the time of about so many multiplications. */
const operationWork = 500;
/** Beyond so many classes the search takes long and gains little. */
const mostClasses = 48;

/**
 * Times as functions of the sizes are the longest of many chains of operations, each linear in the sizes: as long as things happen
 * in the same order, a convex function. Each simulation yields the chains that bind there, which are planes below the function, and
 * the least point of all planes is where it is simulated next. Where another order makes it lower, planes that are above it go.
 *
 * @param alike all shards are cut in the same way
 * @returns undefined for collectives that cannot be cut, too many classes, and when there is no effort left
 */
export function bestSizes(schedule: Schedule, alike: boolean, { routes, size, effort }: SizeSearch): Sized | undefined {
  const classes = sizeClasses(schedule, alike);
  if (classes === undefined || classes.count > mostClasses) return undefined;
  const sizing = new Sizing(schedule, classes, routes, size);
  const search = new Search(sizing);
  const { operations } = sizing;
  if (!effort.spend(3 * operations)) return undefined;
  const { chunks } = schedule.collective;
  search.visit(new Float64Array(classes.count).fill(1 / chunks), 0);
  let paid = 0;
  while (search.goesOn && effort.spend(2 * operations + search.planesEffort - paid)) {
    paid = search.planesEffort;
    search.step();
  }
  const secondsWith = (parts: Float64Array): Seconds => sizing.run(parts).seconds;
  return { schedule, classes, parts: search.best, seconds: search.seconds, secondsWith };
}

class Search {
  best: Float64Array;
  seconds: Seconds = Number.POSITIVE_INFINITY;
  goesOn = true;
  private readonly sizing: Sizing;
  private readonly planes: CuttingPlanes;
  private readonly mostPivots: number;
  /** Times are counted in the time of the first run, so that all numbers are of the order of 1. */
  private unit: Seconds = 0;

  constructor(sizing: Sizing) {
    const { count, shards } = sizing.classes;
    this.sizing = sizing;
    this.planes = new CuttingPlanes(count, different(shards));
    this.mostPivots = 20 * count + 100;
    this.best = new Float64Array(count);
  }

  /** What searches of the planes have taken, in operations simulated. */
  get planesEffort(): number {
    return Math.floor(this.planes.work / operationWork);
  }

  step(): void {
    const { mostPivots, unit } = this;
    const least = this.planes.least(mostPivots);
    const promised = least === undefined ? 0 : this.seconds - least.value * unit;
    if (least === undefined || promised < precision * this.seconds) this.goesOn = false;
    else this.visit(least.point, least.value * unit);
  }

  /** Simulates with these sizes, which the planes say take `promised`. Planes below that would say nothing new. */
  visit(parts: Float64Array, promised: Seconds): void {
    const { seconds, chains, sizes } = this.sizing.run(parts);
    if (this.unit === 0) this.unit = seconds;
    const news = chains.filter((chain) => timeOf(chain, sizes) > promised * (1 + precision / 10));
    for (const chain of news) this.add(chain);
    this.goesOn = news.length > 0;
    this.planes.keepBelow(parts, seconds / this.unit);
    if (seconds >= this.seconds) return;
    this.seconds = seconds;
    this.best = parts;
  }

  private add({ constant, perByte }: Chain): void {
    this.planes.add(
      constant / this.unit,
      perByte.map((rate) => (rate * this.sizing.shardBytes) / this.unit),
    );
  }
}

/** Shards that are cut in the same way are one. */
function different(shards: readonly Int32Array[]): readonly Int32Array[] {
  return [...new Map(shards.map((shard) => [shard.join(' '), shard])).values()];
}

/**
 * Makes a given schedule faster on a machine: moves are tried one after the other, and what is proved and faster is kept. The
 * collective and what the algorithm is made of stay.
 */
import { compile } from '../compile/compile.ts';
import { lowerBound, simulate } from '../cost/index.ts';
import type { PlanBundle } from '../emit/index.ts';
import { convert } from '../files/convert.ts';
import type { Collective } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { type Dtype, dtypeBytes } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import type { Bound } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, counted, type Seconds } from '../ir/units.ts';
import { refine } from '../passes/index.ts';
import { type Priced, type PriceRequest, priceWithinLimits, tune, withBestSizes } from '../pricing/index.ts';
import { parseScheduleFile, type ScheduleRequest } from '../read/index.ts';
import { type Candidate, instantiate } from '../synth/index.ts';
import { type Move, moves } from './moves.ts';
import { scheduleInSteps } from './steps.ts';

export interface OptimizeRequest extends Omit<ScheduleRequest, 'ranks' | 'limits'> {
  readonly topology: Topology;
  readonly size: Bytes;
  readonly dtype: Dtype;
  readonly limits: Limits;
  /** False: the engines are not asked what they would find for the same collective. */
  readonly compare?: boolean | undefined;
  readonly shouldStop?: (() => boolean) | undefined;
  /** Told, after reading and each time that something helped, what the answer would be if the search ended there. */
  readonly onBest?: ((result: OptimizeResult) => void) | undefined;
}

/** Something that was done and kept. */
export interface Improvement {
  readonly what: string;
  /** Simulated time from then on. */
  readonly seconds: Seconds;
}

export interface OptimizeResult {
  /** The faster plan, or the one that was given where nothing helped. */
  readonly bundle: PlanBundle;
  readonly before: { readonly name: string; readonly seconds: Seconds; readonly bulks: number };
  readonly seconds: Seconds;
  readonly bound: Bound;
  /** In the order they were made; empty if nothing helped. */
  readonly improvements: readonly Improvement[];
  /** The best that the engines find for the same collective; undefined where they have nothing, or were not asked any more. */
  readonly engines: { readonly name: string; readonly seconds: Seconds } | undefined;
  /** There was no time to try everything, or to ask the engines. */
  readonly stoppedEarly: boolean;
  /** Why not everything was tried. */
  readonly notes: readonly string[];
}

/** Less of a gain is no improvement: the file is then left as it is. */
const worthwhile = 1 - 1e-6;
/** Rounds of all moves. */
const mostRounds = 4;

/**
 * Reads, proves and improves.
 * @throws CccError 'unproved' for a file that is wrong to begin with; whatever reading throws
 */
export async function optimize(source: SourceText, request: OptimizeRequest): Promise<OptimizeResult> {
  const { topology, dtype } = request;
  const routes = new Routes(topology);
  const given = (await convert(source, request)).bundle.proved;
  const { collective, name } = given.plan;
  // A barrier's messages carry one element, whatever the size of others.
  const size = collective.kind === 'barrier' ? dtypeBytes[dtype] : request.size;
  if (collective.ranks !== ranksOf(topology)) {
    const message = `${name} is for ${counted(collective.ranks, 'rank')}, but ${topology.name} has ${ranksOf(topology)}`;
    throw new CccError('usage', message);
  }
  const cost = simulate(given.plan, routes, size);
  const bound = lowerBound(collective, topology, size);
  const schedule = await scheduleIn(source, request, () => scheduleInSteps(given.plan));
  const resultOf = (
    { best, improvements, notes }: Search,
    engines: OptimizeResult['engines'],
    stoppedEarly: boolean,
  ): OptimizeResult => {
    const { proved, cost: after } = best ?? { proved: given, cost };
    const steps = improvements.map(({ what }) => what).join('; ');
    const origin = { engine: 'optimize', schedule: name, improvements: steps };
    const nowBound = lowerBound(proved.plan.collective, topology, size);
    return {
      bundle: { proved, topology, size, dtype, cost: after, bound: nowBound, origin },
      before: { name, seconds: cost.seconds, bulks: given.plan.bulks },
      seconds: after.seconds,
      bound,
      improvements: [...improvements],
      engines,
      stoppedEarly,
      notes: [...notes],
    };
  };
  const onBetter = (soFar: Search): void => request.onBest?.(resultOf(soFar, undefined, true));
  const search = new Search({ ...request, size }, routes, collective, cost.seconds, onBetter);
  onBetter(search);
  if (schedule !== undefined) {
    search.run(schedule);
    search.resize(schedule, bound.seconds);
  } else search.notes.push('the messages of this plan cannot be put in steps: nothing was tried');
  const hasToEnd = (): boolean => request.shouldStop?.() === true;
  if (hasToEnd() || request.compare === false) return resultOf(search, undefined, hasToEnd());
  return resultOf(search, enginesBest(collective, { ...request, size }), hasToEnd());
}

/** The schedule that a file holds; what holds a plan is put in steps again. */
async function scheduleIn(
  source: SourceText,
  request: OptimizeRequest,
  ofPlan: () => Schedule | undefined,
): Promise<Schedule | undefined> {
  switch (/\S/.exec(source.text)?.[0]) {
    case '<':
      return ofPlan();
    case '{': {
      const { isScclText, readSccl } = await import('../read/sccl/index.ts');
      return isScclText(source) ? readSccl(source, request) : ofPlan();
    }
    default:
      return instantiate(parseScheduleFile(source, request), { ...request, ranks: ranksOf(request.topology) });
  }
}

/** Keeps the best schedule so far and tries moves on it until none helps. */
class Search {
  best: Priced | undefined;
  readonly improvements: Improvement[] = [];
  readonly notes: string[] = [];
  private readonly request: PriceRequest;
  private readonly routes: Routes;
  private readonly onBetter: (soFar: Search) => void;
  private seconds: Seconds;

  constructor(
    request: OptimizeRequest,
    routes: Routes,
    collective: Collective,
    seconds: Seconds,
    onBetter: (soFar: Search) => void,
  ) {
    const { topology, size, limits, shouldStop } = request;
    this.request = { collective, topology, size, limits, shouldStop, bulks: 'auto' };
    this.routes = routes;
    this.seconds = seconds;
    this.onBetter = onBetter;
  }

  run(given: Schedule): void {
    let schedule = given;
    this.attempt(schedule, 'bulks and chunks for this size');
    for (let round = 0; round < mostRounds; round++) {
      const before = schedule;
      for (const move of moves) schedule = this.apply(move, schedule);
      if (schedule === before) return;
    }
  }

  /** Chunks of unequal size, in the end: whatever changes the schedule would want other sizes. */
  resize(given: Schedule, bound: Seconds): void {
    const { best, request, routes } = this;
    const outcome = best ?? priceWithinLimits(candidateOf(given), request, routes, Number.POSITIVE_INFINITY);
    if (outcome.kind === 'dismissed') return;
    const sized = withBestSizes([outcome], request, routes, bound);
    if (sized !== undefined) this.keep(sized, 'messages of unequal size');
  }

  /** The schedule that goes on: the move's best where it helps. */
  private apply(move: Move, schedule: Schedule): Schedule {
    const { routes } = this;
    const { size, shouldStop } = this.request;
    let kept = schedule;
    for (const variant of move.variants(schedule, { routes, size, shouldStop })) {
      if (shouldStop?.() === true) {
        this.notes.push('the search was ended: not everything was tried');
        return kept;
      }
      if (this.attempt(variant, move.name)) kept = variant;
    }
    return kept;
  }

  /** Proves and times a schedule, in one bulk or more; true where it is faster than all before. */
  private attempt(schedule: Schedule, what: string): boolean {
    const { request, routes } = this;
    const outcome = priceWithinLimits(candidateOf(schedule), request, routes, Number.POSITIVE_INFINITY);
    if (outcome.kind === 'dismissed') return false;
    const tuned = tune(outcome, request, routes, Math.min(this.seconds, outcome.cost.seconds));
    return this.keep(tuned, what);
  }

  private keep(found: Priced, what: string): boolean {
    if (found.cost.seconds >= this.seconds * worthwhile) return false;
    this.best = found;
    this.seconds = found.cost.seconds;
    const { bulks } = found.proved.plan;
    this.improvements.push({ what: bulks === 1 ? what : `${what}, in ${bulks} bulks`, seconds: this.seconds });
    this.onBetter(this);
    return true;
  }
}

function candidateOf(schedule: Schedule): Candidate {
  return {
    name: schedule.name,
    origin: { engine: 'optimize', schedule: schedule.name },
    build: (multiple) => refine(schedule, multiple),
  };
}

/** What `compile` would take, for comparison. */
function enginesBest(collective: Collective, request: OptimizeRequest): OptimizeResult['engines'] {
  const { topology, size, dtype, limits, shouldStop } = request;
  try {
    const { bundle } = compile({
      collective,
      topology,
      size,
      dtype,
      limits,
      shouldStop,
      bulks: 'auto',
      engine: 'auto',
      parameters: {},
      objective: 'time',
      seed: 0,
    });
    return { name: bundle.proved.plan.name, seconds: bundle.cost.seconds };
  } catch (error) {
    if (error instanceof CccError && (error.code === 'no-plan' || error.code === 'limit')) return undefined;
    throw error;
  }
}

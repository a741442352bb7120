/**
 * The portfolio: engines propose, every candidate is lowered, proved and priced, and those that could be the best run through the
 * pipeline depth that suits them. Ends early when nothing could be gained by going on, or when there is no more time.
 */
import type { Objective } from './comparing.ts';
import { CccError } from './ir/diagnostic.ts';
import type { Routes } from './ir/routes.ts';
import type { Seconds } from './ir/units.ts';
import {
  leastGain,
  leastLinkTime,
  type Outcome,
  type Priced,
  type PriceRequest,
  priceWithinLimits,
  tune,
  withBestSizes,
} from './pricing/index.ts';
import { type Dismissal, type Engine, engines, library, type Problem } from './synth/index.ts';
import { wholeChunkFactor } from './whole-chunks.ts';

/**
 * How near to its bound a plan keeps further engines from being asked, on machines of up to so many ranks: small ones take no
 * time to speak of, so that everything is tried; the larger the machine, the longer it takes to find the last percent.
 */
const nearEnough = [
  { ranks: 8, gain: 0 },
  { ranks: 16, gain: 0.001 },
  { ranks: 32, gain: 0.005 },
  { ranks: Number.POSITIVE_INFINITY, gain: 0.02 },
] as const;

/** Times that differ by less of themselves are the same. */
const rounding = 1e-9;

/** What is searched for, and with which engines. */
export interface PortfolioRequest
  extends PriceRequest,
    Omit<Problem, 'routes' | 'chunks' | 'collective' | 'algorithm' | 'byName'> {
  readonly collective: Problem['collective'];
  readonly algorithm?: string | undefined;
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly objective: Objective;
  /** Told after every candidate how many have been priced and what the best takes. */
  readonly onProgress?: ((priced: number, best: Seconds) => void) | undefined;
  /** Told what there is each time that a faster plan has been found. */
  readonly onBest?: ((soFar: PortfolioResult) => void) | undefined;
}

/** All that was tried; `priced` in the order it was proposed. */
export interface PortfolioResult {
  readonly priced: readonly Priced[];
  readonly dismissed: readonly Dismissal[];
  /** The limits that candidates exceeded. */
  readonly exceeded: readonly CccError[];
  /** There was no time for everything. */
  readonly stoppedEarly: boolean;
}

/** @throws CccError 'unknown-name' for an engine or algorithm nobody has */
export function searchPortfolio(request: PortfolioRequest, routes: Routes, bound: Seconds): PortfolioResult {
  const search = new Search(request, routes, bound);
  search.run();
  return search;
}

function chosenEngines(wanted: string): readonly Engine[] {
  if (wanted === 'auto') return engines.filter(({ onRequest }) => onRequest !== true);
  const chosen = engines.filter((engine) => engine.name === wanted);
  if (chosen.length > 0) return chosen;
  const names = engines.map((engine) => engine.name).join(', ');
  throw new CccError('unknown-name', `no engine is called '${wanted}'; there are: auto, ${names}`);
}

/** Asks the engines and prices what they propose, then looks for better pipeline depths, until there is no more time. */
class Search implements PortfolioResult {
  readonly priced: Priced[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly exceeded: CccError[] = [];
  stoppedEarly = false;
  private readonly request: PortfolioRequest;
  private readonly routes: Routes;
  /** Nothing can be faster, in chunks that cannot be divided if C is given. */
  private readonly bound: Seconds;
  private bestKnown: Seconds = Number.POSITIVE_INFINITY;

  constructor(request: PortfolioRequest, routes: Routes, bound: Seconds) {
    this.request = request;
    this.routes = routes;
    const { collective, topology, chunks } = request;
    this.bound = bound * (chunks === undefined ? 1 : wholeChunkFactor(collective.kind, topology, chunks));
  }

  run(): void {
    for (const engine of chosenEngines(this.request.engine)) {
      if (this.isWithin(this.enginesGain()) || this.isSettled(engine)) this.leaveOut(engine.name);
      else this.ask(engine);
      if (this.stoppedEarly) return;
    }
    const { request, routes } = this;
    const hopeful = [...this.priced.keys()].sort(
      (a, b) => leastLinkTime(this.priced[a], routes) - leastLinkTime(this.priced[b], routes) || a - b,
    );
    for (const index of hopeful) {
      if (this.isWithin(leastGain) || this.timeIsUp()) return;
      this.priced[index] = tune(this.priced[index], request, routes, this.bestKnown);
      this.note(this.priced[index]);
    }
    this.lookForSizes();
  }

  /** One more plan: the best ones with chunks of unequal size. Algorithms asked for by name stay as they are known. */
  private lookForSizes(): void {
    const { request, routes, bound } = this;
    if (request.objective !== 'time' || request.algorithm !== undefined || this.timeIsUp()) return;
    const sized = withBestSizes(this.priced, request, routes, bound);
    if (sized === undefined) return;
    this.priced.push(sized);
    this.note(sized);
  }

  private ask(engine: Engine): void {
    const { request, routes } = this;
    const { chunks, algorithm } = request;
    const problem: Problem = { ...request, routes, chunks, algorithm, byName: request.engine !== 'auto' };
    for (const proposal of engine.propose(problem)) {
      if (this.timeIsUp()) return;
      if (this.isWithin(Math.min(leastGain, this.enginesGain())) || this.isSettled(engine)) {
        if (proposal.kind === 'candidate') this.leaveOut(proposal.candidate.name);
        continue;
      }
      const outcome: Outcome =
        proposal.kind === 'candidate'
          ? priceWithinLimits(proposal.candidate, request, routes, this.bestKnown)
          : proposal;
      if (outcome.kind === 'priced') {
        this.priced.push(outcome);
        this.note(outcome);
      } else {
        this.dismissed.push(outcome.dismissal);
        if (outcome.exceeded !== undefined) this.exceeded.push(outcome.exceeded);
      }
    }
  }

  private note({ cost }: Priced): void {
    const isBest = cost.seconds < this.bestKnown;
    this.bestKnown = Math.min(this.bestKnown, cost.seconds);
    this.request.onProgress?.(this.priced.length, this.bestKnown);
    if (isBest) this.request.onBest?.(this);
  }

  /** What other engines must be able to gain to be asked; 0 if all are. */
  private enginesGain(): number {
    const { ranks } = this.request.collective;
    return nearEnough.find((row) => ranks <= row.ranks)?.gain ?? 0;
  }

  /** Nothing is faster than a plan that there is, and only textbook algorithms would be preferred to it. */
  private isSettled(engine: Engine): boolean {
    return engine.name !== library.name && this.request.exhaustive !== true && this.isWithin(rounding);
  }

  private isWithin(gain: number): boolean {
    return gain > 0 && this.request.objective === 'time' && this.bestKnown <= this.bound * (1 + gain);
  }

  private leaveOut(name: string): void {
    this.dismissed.push({ name, reason: 'not tried: another plan is at the bound or next to it' });
  }

  /** There must be a plan before the search may end. */
  private timeIsUp(): boolean {
    this.stoppedEarly ||= this.priced.length > 0 && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }
}

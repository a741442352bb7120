/**
 * The portfolio: engines propose, every candidate is lowered, proved and priced, and those that could be the best run through the
 * pipeline depth that suits them. Ends early when nothing could be gained by going on, or when there is no more time.
 */
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { leastGain, leastLinkTime, priceWithinLimits, tune, withBestSizes } from '../pricing/index.ts';
import { type Candidate, type Engine, enginesNamed, type Proposal } from '../synth/index.ts';
import { QuickSearch } from './quick-search.ts';
import { type PortfolioRequest, type PortfolioResult, Search } from './search.ts';

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

/** @throws CccError 'unknown-name' for an engine or algorithm nobody has */
export function searchPortfolio(request: PortfolioRequest, routes: Routes, bound: Seconds): PortfolioResult {
  const { admits } = request;
  const asked = enginesNamed(request.engine);
  const chosen = admits === undefined ? asked : asked.map((engine) => admitting(engine, admits));
  const search =
    request.effort === 'quick'
      ? new QuickSearch(request, routes, bound, chosen)
      : new FullSearch(request, routes, bound, chosen);
  search.run();
  return search;
}

/** An engine that proposes only what is let in. */
function admitting(engine: Engine, admits: (candidate: Candidate) => boolean): Engine {
  return {
    ...engine,
    *propose(problem): Iterable<Proposal> {
      for (const proposal of engine.propose(problem)) {
        if (proposal.kind === 'dismissed' || admits(proposal.candidate)) yield proposal;
      }
    },
  };
}

/** Asks the engines and prices what they propose, then looks for better pipeline depths, until there is no more time. */
class FullSearch extends Search {
  private readonly engines: readonly Engine[];

  constructor(request: PortfolioRequest, routes: Routes, bound: Seconds, chosen: readonly Engine[]) {
    super(request, routes, bound);
    this.engines = chosen;
  }

  run(): void {
    for (const engine of this.engines) {
      if (this.isWithin(this.enginesGain()) || this.isSettled(engine)) this.leaveOut(engine.name);
      else this.ask(engine);
      if (this.stoppedEarly) return;
    }
    const rest = this.lastResort(this.engines);
    if (rest !== undefined) this.ask(rest, true);
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
    if (sized !== undefined) this.take(sized);
  }

  private ask(engine: Engine, byName?: true): void {
    const { request, routes } = this;
    for (const proposal of engine.propose(this.problem(byName))) {
      if (this.timeIsUp()) return;
      if (this.isWithin(Math.min(leastGain, this.enginesGain())) || this.isSettled(engine)) {
        if (proposal.kind === 'candidate') this.leaveOut(proposal.candidate.name);
      } else if (proposal.kind === 'candidate') {
        this.take(priceWithinLimits(proposal.candidate, request, routes, this.bestKnown));
      } else {
        this.take(proposal);
      }
    }
  }

  /** What other engines must be able to gain to be asked; 0 if all are. */
  private enginesGain(): number {
    const { ranks } = this.request.collective;
    return nearEnough.find((row) => ranks <= row.ranks)?.gain ?? 0;
  }
}

/**
 * Engines as nodes of the search: they are queried for one proposal at a time, first in a quick run, later in a thorough one that also
 * includes what the engine otherwise withholds.
 */
import { WorkBudgetExceeded } from '../ir/effort.ts';
import type { Seconds } from '../ir/units.ts';
import type { Engine, Problem, Proposal } from '../synth/index.ts';
import { proposed } from './refinements.ts';
import type { CandidateSearch } from './search.ts';
import { defaultEngineEstimate, estimateSpread, perProposal, workOfEngine } from './search-limits.ts';
import { type SearchNode, winsTies } from './search-node.ts';

/** Nodes for quick runs of all engines. Engines that search get a second, thorough run later. */
export function sourcesOf(search: CandidateSearch, engines: readonly Engine[]): readonly SearchNode[] {
  return engines.map((engine) => new Source(search, engine, false));
}

/** One run of an engine. */
class Source implements SearchNode {
  readonly name: string;
  readonly lowerBound = 0;
  readonly estimate: Seconds;
  readonly spread = estimateSpread.proposed;
  readonly isEngine = true;
  readonly isShown: boolean;
  readonly waits: boolean;
  readonly winsTies: boolean;
  private readonly search: CandidateSearch;
  private readonly engine: Engine;
  private readonly isThorough: boolean;
  /** Whether the user selected the engine by name or this is a thorough run: it then proposes what it otherwise withholds. */
  private readonly byName: boolean;
  /** Maximum work per proposal. */
  private readonly maxWorkPerProposal: number;
  private proposals: Iterator<Proposal> | undefined;
  /** Number of proposals so far, and the work spent on them. */
  private proposalCount = 0;
  private done = 0;
  /** Work since the last proposal. It is −∞ outside the engine's turns, since rebuilding a candidate later has no limit. */
  private pulled = 0;
  private readonly estimatedWork: number;
  /** Within one turn the engine continues with further proposals until it has done this much work. */
  private readonly turn: number;
  /** The smallest estimate among its proposals so far, in seconds. */
  private estimatedTime = Number.POSITIVE_INFINITY;

  /** @param likely the minimum time that is expected of its proposals, in seconds */
  constructor(search: CandidateSearch, engine: Engine, isThorough: boolean, likely: Seconds = 0) {
    const { request, routes, bound } = search;
    const { ranks } = request.collective;
    const { quick, thorough, turn } = workOfEngine;
    this.search = search;
    this.engine = engine;
    this.isThorough = isThorough;
    const isNamed = request.engine !== 'auto';
    this.byName = isThorough || isNamed;
    this.name = isThorough ? `${engine.name}, thoroughly` : engine.name;
    this.isShown = !isThorough;
    this.waits = isThorough;
    this.winsTies = winsTies(engine.name, ranks) && !isThorough;
    const estimate = engine.estimate?.({ ...request, routes });
    this.estimate = Math.max(likely, bound / (estimate?.boundShare ?? defaultEngineEstimate.boundShare));
    const work = estimate?.work ?? defaultEngineEstimate.workOfRank * ranks;
    this.estimatedWork = isThorough ? (work * thorough) / quick : work;
    const isUnlimited = isNamed && engine.searches !== true;
    this.maxWorkPerProposal = isUnlimited ? Number.POSITIVE_INFINITY : Math.max(isThorough ? thorough : quick, work);
    this.turn = estimate?.isImmediate === true ? Number.POSITIVE_INFINITY : turn;
  }

  /** Estimated work of the next turn. It grows with the number of proposals, since engines propose their best schedules first. */
  get work(): number {
    return (1 + this.proposalCount) * (this.proposalCount === 0 ? this.estimatedWork : this.done / this.proposalCount);
  }

  refine(): readonly SearchNode[] {
    const { search } = this;
    const before = search.spent;
    const end = before + this.turn;
    const found: SearchNode[] = [];
    try {
      while (!search.timeIsUp()) {
        this.pulled = 0;
        const next = this.next();
        if (next === undefined) return [...found, ...this.after()];
        this.proposalCount++;
        found.push(...this.prospectsOf(next));
        // Work before a dismissal also serves the next proposal, so the turn does not end there.
        if (next.kind === 'candidate' && search.spent >= end) return [...found, this];
      }
      return [...found, this];
    } catch (error) {
      if (!(error instanceof WorkBudgetExceeded)) throw error;
      return [...found, ...this.after()];
    } finally {
      this.pulled = Number.NEGATIVE_INFINITY;
      this.done += search.spent - before;
    }
  }

  private next(): Proposal | undefined {
    this.search.spend(perProposal);
    this.proposals ??= this.engine.propose(this.problem())[Symbol.iterator]();
    const { done, value } = this.proposals.next();
    return done === true ? undefined : value;
  }

  private prospectsOf(proposal: Proposal): readonly SearchNode[] {
    const { search } = this;
    if (proposal.kind === 'dismissed') {
      search.take(proposal);
      return [];
    }
    if (search.request.admits?.(proposal.candidate) === false) return [];
    const prospect = proposed(search, proposal.candidate);
    if (prospect === undefined) return [];
    this.estimatedTime = Math.min(this.estimatedTime, prospect.estimate);
    return [prospect];
  }

  private problem(): Problem {
    const { request, routes } = this.search;
    const { isThorough, byName } = this;
    const shouldStop = (work = 0) => this.shouldStop(work);
    const asked = { ...request, routes, byName, shouldStop };
    return isThorough ? { ...asked, effort: 'full' } : { ...asked, effort: 'quick', incumbent: this.search.expected() };
  }

  private shouldStop(work: number): boolean {
    const { search, maxWorkPerProposal } = this;
    search.spend(work);
    this.pulled += work;
    if (this.pulled > maxWorkPerProposal * workOfEngine.overdraft && search.hasChoice()) {
      // The exception abandons an engine; one that already has a complete candidate may catch it and return that. Resetting the count makes
      // the exception recur if the engine overdraws the limit once more.
      this.pulled = maxWorkPerProposal;
      throw new WorkBudgetExceeded();
    }
    return search.timeIsUp() || this.pulled >= maxWorkPerProposal;
  }

  private after(): readonly SearchNode[] {
    const { search, engine, isThorough, byName } = this;
    const knowsMore = engine.searches === true || (engine.holdsBack === true && !byName);
    return knowsMore && !isThorough ? [new Source(search, engine, true, this.likely)] : [];
  }

  /**
   * Expected time of a later thorough run: the best estimate among the proposals so far, but at most twice the engine's own estimate; the
   * latter if there were no proposals.
   */
  private get likely(): Seconds {
    return this.estimatedTime === Number.POSITIVE_INFINITY
      ? this.estimate
      : Math.min(this.estimatedTime, 2 * this.estimate);
  }
}

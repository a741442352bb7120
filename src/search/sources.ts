/** Engines as sources of prospects: asked for one proposal at a time, first quickly, then thoroughly and for all they know. */
import { WorkSpent } from '../ir/effort.ts';
import type { Seconds } from '../ir/units.ts';
import type { Engine, Problem, Proposal } from '../synth/index.ts';
import { type SearchNode, winsTies } from './prospect.ts';
import { proposed } from './refinements.ts';
import type { CandidateSearch } from './search.ts';
import { defaultEngineEstimate, estimateSpread, perProposal, workOfEngine } from './search-limits.ts';

/** Asked quickly; those that search are asked thoroughly later. */
export function sourcesOf(search: CandidateSearch, engines: readonly Engine[]): readonly SearchNode[] {
  return engines.map((engine) => new Source(search, engine, false));
}

/** An engine that has been asked, or will be. */
class Source implements SearchNode {
  readonly name: string;
  readonly floor = 0;
  readonly estimate: Seconds;
  readonly spread = estimateSpread.proposed;
  readonly isAsked = true;
  readonly isShown: boolean;
  readonly waits: boolean;
  readonly winsTies: boolean;
  private readonly search: CandidateSearch;
  private readonly engine: Engine;
  private readonly isThorough: boolean;
  /** The user asked for it by name, or it is asked for all it knows. */
  private readonly byName: boolean;
  /** Work that one proposal may take. */
  private readonly most: number;
  private proposals: Iterator<Proposal> | undefined;
  /** Proposals so far, and the work for them. */
  private asked = 0;
  private done = 0;
  /** Work since the last proposal; what candidates do when they are built once more has no limit. */
  private pulled = 0;
  private readonly promisedWork: number;
  /** In one turn it goes on to its next proposal until it has done so much. */
  private readonly turn: number;
  /** What the best proposal so far promises. */
  private promised = Number.POSITIVE_INFINITY;

  /** @param likely no less is expected of it */
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
    const promise = engine.promise?.({ ...request, routes });
    this.estimate = Math.max(likely, bound / (promise?.part ?? defaultEngineEstimate.part));
    const work = promise?.work ?? defaultEngineEstimate.workOfRank * ranks;
    this.promisedWork = isThorough ? (work * thorough) / quick : work;
    const isUnlimited = isNamed && engine.searches !== true;
    this.most = isUnlimited ? Number.POSITIVE_INFINITY : Math.max(isThorough ? thorough : quick, work);
    this.turn = promise?.atOnce === true ? Number.POSITIVE_INFINITY : turn;
  }

  /** The more it has proposed, the less is left. */
  get work(): number {
    return (1 + this.asked) * (this.asked === 0 ? this.promisedWork : this.done / this.asked);
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
        this.asked++;
        found.push(...this.prospectsOf(next));
        // What it does before it dismisses something it does for what comes next.
        if (next.kind === 'candidate' && search.spent >= end) return [...found, this];
      }
      return [...found, this];
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error;
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
    this.promised = Math.min(this.promised, prospect.estimate);
    return [prospect];
  }

  private problem(): Problem {
    const { request, routes } = this.search;
    const { isThorough, byName } = this;
    const shouldStop = (work = 0) => this.shouldStop(work);
    const asked = { ...request, routes, byName, shouldStop };
    return isThorough ? { ...asked, effort: 'full' } : { ...asked, effort: 'quick', toBeat: this.search.expected() };
  }

  private shouldStop(work: number): boolean {
    const { search, most } = this;
    search.spend(work);
    this.pulled += work;
    if (this.pulled > most * workOfEngine.overdraft && search.hasChoice()) {
      // Who has something to keep is told to end with it, and given up if that takes as much again.
      this.pulled = most;
      throw new WorkSpent();
    }
    return search.timeIsUp() || this.pulled >= most;
  }

  private after(): readonly SearchNode[] {
    const { search, engine, isThorough, byName } = this;
    const knowsMore = engine.searches === true || (engine.holdsBack === true && !byName);
    return knowsMore && !isThorough ? [new Source(search, engine, true, this.likely)] : [];
  }

  /** What the best of its proposals promised; others may be better. One that has proposed nothing has told nothing. */
  private get likely(): Seconds {
    return this.promised === Number.POSITIVE_INFINITY ? this.estimate : Math.min(this.promised, 2 * this.estimate);
  }
}

/** Engines as sources of prospects: asked for one proposal at a time, first quickly, then thoroughly and for all they know. */
import { type Effort, WorkSpent } from '../ir/effort.ts';
import type { Seconds } from '../ir/units.ts';
import type { Engine, Problem, Proposal } from '../synth/index.ts';
import type { Prospect } from './prospect.ts';
import { proposed } from './refinements.ts';
import type { Search } from './search.ts';
import { perProposal, spreads, usualPromise, workOfEngine } from './search-limits.ts';

/** How thoroughly an engine is asked. */
interface Thoroughness {
  readonly effort: Effort;
  /** For all it knows. */
  readonly byName: boolean;
  /** How many times as long it takes as a quick one. */
  readonly times: number;
  /** Work that one proposal may take. */
  readonly most: number;
}

const { quick, thorough } = workOfEngine;
const quickly: Thoroughness = { effort: 'quick', byName: false, times: 1, most: quick };
const thoroughly: Thoroughness = { effort: 'full', byName: true, times: thorough / quick, most: thorough };

export function sourcesOf(search: Search, engines: readonly Engine[]): readonly Prospect[] {
  const isNamed = search.request.engine !== 'auto';
  return engines.map((engine) => {
    if (!isNamed) return new Source(search, engine, quickly);
    const most = engine.searches === true ? quickly.most : Number.POSITIVE_INFINITY;
    return new Source(search, engine, { ...quickly, byName: true, most });
  });
}

/** An engine that has been asked, or will be. */
class Source implements Prospect {
  readonly name: string;
  readonly floor = 0;
  readonly estimate: Seconds;
  readonly spread = spreads.proposed;
  readonly isAsked = true;
  private readonly search: Search;
  private readonly engine: Engine;
  private readonly how: Thoroughness;
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

  constructor(search: Search, engine: Engine, how: Thoroughness, likely: Seconds = 0) {
    this.search = search;
    this.engine = engine;
    this.how = how;
    this.name = how.effort === 'full' ? `${engine.name}, thoroughly` : engine.name;
    const { request, routes } = search;
    const promise = engine.promise?.({ ...request, routes, chunks: request.chunks, algorithm: request.algorithm });
    this.estimate = Math.max(likely, search.bound / (promise?.part ?? usualPromise.part));
    this.promisedWork = (promise?.work ?? usualPromise.workOfRank * request.collective.ranks) * how.times;
    this.turn = promise?.atOnce === true ? Number.POSITIVE_INFINITY : workOfEngine.turn;
  }

  get isShown(): boolean {
    return this.how.times === 1;
  }

  get waits(): boolean {
    return this.how.times > 1;
  }

  get winsTies(): boolean {
    return this.engine.name === 'library' && this.search.request.collective.ranks <= 8 && this.how.times === 1;
  }

  /** The more it has proposed, the less is left. */
  get work(): number {
    return (1 + this.asked) * (this.asked === 0 ? this.promisedWork : this.done / this.asked);
  }

  refine(): readonly Prospect[] {
    const { search } = this;
    const before = search.spent;
    const end = before + this.turn;
    const found: Prospect[] = [];
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

  private prospectsOf(proposal: Proposal): readonly Prospect[] {
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
    const { chunks, algorithm } = request;
    const { effort, byName } = this.how;
    const toBeat = effort === 'quick' ? this.search.expected() : undefined;
    const shouldStop = (work = 0) => this.shouldStop(work);
    return { ...request, routes, chunks, algorithm, effort, byName, toBeat, shouldStop };
  }

  private shouldStop(work: number): boolean {
    const { search } = this;
    search.spend(work);
    this.pulled += work;
    const most = Math.max(this.how.most, this.promisedWork / this.how.times);
    if (this.pulled > most * workOfEngine.overdraft && search.hasChoice()) {
      // Who has something to keep is told to end with it, and given up if that takes as much again.
      this.pulled = most;
      throw new WorkSpent();
    }
    return search.timeIsUp() || this.pulled >= most;
  }

  private after(): readonly Prospect[] {
    const { search, engine, how } = this;
    const knowsMore = engine.searches === true || (engine.holdsBack === true && !how.byName);
    return how.effort === 'quick' && knowsMore ? [new Source(search, engine, thoroughly, this.likely)] : [];
  }

  /** What the best of its proposals promised; others may be better. One that has proposed nothing has told nothing. */
  private get likely(): Seconds {
    return this.promised === Number.POSITIVE_INFINITY ? this.estimate : Math.min(this.promised, 2 * this.estimate);
  }
}

/** What searches of the portfolio have in common: what they are asked, what they have found, and when there is nothing left to gain. */

import type { CccError } from '../ir/diagnostic.ts';
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import type { Outcome, Priced, PriceRequest } from '../pricing/index.ts';
import { type Candidate, type Dismissal, type Engine, library, type Problem } from '../synth/index.ts';
import type { Objective } from './comparing.ts';
import { wholeChunkFactor } from './whole-chunks.ts';

/** What is searched for, and with which engines. */
export interface PortfolioRequest
  extends PriceRequest,
    Omit<Problem, 'routes' | 'chunks' | 'collective' | 'algorithm' | 'byName' | 'shouldStop'> {
  readonly collective: Problem['collective'];
  readonly algorithm?: string | undefined;
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly objective: Objective;
  /** Candidates that it says no to are not tried. */
  readonly admits?: ((candidate: Candidate) => boolean) | undefined;
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

/** Times that differ by less of themselves are the same. */
const rounding = 1e-9;

/** A search under way. */
export abstract class Search implements PortfolioResult {
  readonly priced: Priced[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly exceeded: CccError[] = [];
  stoppedEarly = false;
  protected readonly request: PortfolioRequest;
  protected readonly routes: Routes;
  /** Nothing can be faster, in chunks that cannot be divided if C is given. */
  protected readonly bound: Seconds;
  protected bestKnown: Seconds = Number.POSITIVE_INFINITY;

  constructor(request: PortfolioRequest, routes: Routes, bound: Seconds) {
    this.request = request;
    this.routes = routes;
    const { collective, topology, chunks } = request;
    this.bound = bound * (chunks === undefined ? 1 : wholeChunkFactor(collective.kind, topology, chunks));
  }

  abstract run(): void;

  /** @param byName whether an engine is asked for all it knows, as one that the user names is */
  protected problem(byName = this.request.engine !== 'auto'): Problem {
    const { request, routes } = this;
    const { chunks, algorithm } = request;
    return { ...request, routes, chunks, algorithm, byName };
  }

  protected take(outcome: Outcome): void {
    if (outcome.kind === 'priced') {
      this.priced.push(outcome);
      this.note(outcome);
    } else {
      this.dismissed.push(outcome.dismissal);
      if (outcome.exceeded !== undefined) this.exceeded.push(outcome.exceeded);
    }
  }

  /** Textbook algorithms of many messages, which on large machines are the last resort; undefined where they are not needed. */
  protected lastResort(asked: readonly Engine[]): Engine | undefined {
    if (this.priced.length > 0 || this.exceeded.length === 0) return undefined;
    this.exceeded.length = 0;
    return asked.find(({ name }) => name === library.name);
  }

  protected note({ cost }: Priced): void {
    const isBest = cost.seconds < this.bestKnown;
    this.bestKnown = Math.min(this.bestKnown, cost.seconds);
    this.request.onProgress?.(this.priced.length, this.bestKnown);
    if (isBest) this.request.onBest?.(this);
  }

  /** Nothing is faster than a plan that there is, and only textbook algorithms would be preferred to it. */
  protected isSettled(engine: Engine): boolean {
    return engine.name !== library.name && this.request.exhaustive !== true && this.isWithin(rounding);
  }

  protected isWithin(gain: number): boolean {
    // A bound that a plan has disproved ends nothing.
    const holds = this.bestKnown >= this.bound * (1 - rounding);
    return holds && gain > 0 && this.request.objective === 'time' && this.bestKnown <= this.bound * (1 + gain);
  }

  protected leaveOut(name: string, reason = 'another plan is at the bound or next to it'): void {
    this.dismissed.push({ name, reason: `not tried: ${reason}` });
  }

  /** There must be a plan before the search may end. */
  protected timeIsUp(): boolean {
    this.stoppedEarly ||= this.priced.length > 0 && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }
}

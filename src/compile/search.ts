/**
 * One search for every effort: of all prospects the one that is expected to gain most for its work is refined, again and again, until the best plan is at
 * its bound, nothing could be better, or the budget is spent. Only when to end depends on the budget, so a larger one never finds less.
 */
import type { CccError } from '../ir/diagnostic.ts';
import { budgetFactor } from '../ir/effort.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import { rounding, type Seconds } from '../ir/units.ts';
import type { Outcome, Priced } from '../pricing/index.ts';
import type { Candidate, Dismissal, Engine } from '../synth/index.ts';
import { gainOf, type Prospect } from './prospect.ts';
import { type Budget, budgets, finishing, spreads } from './search-limits.ts';
import type { SearchRequest, SearchState } from './search-state.ts';
import { sourcesOf } from './sources.ts';
import { wholeChunkFactor } from './whole-chunks.ts';

const stages = [finishing.quick, finishing.full];

export class Search implements SearchState {
  readonly priced: Priced[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly exceeded: CccError[] = [];
  stoppedEarly = false;
  readonly request: SearchRequest;
  readonly routes: Routes;
  readonly bound: Seconds;
  /** What the best plan takes. */
  best: Seconds = Number.POSITIVE_INFINITY;
  private prospects: Prospect[] = [];
  private readonly seen = new Set<string>();
  private readonly budget: Budget;
  /** Work done so far, in operations, and how many of them count as one. */
  spent = 0;
  private readonly factor: number;
  /** How often what had begun was finished first. */
  private finished = 0;

  /** @param budget what the effort of the request is worth, unless another one is given */
  constructor(
    request: SearchRequest,
    routes: Routes,
    bound: Seconds,
    engines: readonly Engine[],
    budget: Budget = budgets[request.effort ?? 'full'],
  ) {
    const { collective, topology, chunks } = request;
    this.request = request;
    this.routes = routes;
    this.budget = budget;
    this.bound = bound * (chunks === undefined ? 1 : wholeChunkFactor(collective.kind, topology, chunks));
    this.factor = budgetFactor(collective.ranks);
    this.prospects.push(...sourcesOf(this, engines));
  }

  run(): void {
    while (!this.timeIsUp()) {
      const next = this.takeNext();
      if (next === undefined) break;
      this.prospects.push(...next.refine());
    }
    if (this.request.exhaustive === true && this.request.effort !== 'quick') this.showOthers();
    for (const { name, isAsked, isCandidate } of this.prospects) {
      if (isAsked === true || isCandidate === true) {
        this.dismissed.push({ name, reason: 'not tried: little is to be gained for its work' });
      }
    }
  }

  /** Textbook algorithms and others that cannot be the best, to be shown. */
  private showOthers(): void {
    for (const prospect of this.prospects) {
      if (this.timeIsUp()) return;
      if (prospect.isShown === true) this.prospects.push(...prospect.refine());
    }
    this.prospects = this.prospects.filter(({ isShown }) => isShown !== true);
  }

  take(outcome: Outcome): void {
    if (outcome.kind === 'priced') {
      this.priced.push(outcome);
      this.note(outcome);
    } else {
      this.dismissed.push(outcome.dismissal);
      if (outcome.exceeded !== undefined) this.exceeded.push(outcome.exceeded);
    }
  }

  replace(index: number, better: Priced): void {
    this.priced[index] = better;
    this.note(better);
  }

  spend(work: number): void {
    this.spent += work / this.factor;
  }

  hasSeen({ name }: Candidate, { steps }: Schedule): boolean {
    const key = `${name} ${fingerprint(steps)}`;
    if (this.seen.has(key)) return true;
    this.seen.add(key);
    return false;
  }

  hasChoice(): boolean {
    return this.hasPlan() || this.prospects.some(({ isCandidate }) => isCandidate === true);
  }

  hasPlan(): boolean {
    return this.priced.length > 0;
  }

  timeIsUp(): boolean {
    this.stoppedEarly ||= this.hasPlan() && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }

  toBeat(): Seconds {
    return this.request.objective === 'time' ? this.best : Number.POSITIVE_INFINITY;
  }

  expected(): Seconds {
    return this.prospects.reduce(
      (least, { isCandidate, estimate, spread }) =>
        isCandidate === true ? Math.min(least, estimate * (1 + 2 * spread)) : least,
      this.best,
    );
  }

  private note({ cost }: Priced): void {
    const isBest = cost.seconds < this.best;
    this.best = Math.min(this.best, cost.seconds);
    this.request.onProgress?.(this.priced.length, this.best);
    if (isBest) this.request.onBest?.(this);
  }

  /** What is refined next; undefined when the search is over. */
  private takeNext(): Prospect | undefined {
    this.dropHopeless();
    const open = this.prospects.filter((prospect) => this.mayBeBest(prospect));
    const next = this.hasPlan() ? this.mostGainful(open) : this.nearestToPlan(open);
    if (next !== undefined) this.prospects.splice(this.prospects.indexOf(next), 1);
    return next;
  }

  private dropHopeless(): void {
    const isShown = this.request.exhaustive === true;
    this.prospects = this.prospects.filter((prospect) => {
      const isKept = this.mayBeBest(prospect) || (isShown && prospect.isShown === true);
      if (!isKept) this.leaveOut(prospect);
      return isKept;
    });
  }

  /**
   * While that is finished which was begun, nothing else, and of that what gains most: there is hardly room for a second one. Where the work is spent or
   * nothing gains enough, what would be preferred to an equal plan.
   */
  private mostGainful(open: readonly Prospect[]): Prospect | undefined {
    const toBeat = this.toBeat();
    const isFinishing = this.isFinishing(toBeat);
    const isSpent = this.spent >= this.budget.most && !isFinishing;
    const { gain, prospect } = this.greatestGain(
      isSpent ? [] : isFinishing ? open.filter((one) => this.isLast(one, toBeat)) : open,
      toBeat,
      isFinishing ? () => 1 : workOf,
    );
    if (gain >= this.budget.leastGain) return prospect;
    return this.greatestGain(
      open.filter(({ winsTies }) => winsTies === true),
      toBeat,
      workOf,
    ).prospect;
  }

  /**
   * Without a plan that promises most, if a plan can be made of it at once; engines are asked in the order of what they promise for their work, none where
   * there is a choice by the time at which what has begun is finished.
   */
  private nearestToPlan(open: readonly Prospect[]): Prospect | undefined {
    const asks = this.spent < finishing.quick.from;
    const ready = open.filter(({ waits, isCandidate }) => waits !== true && (asks || isCandidate === true));
    const choice = ready.length > 0 ? ready : open;
    const timeOf = (prospect: Prospect): Seconds => Math.max(prospect.estimate, this.floorOf(prospect));
    const [first] = choice.toSorted((a, b) => timeOf(a) - timeOf(b) || a.work - b.work);
    if (first === undefined || first.isCandidate === true) return first;
    // Held against one that takes as much longer than the best of all promises as promises are off.
    return this.greatestGain(choice, (1 + spreads.proposed) * timeOf(first), workOf).prospect;
  }

  /** @param costOf what the gain of each is divided by */
  private greatestGain(
    prospects: readonly Prospect[],
    toBeat: Seconds,
    costOf: (prospect: Prospect) => number,
  ): { gain: number; prospect?: Prospect } {
    let best: { gain: number; prospect?: Prospect } = { gain: Number.NEGATIVE_INFINITY };
    // What an engine may propose is of use where it is better than what has been proposed.
    const promised = this.hasPlan() ? Math.min(toBeat, this.expected()) : toBeat;
    for (const prospect of prospects) {
      const rival = prospect.isAsked === true ? promised : toBeat;
      const gain = gainOf(prospect, rival, this.floorOf(prospect)) / costOf(prospect);
      if (gain > best.gain) best = { gain, prospect };
    }
    return best;
  }

  private leaveOut({ name, isAsked, isCandidate }: Prospect): void {
    const slower = 'keeps a link or a chip busy for longer than another one takes in all';
    if (isCandidate === true) this.dismissed.push({ name, reason: slower });
    if (isAsked === true) this.dismissed.push({ name, reason: 'not tried: another plan is at the bound' });
  }

  /** Whether what has begun is finished first; no more, once there is nothing of the kind. */
  private isFinishing(toBeat: Seconds): boolean {
    const now = stages.at(this.finished);
    if (now === undefined || !this.hasPlan() || this.spent < now.from) return false;
    const isOver = this.spent >= now.to || !this.prospects.some((prospect) => this.isLast(prospect, toBeat));
    if (isOver) this.finished++;
    return !isOver;
  }

  /** What is finished in the end: an engine's word is not enough, and it would not take as long as all before. */
  private isLast({ isAsked, estimate, work }: Prospect, toBeat: Seconds): boolean {
    return isAsked !== true && estimate < toBeat && work / this.factor <= this.spent;
  }

  /** Nothing made of a prospect is faster; a bound that a plan has disproved is none. */
  private floorOf({ floor }: Prospect): Seconds {
    return this.best < this.bound * (1 - rounding) ? floor : Math.max(floor, this.bound);
  }

  private mayBeBest(prospect: Prospect): boolean {
    const [floor, toBeat] = [this.floorOf(prospect), this.toBeat()];
    return prospect.winsTies === true ? floor <= toBeat * (1 + rounding) : floor < toBeat * (1 - rounding);
  }
}

function workOf({ work }: Prospect): number {
  return 1 + work;
}

/** Tells schedules of one name apart: FNV-1a over who sends what to whom, step by step. */
function fingerprint(steps: Steps): string {
  const { stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count } = steps;
  let hash = 0x811c9dc5;
  for (const column of [stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count]) {
    for (const value of column) hash = Math.imul(hash ^ value, 0x01000193);
  }
  return `${steps.stepCount} ${steps.transferCount} ${hash >>> 0}`;
}

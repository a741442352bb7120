/**
 * One search for every effort: of all prospects the one that is expected to gain most for its work is refined, again and again, until the best plan is at
 * its bound, nothing could be better, or the budget is spent. Only when to end depends on the budget, so a larger one never finds less.
 */
import type { CccError } from '../ir/diagnostic.ts';
import { budgetFactor } from '../ir/effort.ts';
import type { Routes } from '../ir/routes.ts';
import { fingerprint, type Schedule } from '../ir/schedule.ts';
import { rounding, type Seconds } from '../ir/units.ts';
import type { Candidate, Dismissal, Problem } from '../synth/index.ts';
import type { Objective } from './comparing.ts';
import type { EvaluatedCandidate, EvaluationOutcome, EvaluationRequest } from './evaluate/index.ts';
import { budgets, estimateSpread, type Stage } from './search-limits.ts';
import { gainOf, type SearchNode } from './search-node.ts';

/** What is searched for, and with which engines. */
export interface SearchRequest
  extends EvaluationRequest,
    Omit<Problem, 'routes' | 'collective' | 'byName' | 'shouldStop'> {
  readonly collective: Problem['collective'];
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly objective: Objective;
  /** Candidates that it says no to are not tried: what is lost without them is what they earn. */
  readonly admits?: ((candidate: Candidate) => boolean) | undefined;
  /** Told after every candidate how many have been priced and what the best takes. */
  readonly onProgress?: ((priced: number, best: Seconds) => void) | undefined;
  /** Told what there is each time that a faster plan has been found. */
  readonly onBest?: ((soFar: SearchResult) => void) | undefined;
}

/** All that was tried; `priced` in the order it was proposed. */
export interface SearchResult {
  readonly evaluated: readonly EvaluatedCandidate[];
  readonly dismissed: readonly Dismissal[];
  /** The limits that candidates exceeded. */
  readonly exceeded: readonly CccError[];
  /** There was no time for everything. */
  readonly stoppedEarly: boolean;
}

export class CandidateSearch implements SearchResult {
  readonly evaluated: EvaluatedCandidate[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly exceeded: CccError[] = [];
  stoppedEarly = false;
  readonly request: SearchRequest;
  readonly routes: Routes;
  /** Nothing can be faster. */
  readonly bound: Seconds;
  /** What the best plan takes. */
  best: Seconds = Number.POSITIVE_INFINITY;
  /** Work done so far, in operations of a plan, and how many of them count as one. */
  spent = 0;
  private readonly factor: number;
  private readonly stages: readonly Stage[];
  private openNodes: SearchNode[] = [];
  /** What cannot be the best, but is to be shown. */
  private readonly shown: SearchNode[] = [];
  private readonly seen = new Set<string>();
  /** The stages that are over. */
  private stagesDone = 0;

  /** @param stages what the effort of the request is worth, unless others are given */
  constructor(
    request: SearchRequest,
    routes: Routes,
    bound: Seconds,
    stages: readonly Stage[] = budgets[request.effort ?? 'full'],
  ) {
    const { collective } = request;
    this.request = request;
    this.routes = routes;
    this.stages = stages;
    this.bound = bound;
    this.factor = budgetFactor(collective.ranks);
  }

  /** @param prospects to begin with */
  run(prospects: readonly SearchNode[]): void {
    this.openNodes.push(...prospects);
    while (!this.timeIsUp()) {
      const next = this.takeNext();
      if (next === undefined) break;
      this.openNodes.push(...next.refine());
    }
    if (this.request.exhaustive === true && this.request.effort !== 'quick') this.showOthers();
    for (const { name, isEngine, isCandidate } of this.openNodes) {
      if (isEngine === true || isCandidate === true) {
        this.dismissed.push({ name, reason: 'not tried: little is to be gained for its work' });
      }
    }
  }

  /** Textbook algorithms and others that cannot be the best, to be shown. */
  private showOthers(): void {
    const all = [...this.shown, ...this.openNodes];
    for (const node of all) {
      if (this.timeIsUp()) return;
      if (node.isShown === true) all.push(...node.refine());
    }
    this.openNodes = all.filter(({ isShown }) => isShown !== true);
  }

  /** Takes note of a plan, or of why there is none. */
  take(outcome: EvaluationOutcome): void {
    if (outcome.kind === 'priced') this.replace(this.evaluated.length, outcome);
    else {
      this.dismissed.push(outcome.dismissal);
      if (outcome.exceeded !== undefined) this.exceeded.push(outcome.exceeded);
    }
  }

  /** The same candidate in a better plan. */
  replace(index: number, better: EvaluatedCandidate): void {
    this.evaluated[index] = better;
    const isBest = better.cost.seconds < this.best;
    this.best = Math.min(this.best, better.cost.seconds);
    this.request.onProgress?.(this.evaluated.length, this.best);
    if (isBest) this.request.onBest?.(this);
  }

  /** @param work in operations of a plan */
  spend(work: number): void {
    this.spent += work / this.factor;
  }

  /** Whether the same schedule has been proposed before. */
  hasSeen({ name }: Candidate, { steps }: Schedule): boolean {
    const key = `${name} ${fingerprint(steps)}`;
    const isKnown = this.seen.has(key);
    this.seen.add(key);
    return isKnown;
  }

  /** A plan, or something that one may be made of. */
  hasChoice(): boolean {
    return this.hasPlan() || this.openNodes.some(({ isCandidate }) => isCandidate === true);
  }

  private hasPlan(): boolean {
    return this.evaluated.length > 0;
  }

  /** There must be a plan before the search may end. */
  timeIsUp(): boolean {
    this.stoppedEarly ||= this.hasPlan() && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }

  /** What a plan must take less than to be of use: any where not the time decides. */
  incumbent(): Seconds {
    return this.request.objective === 'time' ? this.best : Number.POSITIVE_INFINITY;
  }

  /** What the best plan takes, or what has been proposed promises to take, if less. */
  expected(): Seconds {
    const promises = this.openNodes.filter(({ isCandidate }) => isCandidate === true);
    return Math.min(this.best, ...promises.map(({ estimate, spread }) => estimate * (1 + 2 * spread)));
  }

  /** What is refined next; undefined when the search is over. */
  private takeNext(): SearchNode | undefined {
    const open: SearchNode[] = [];
    for (const node of this.openNodes) {
      if (this.mayBeBest(node)) open.push(node);
      else if (this.request.exhaustive === true && node.isShown === true) this.shown.push(node);
      else this.leaveOut(node);
    }
    this.openNodes = open;
    const next = this.hasPlan() ? this.bestGainPerWork(open) : this.nearestToPlan(open);
    this.openNodes = open.filter((node) => node !== next);
    return next;
  }

  private leaveOut({ name, isEngine, isCandidate }: SearchNode): void {
    const slower = 'keeps a link or a chip busy for longer than another one takes in all';
    if (isCandidate === true) this.dismissed.push({ name, reason: slower });
    if (isEngine === true) this.dismissed.push({ name, reason: 'not tried: another plan is at the bound' });
  }

  /** What gains most for its work, stage by stage; after the last one, what would be preferred to an equal plan. */
  private bestGainPerWork(open: readonly SearchNode[]): SearchNode | undefined {
    const gain = this.gains(this.incumbent());
    for (; this.stagesDone < this.stages.length; this.stagesDone++) {
      const next = this.nextOf(this.stages[this.stagesDone], open, gain);
      if (next !== undefined) return next;
    }
    const preferred = open.filter(({ winsTies }) => winsTies === true);
    return greatest(preferred, (node) => gain(node) / (1 + node.work));
  }

  /**
   * What gains most for its work, of what gains enough and has room. If nothing has, what has been begun is finished, in the same order. Undefined when the stage
   * is over.
   */
  private nextOf(
    stage: Stage,
    open: readonly SearchNode[],
    gain: (node: SearchNode) => number,
  ): SearchNode | undefined {
    const { startLimit, maxWork, room, minGain, minGainOfEngine } = stage;
    const perWork = (node: SearchNode): number => gain(node) / (1 + node.work);
    const worth = open.filter((one) => perWork(one) >= (one.isEngine === true ? minGainOfEngine : minGain));
    const isFull = this.spent >= startLimit;
    const fitting = worth.filter(({ work }) => !isFull && this.spent + work / this.factor <= room);
    if (fitting.length > 0) return greatest(fitting, perWork);
    if (this.spent >= maxWork || (worth.length === 0 && !isFull)) return undefined;
    const begun = open.filter((one) => this.isLast(one) && gain(one) >= minGain);
    return greatest(begun, perWork);
  }

  /**
   * Without a plan that promises most, if a plan can be made of it at once; engines are asked in the order of what they promise for their work, none where
   * there is a choice by the time at which what has begun is finished.
   */
  private nearestToPlan(open: readonly SearchNode[]): SearchNode | undefined {
    const asks = this.spent < this.stages[0].startLimit;
    const ready = open.filter(({ waits, isCandidate }) => waits !== true && (asks || isCandidate === true));
    const choice = ready.length > 0 ? ready : open;
    const timeOf = (node: SearchNode): Seconds => Math.max(node.estimate, this.lowerBoundOf(node));
    const [first] = choice.toSorted((a, b) => timeOf(a) - timeOf(b) || a.work - b.work);
    if (first === undefined || first.isCandidate === true) return first;
    // Held against one that takes as much longer than the best of all promises as promises are off.
    const gain = this.gains((1 + estimateSpread.proposed) * timeOf(first));
    return greatest(choice, (node) => gain(node) / (1 + node.work));
  }

  /** What prospects are expected to gain. What an engine may propose is of use where it is better than what has been proposed. */
  private gains(incumbent: Seconds): (node: SearchNode) => number {
    const promised = this.hasPlan() ? Math.min(incumbent, this.expected()) : incumbent;
    return (node) => gainOf(node, node.isEngine === true ? promised : incumbent, this.lowerBoundOf(node));
  }

  /** What is finished in the end: an engine's word is not enough, and it would not take as long as all before. */
  private isLast({ isEngine, estimate, work }: SearchNode): boolean {
    return isEngine !== true && estimate < this.incumbent() && work / this.factor <= this.spent;
  }

  /** Nothing made of a prospect is faster; a bound that a plan has disproved is none. */
  private lowerBoundOf({ lowerBound }: SearchNode): Seconds {
    return this.best < this.bound * (1 - rounding) ? lowerBound : Math.max(lowerBound, this.bound);
  }

  private mayBeBest(node: SearchNode): boolean {
    const [floor, incumbent] = [this.lowerBoundOf(node), this.incumbent()];
    return node.winsTies === true ? floor <= incumbent * (1 + rounding) : floor < incumbent * (1 - rounding);
  }
}

/** The first of those of which most is expected. */
function greatest(prospects: readonly SearchNode[], gain: (node: SearchNode) => number): SearchNode | undefined {
  let [best, most]: [SearchNode | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const node of prospects) {
    const expected = gain(node);
    if (expected > most) [best, most] = [node, expected];
  }
  return best;
}

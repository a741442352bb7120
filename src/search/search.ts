/**
 * The best-first search over engines and candidates. It repeatedly refines the open node with the highest expected gain per unit of work,
 * until the incumbent meets the lower bound, no open node can improve on it, or the budget is spent. The budget decides only when the
 * search ends, so a larger budget never finds a worse plan. It is a heuristic: optimality is shown only if the incumbent meets the bound
 * (docs/searches.md).
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

/** What to search for, and with which engines. */
export interface SearchRequest
  extends EvaluationRequest,
    Omit<Problem, 'routes' | 'collective' | 'byName' | 'shouldStop'> {
  readonly collective: Problem['collective'];
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly objective: Objective;
  /** Filters candidates: those for which it returns false are not tried. Used to measure how much some candidates contribute. */
  readonly admits?: ((candidate: Candidate) => boolean) | undefined;
  /** Called after each evaluated candidate with the number evaluated so far and the incumbent's time in seconds. */
  readonly onProgress?: ((priced: number, best: Seconds) => void) | undefined;
  /** Called with every new incumbent. */
  readonly onBest?: ((soFar: SearchResult) => void) | undefined;
}

/** Everything that was tried; `evaluated` is in order of proposal. */
export interface SearchResult {
  readonly evaluated: readonly EvaluatedCandidate[];
  readonly dismissed: readonly Dismissal[];
  /** The limits that candidates exceeded. */
  readonly exceeded: readonly CccError[];
  /** Whether the search was stopped before it was complete. */
  readonly stoppedEarly: boolean;
}

/** The state of one search: open nodes, evaluated candidates, and the work spent. */
export class CandidateSearch implements SearchResult {
  readonly evaluated: EvaluatedCandidate[] = [];
  readonly dismissed: Dismissal[] = [];
  readonly exceeded: CccError[] = [];
  stoppedEarly = false;
  readonly request: SearchRequest;
  readonly routes: Routes;
  /** Lower bound on the time of any plan, in seconds. */
  readonly bound: Seconds;
  /** Time of the fastest plan so far; Infinity before there is one. */
  best: Seconds = Number.POSITIVE_INFINITY;
  /** Work spent so far, and how many operations of a plan count as one unit of it (more on machines of many ranks). */
  spent = 0;
  private readonly factor: number;
  private readonly stages: readonly Stage[];
  private openNodes: SearchNode[] = [];
  /** Nodes that cannot be the best but are shown in an exhaustive search. */
  private readonly shown: SearchNode[] = [];
  private readonly seen = new Set<string>();
  /** Number of completed stages. */
  private stagesDone = 0;

  /**
   * @param bound lower bound in seconds on the time of any plan
   * @param stages defaults to those of the request's effort
   */
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

  /**
   * Runs the search.
   * @param prospects the initial nodes
   */
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
        this.dismissed.push({ name, reason: 'not tried: the expected gain does not justify the work' });
      }
    }
  }

  /** Evaluates nodes that cannot be the best, so that they can be shown. */
  private showOthers(): void {
    const all = [...this.shown, ...this.openNodes];
    for (const node of all) {
      if (this.timeIsUp()) return;
      if (node.isShown === true) all.push(...node.refine());
    }
    this.openNodes = all.filter(({ isShown }) => isShown !== true);
  }

  /** Records an evaluated candidate, or the reason why it has no plan. */
  take(outcome: EvaluationOutcome): void {
    if (outcome.kind === 'priced') this.replace(this.evaluated.length, outcome);
    else {
      this.dismissed.push(outcome.dismissal);
      if (outcome.exceeded !== undefined) this.exceeded.push(outcome.exceeded);
    }
  }

  /** Replaces the plan of an evaluated candidate, and reports a new incumbent. */
  replace(index: number, better: EvaluatedCandidate): void {
    this.evaluated[index] = better;
    const isBest = better.cost.seconds < this.best;
    this.best = Math.min(this.best, better.cost.seconds);
    this.request.onProgress?.(this.evaluated.length, this.best);
    if (isBest) this.request.onBest?.(this);
  }

  /**
   * Charges work to the budget.
   * @param work in operations of a plan
   */
  spend(work: number): void {
    this.spent += work / this.factor;
  }

  /** Whether the same schedule under the same name was proposed before; records it. */
  hasSeen({ name }: Candidate, { steps }: Schedule): boolean {
    const key = `${name} ${fingerprint(steps)}`;
    const isKnown = this.seen.has(key);
    this.seen.add(key);
    return isKnown;
  }

  /** Whether there is a plan, or an open candidate that may become one. */
  hasChoice(): boolean {
    return this.hasPlan() || this.openNodes.some(({ isCandidate }) => isCandidate === true);
  }

  private hasPlan(): boolean {
    return this.evaluated.length > 0;
  }

  /** Whether the search must end now; never before there is a plan. */
  timeIsUp(): boolean {
    this.stoppedEarly ||= this.hasPlan() && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }

  /** Upper bound on useful plan times: the incumbent's time, or Infinity if the objective is not time. */
  incumbent(): Seconds {
    return this.request.objective === 'time' ? this.best : Number.POSITIVE_INFINITY;
  }

  /** Expected final time: the incumbent's time, or the estimate of an open candidate plus twice its uncertainty, if that is less. */
  expected(): Seconds {
    const promises = this.openNodes.filter(({ isCandidate }) => isCandidate === true);
    return Math.min(this.best, ...promises.map(({ estimate, spread }) => estimate * (1 + 2 * spread)));
  }

  /** Removes and returns the node to refine next; undefined if the search is over. Nodes that can no longer be the best are set aside. */
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
    const slower = 'would keep a link or a chip busy for longer than another candidate takes in total';
    if (isCandidate === true) this.dismissed.push({ name, reason: slower });
    if (isEngine === true)
      this.dismissed.push({ name, reason: 'not tried: another plan already reaches the lower bound' });
  }

  /** The open node with the highest expected gain per unit of work, stage by stage. After the last stage, only nodes that win ties. */
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
   * Returns the open node with the highest expected gain per unit of work among those above the stage's gain threshold that fit its budget.
   * If none fits, candidates already in progress are finished, in the same order. Undefined if the stage is over.
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
   * The next node while there is no plan: the one with the smallest estimate if it is a candidate; otherwise the node with the highest
   * expected gain per unit of work. Engines are no longer run once the first stage's `startLimit` is spent, if there is a candidate.
   */
  private nearestToPlan(open: readonly SearchNode[]): SearchNode | undefined {
    const asks = this.spent < this.stages[0].startLimit;
    const ready = open.filter(({ waits, isCandidate }) => waits !== true && (asks || isCandidate === true));
    const choice = ready.length > 0 ? ready : open;
    const timeOf = (node: SearchNode): Seconds => Math.max(node.estimate, this.lowerBoundOf(node));
    const [first] = choice.toSorted((a, b) => timeOf(a) - timeOf(b) || a.work - b.work);
    if (first === undefined || first.isCandidate === true) return first;
    // Gains are measured against a time that exceeds the best estimate by the typical error of estimates.
    const gain = this.gains((1 + estimateSpread.proposed) * timeOf(first));
    return greatest(choice, (node) => gain(node) / (1 + node.work));
  }

  /**
   * Returns the function of expected gains. An engine is measured against what candidates are already expected to reach, since its
   * proposals are useful only if they are better.
   */
  private gains(incumbent: Seconds): (node: SearchNode) => number {
    const promised = this.hasPlan() ? Math.min(incumbent, this.expected()) : incumbent;
    return (node) => gainOf(node, node.isEngine === true ? promised : incumbent, this.lowerBoundOf(node));
  }

  /**
   * Whether a node is finished at the end of a stage: it is not an engine, its estimate is below the incumbent, and its work does not
   * exceed all work spent so far.
   */
  private isLast({ isEngine, estimate, work }: SearchNode): boolean {
    return isEngine !== true && estimate < this.incumbent() && work / this.factor <= this.spent;
  }

  /**
   * The larger of the node's own lower bound and the global one. A global bound that the incumbent has disproved is ignored here;
   * `consistentBound` reports it at the end.
   */
  private lowerBoundOf({ lowerBound }: SearchNode): Seconds {
    return this.best < this.bound * (1 - rounding) ? lowerBound : Math.max(lowerBound, this.bound);
  }

  private mayBeBest(node: SearchNode): boolean {
    const [floor, incumbent] = [this.lowerBoundOf(node), this.incumbent()];
    return node.winsTies === true ? floor <= incumbent * (1 + rounding) : floor < incumbent * (1 - rounding);
  }
}

/** The node with the highest gain, the first one among equals. */
function greatest(prospects: readonly SearchNode[], gain: (node: SearchNode) => number): SearchNode | undefined {
  let [best, most]: [SearchNode | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const node of prospects) {
    const expected = gain(node);
    if (expected > most) [best, most] = [node, expected];
  }
  return best;
}

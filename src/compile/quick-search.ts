/**
 * The quick search: candidates in the order of what they promise, followed up at once where that is much and else in the end, if others
 * have not kept their promises, until a plan is near its bound or a budget is spent. The budget is counted in work, so that the same request gives the same plan on any machine.
 */
import { collectiveFacts, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { budgetFactor, transfersPerOperation, WorkSpent } from '../ir/effort.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Seconds } from '../ir/units.ts';
import {
  type Outcome,
  type PriceRequest,
  priceWithinLimits,
  probedWithBulks,
  scheduleEstimate,
  tune,
  tuningEstimate,
} from '../pricing/index.ts';
import { type Candidate, type Engine, library, type Proposal } from '../synth/index.ts';
import { areBoxes, inOrderOfPromise } from './engine-order.ts';
import { type PortfolioRequest, Search } from './search.ts';

/**
 * Work of all kinds, in operations of plans that are lowered, proved and simulated, after which nothing more is begun: on many ranks more
 * (`budgetFactor`), as all work that is counted below.
 */
const budget = 20_000;
/** The same while the best plan takes more than twice as long as its bound says. */
const budgetForMore = 24_000;
const far = 1;
/** The same, for what is begun, while the best plan takes so little more than its bound: what is tried then hardly ever finds a better one. */
const budgetIfNear = 10_000;
const near = 0.15;
/** What is under way is given up when so much more has been done; what is all but sure to be better may take more. */
const overdraft = 4_000;
const forTheBetter = 20_000;
/** In the end the most promising plan gets the bulks that suit it, where that takes no more than this; and more where it promises to be near the bound. */
const forTheLast = 12_000;
const forTheLastIfNear = 18_000;
/** A step of a search that asks whether to go on takes no more than this, mostly. */
const perStep = 1_500;
/** Textbook algorithms are read from files before anything is told of them. */
const perLibrary = 1_000;
/** What a candidate costs beside its operations, and what one costs that is seen to be slower from its messages. */
const perCandidate = 500;
const perGlance = 20;
/** Operations that a transfer becomes, at least about. */
const operationsPerTransfer = 2;
/** Textbook algorithms of so many transfers wait for what may be better: to price one may take much of the budget. */
const manyTransfers = 750;
/** Work that takes as long as lowering, proving and simulating one operation: operations × bulks simulated, and chunks followed. */
const simulatedPerOperation = 20;
const chunksPerOperation = 10;
/** The part of that work which is lowering. */
const lowering = 0.75;
/** A pipeline is so deep that simulating it takes what is left, but may have so many operations × bulks in any case. */
const leastSimulated = 80_000;
/** A plan so near to its bound ends the search. */
const nearEnough = 0.025;
/** Nothing is tried that cannot gain so much. */
const worthwhile = 0.015;
/** Promises, and what the first bulks of a pipeline tell, are mostly wrong by less. */
const uncertainty = 1.25;
/** What promises to be farther away than this in bulks is left in one while there is anything else to try. */
const promising = 0.5;
/** The same where the first bulks tell it. */
const promisingInBulks = 0.1;

/** A proposal and what it promises to take in as many bulks as suit it, told before it is lowered: 0 where it is dismissed. */
interface Rated {
  readonly proposal: Proposal;
  readonly seconds: Seconds;
}

/** What could become the best plan, and what it hardly takes less than: a candidate, or a plan in one bulk by its place among those that are priced. */
type Prospect =
  | { readonly stage: 'rated'; readonly seconds: Seconds; readonly candidate: Candidate }
  | ({ readonly stage: 'priced' | 'probed' } & Tunable);

interface Tunable {
  readonly seconds: Seconds;
  readonly index: number;
}

export class QuickSearch extends Search {
  private readonly engines: readonly Engine[];
  private readonly areBoxes: boolean;
  /** The request, with what is simulated to tune candidates charged to the budget. */
  private readonly charged: PriceRequest;
  private readonly prospects: Prospect[] = [];
  /** Work done so far, in operations, and how many of them count as one. */
  private spent = 0;
  private readonly factor: number;

  constructor(request: PortfolioRequest, routes: Routes, bound: Seconds, chosen: readonly Engine[]) {
    // What is priced only to be shown would be paid from the budget: then what is shown would change what is found.
    super({ ...request, exhaustive: false }, routes, bound);
    this.areBoxes = areBoxes(request.topology);
    this.engines = inOrderOfPromise(chosen, request);
    this.factor = budgetFactor(request.collective.ranks);
    const onSimulated = (operations: number) => {
      this.spend(operations / simulatedPerOperation);
    };
    this.charged = { ...this.request, onSimulated };
  }

  run(): void {
    for (const engine of this.engines) {
      if (this.isOver()) this.leaveOut(engine.name, this.whyOver());
      else this.ask(engine);
    }
    this.pursueAll();
    const rest = this.lastResort(this.engines);
    if (rest === undefined) return;
    this.ask(rest, true);
    this.pursueAll();
  }

  private ask(engine: Engine, byName?: true): void {
    try {
      // What engines search before they propose takes time too: none is asked for more than is wanted.
      for (const { proposal, seconds } of this.offers(engine, byName)) {
        if (proposal.kind === 'dismissed') this.take(proposal);
        else this.consider({ stage: 'rated', seconds: seconds / uncertainty, candidate: proposal.candidate });
        if (this.isOver()) break;
      }
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error;
    }
    if (this.isOver()) this.leaveOut(`${engine.name}, further candidates`, this.whyOver());
  }

  /** Textbook algorithms, which are made in a moment, in the order of what they promise. */
  private *offers(engine: Engine, byName?: true): Iterable<Rated> {
    const shouldStop = (work = 0): boolean => {
      this.spend(work);
      if (this.hasPlan() && this.left() < -overdraft) throw new WorkSpent();
      return this.request.shouldStop?.() === true || this.isOver();
    };
    if (engine.name === library.name) this.spend(perLibrary);
    const proposals = engine.propose({ ...this.problem(byName), toBeat: this.expected(), shouldStop });
    if (engine.name === library.name) {
      yield* Array.from(proposals, (proposal) => this.rated(proposal)).sort((a, b) => a.seconds - b.seconds);
    } else {
      for (const proposal of proposals) yield this.rated(proposal);
    }
  }

  /** The schedule of a candidate is made once, and kept. */
  private rated(proposal: Proposal): Rated {
    if (proposal.kind === 'dismissed') return { proposal, seconds: 0 };
    const { candidate } = proposal;
    const schedule = madeWithinLimits(candidate);
    if (schedule === undefined) return { proposal, seconds: Number.POSITIVE_INFINITY };
    this.spend(schedule.steps.transferCount / transfersPerOperation);
    const build = (multiple: number): Schedule => (multiple === 1 ? schedule : candidate.build(multiple));
    const { size, bulks } = this.request;
    const inSteps = scheduleEstimate(schedule, this.routes, size, bulks);
    const seconds = Math.min(inSteps, candidate.promised?.() ?? inSteps);
    return { proposal: { kind: 'candidate', candidate: { ...candidate, build } }, seconds };
  }

  /** At once what promises to be good; else when everything has been proposed, if it could still be the best then. */
  private consider(prospect: Prospect): void {
    const { stage, seconds } = prospect;
    const isNear = this.isNear(seconds);
    const isGood =
      stage === 'rated'
        ? seconds <= this.expected() && (isNear || !this.waits(prospect.candidate))
        : isNear && !this.isTooMuch(prospect);
    if (isGood) this.pursue(prospect);
    else this.prospects.push(prospect);
  }

  /** Textbook algorithms keep what they promise, but among boxes others mostly promise more. */
  private waits(candidate: Candidate): boolean {
    const { transferCount } = candidate.build(1).steps;
    return this.areBoxes && candidate.origin.engine === library.name && transferCount > manyTransfers;
  }

  /** What is left, the most promising first; where the budget is spent, one more plan gets the bulks that suit it. */
  private pursueAll(): void {
    while (!this.isWithin(nearEnough) && !this.timeIsUp()) {
      const isOver = this.isOver();
      const prospect = this.takeBest(isOver);
      if (prospect === undefined) break;
      this.pursue(prospect);
      if (isOver && prospect.stage === 'probed') break;
    }
    const toBeat = this.toBeat();
    for (const prospect of this.prospects) {
      if (prospect.stage !== 'rated') continue;
      if (prospect.seconds < toBeat) this.leaveOut(prospect.candidate.name, this.whyOver());
      else this.take(seemsSlower(prospect.candidate));
    }
  }

  /**
   * What promises most, and less than the best plan takes, and can still be done; where only plans are wanted also what is all but sure to be
   * better than each.
   */
  private takeBest(onlyPriced: boolean): Prospect | undefined {
    let best: Prospect | undefined;
    for (const prospect of this.prospects) {
      const { stage, seconds } = prospect;
      if (stage === 'rated' ? onlyPriced && !this.isSurelyBetter(seconds) : this.isTooMuch(prospect)) continue;
      if (prospect.seconds < (best?.seconds ?? this.toBeat())) best = prospect;
    }
    if (best !== undefined) this.prospects.splice(this.prospects.indexOf(best), 1);
    return best;
  }

  /** One step more: a plan in one bulk, then what its first bulks tell, then in as many bulks as suit it. */
  private pursue(prospect: Prospect): void {
    if (prospect.stage === 'rated') this.price(prospect.candidate, prospect.seconds);
    else if (prospect.stage === 'priced') this.probe(prospect.index, prospect.seconds);
    else this.tune(prospect.index);
  }

  private price(candidate: Candidate, promised: Seconds): void {
    const { request, routes } = this;
    const operations = (operationsPerTransfer * candidate.build(1).steps.transferCount) / this.factor;
    const mostOverdrawn = this.isSurelyBetter(promised) ? forTheBetter : overdraft;
    if (this.hasPlan() && this.left() < operations - mostOverdrawn) {
      this.leaveOut(candidate.name, this.whyOver());
      return;
    }
    const outcome = priceWithinLimits(candidate, request, routes, this.toBeat());
    this.take(outcome);
    if (outcome.kind !== 'priced') {
      this.spend(perGlance);
      return;
    }
    this.spend(perCandidate + workOf(outcome.checked.plan));
    if (this.isWithin(worthwhile)) return;
    const seconds = tuningEstimate(outcome, this.tuning(), routes);
    if (seconds < this.toBeat()) this.consider({ stage: 'priced', seconds, index: this.priced.length - 1 });
  }

  /** Another depth may be better than the one that is probed. */
  private probe(index: number, promised: Seconds): void {
    const single = this.priced[index];
    this.spend(lowering * operationCount(single.checked.plan));
    const probed = probedWithBulks(single, this.tuning(), this.routes) / uncertainty;
    if (probed >= this.toBeat()) return;
    if (probed <= this.bound * (1 + promisingInBulks)) this.tune(index);
    else this.prospects.push({ stage: 'probed', seconds: Math.max(promised, probed), index });
  }

  private tune(index: number): void {
    const single = this.priced[index];
    const tuned = tune(single, this.tuning(), this.routes, this.toBeat());
    if (tuned === single) return;
    const { plan } = tuned.checked;
    this.spend(workOf(plan) + (operationCount(plan) * plan.bulks) / simulatedPerOperation);
    this.priced[index] = tuned;
    this.note(tuned);
  }

  /** Pipelines are as deep as what is left of the budget allows. */
  private tuning(): PriceRequest {
    const simulated = Math.max(leastSimulated, this.left() * simulatedPerOperation);
    return { ...this.charged, mostSimulated: simulated * this.factor };
  }

  /** What a plan must take less than to be worth its work. */
  private toBeat(): Seconds {
    return this.bestKnown / (1 + worthwhile);
  }

  private spend(operations: number): void {
    this.spent += operations / this.factor;
  }

  private hasPlan(): boolean {
    return this.priced.length > 0;
  }

  private isOver(): boolean {
    if (!this.hasPlan() && this.prospects.length === 0) return false;
    if (this.isWithin(near) && this.spent >= budgetIfNear) return true;
    return this.left() <= this.keptBack() || this.isWithin(nearEnough) || this.timeIsUp();
  }

  /** What may still be done; negative when more has been done. */
  private left(): number {
    return (this.promised() <= this.bound * (1 + far) ? budget : budgetForMore) - this.spent;
  }

  /** What it takes to lower a plan for any number of bulks, and once more for the best, and to simulate some. */
  private tuningWork(index: number): number {
    const { plan } = this.priced[index].checked;
    return (lowering * operationCount(plan) + workOf(plan)) / this.factor + leastSimulated / simulatedPerOperation;
  }

  /** Whether there is not enough left to look for the bulks that suit a plan. */
  private isTooMuch({ index, seconds }: Tunable): boolean {
    return this.tuningWork(index) > this.left() + (this.isNear(seconds) ? forTheLastIfNear : forTheLast);
  }

  /** What large plans need that promise to be near the bound in the bulks that suit them: nothing else is begun that might take it. */
  private keptBack(): number {
    return this.prospects.reduce((most, prospect) => {
      if (prospect.stage === 'rated' || !this.isNear(prospect.seconds)) return most;
      return Math.max(most, this.tuningWork(prospect.index) - forTheLastIfNear + perStep);
    }, 0);
  }

  private isNear(seconds: Seconds): boolean {
    return seconds <= this.bound * (1 + promising);
  }

  /** What the best plan takes, or promises to take when it has been tuned. */
  private promised(): Seconds {
    return this.prospects.reduce(
      (least, { stage, seconds }) => (stage === 'rated' ? least : Math.min(least, seconds)),
      this.bestKnown,
    );
  }

  /** The same with what has not been priced, which hardly takes longer than this. */
  private expected(): Seconds {
    return this.prospects.reduce(
      (least, { stage, seconds }) => (stage === 'rated' ? Math.min(least, seconds * uncertainty ** 2) : least),
      this.promised(),
    );
  }

  /** @param promised what it hardly takes less than */
  private isSurelyBetter(promised: Seconds): boolean {
    return promised < this.promised() / uncertainty ** 2;
  }

  private whyOver(): string {
    return this.isWithin(nearEnough) ? 'another plan is at the bound or next to it' : 'the effort is quick';
  }
}

function seemsSlower({ name }: Candidate): Outcome {
  return { kind: 'dismissed', dismissal: { name, reason: 'seems to take longer than another one' } };
}

function workOf(plan: Plan): number {
  const { collective } = plan;
  // Of a scatter or gather only the root has a whole message.
  const isAtRoot = collectiveFacts[collective.kind].rooted && collectiveFacts[collective.kind].sharded;
  const holders = isAtRoot ? 2 : collective.ranks;
  return operationCount(plan) + (messageChunks(collective) * holders) / chunksPerOperation;
}

/** Undefined beyond a limit: the one who prices it says so. */
function madeWithinLimits(candidate: Candidate): Schedule | undefined {
  try {
    return candidate.build(1);
  } catch (error) {
    if (error instanceof CccError && error.code === 'limit') return undefined;
    throw error;
  }
}

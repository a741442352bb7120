/**
 * The refinements of a candidate, in order: evaluate it in one bulk (lower, check, simulate); estimate and tune the number of bulks; tune
 * it precisely; try chunks of unequal size.
 */

import { type Collective, collectiveFacts, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { transfersPerOperation } from '../ir/effort.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import type { Seconds } from '../ir/units.ts';
import { occupancyLowerBound } from '../model/index.ts';
import { type Candidate, maxRanksFor } from '../synth/index.ts';
import {
  type EvaluatedCandidate,
  type EvaluationRequest,
  evaluateWithinLimits,
  fewTransfers,
  Pipelines,
  reducesWithoutOverlap,
  scheduleEstimate,
  withBestSizes,
  withInstances,
} from './evaluate/index.ts';
import type { CandidateSearch } from './search.ts';
import {
  chunksPerOperation,
  estimateSpread,
  operationsPerTransfer,
  perCandidate,
  perProposal,
  simulatedPerOperation,
  sizing,
} from './search-limits.ts';
import { type SearchNode, winsTies } from './search-node.ts';

/**
 * The search node of a proposed candidate. Its schedule is built once and kept. Returns undefined if the same schedule was proposed before
 * or cannot be built.
 */
export function proposed(search: CandidateSearch, candidate: Candidate): SearchNode | undefined {
  const { request, routes } = search;
  const { name } = candidate;
  const schedule = made(search, candidate);
  if (schedule === undefined) return undefined;
  const { transferCount, pieceStart } = schedule.steps;
  search.spend(pieceStart[transferCount] / transfersPerOperation);
  if (search.hasSeen(candidate, schedule)) return undefined;
  const build = (multiple: number): Schedule => (multiple === 1 ? schedule : candidate.build(multiple));
  const inSteps = scheduleEstimate(schedule, routes, request.size, request.bulks);
  return {
    name,
    lowerBound: occupancyLowerBound(schedule, routes, request.size) * (1 - 1e-9),
    // The engine's own estimate ignores reductions that keep chips from sending.
    estimate: reducesWithoutOverlap(request) ? inSteps : Math.min(inSteps, candidate.estimatedTime?.() ?? inSteps),
    spread: schedule.inStep === true ? estimateSpread.priced : estimateSpread.proposed,
    isCandidate: true,
    isShown: transferCount <= fewTransfers,
    work: perCandidate + operationsOf(schedule.steps) + followed(schedule.collective),
    winsTies: winsTies(candidate.origin.engine, request.collective.ranks),
    refine: () => evaluated(search, { ...candidate, build }),
  };
}

/** Evaluates a candidate in one bulk. */
function evaluated(search: CandidateSearch, candidate: Candidate): readonly SearchNode[] {
  const { request, routes } = search;
  const found = evaluateWithinLimits(candidate, request, routes, search.incumbent());
  const outcome = found.kind === 'priced' ? withInstances(found, charged(search), routes) : found;
  search.take(outcome);
  search.spend(outcome.kind === 'priced' ? perCandidate + workOf(outcome.checked.plan) : perProposal);
  return outcome.kind === 'priced' ? [new Refined(search, outcome).next()] : [];
}

/** A candidate evaluated in one bulk (or in the number that was requested), and its further refinements. */
class Refined {
  private readonly search: CandidateSearch;
  private readonly single: EvaluatedCandidate;
  private readonly pipelines: Pipelines;
  /** Index of the candidate in `search.evaluated`. */
  private readonly index: number;
  private readonly lowerBound: Seconds;
  /** Whether to try chunks of unequal size. Algorithms that the user selected by name are left unchanged. */
  private readonly isSized: boolean;

  constructor(search: CandidateSearch, single: EvaluatedCandidate) {
    const { request, routes, evaluated: all } = search;
    const { bulks, objective, algorithm, collective } = request;
    this.search = search;
    this.single = single;
    // If one bulk was requested, the number of bulks that would be best still decides how it is sliced (see `sized`).
    this.pipelines = new Pipelines(single, { ...charged(search), bulks: bulks === 1 ? 'auto' : bulks }, routes);
    this.index = all.length - 1;
    this.lowerBound = occupancyLowerBound(single.schedule, routes, request.size) * (1 - 1e-9);
    this.isSized = objective === 'time' && algorithm === undefined && collective.ranks <= maxRanksFor.programs;
  }

  next(): SearchNode {
    const { search, single, index, pipelines } = this;
    const inMoreBulks = pipelines.estimate('quick');
    if (search.request.bulks !== 'auto') return this.finished(inMoreBulks);
    if (inMoreBulks >= single.cost.seconds) return this.finished(this.likely);
    search.replace(index, { ...single, inMoreBulks });
    return this.tuned(inMoreBulks);
  }

  private get now(): Seconds {
    return this.search.evaluated[this.index].cost.seconds;
  }

  /** Estimated time with bulks in a tight pipeline, of any depth, also those beyond the work limit of a quick search. */
  private get likely(): Seconds {
    return Math.min(this.now, this.pipelines.estimate('full'));
  }

  private called(what: string): Pick<SearchNode, 'name' | 'lowerBound' | 'spread'> {
    return {
      name: `${this.single.candidate.name}, ${what}`,
      lowerBound: this.lowerBound,
      spread: estimateSpread.priced,
    };
  }

  /** Node that tunes the number of bulks near the estimated best one. */
  private tuned(estimate: Seconds): SearchNode {
    const { search, single, index, pipelines } = this;
    const refine = (): readonly SearchNode[] => {
      const better = pipelines.tuned('quick');
      search.replace(index, single);
      this.take(better);
      // If no depth reached the estimate, another depth may still do so.
      return [this.finished(this.now <= estimate * (1 + estimateSpread.priced) ? this.likely : estimate)];
    };
    const { plan } = single.checked;
    return { ...this.called('tuned'), estimate, work: workOf(plan) + operationCount(plan), refine };
  }

  /** Node that tunes the number of bulks over all depths. */
  private finished(estimate: Seconds): SearchNode {
    const { search, pipelines, isSized } = this;
    const refine = (): readonly SearchNode[] => {
      const incumbent = search.incumbent() * (isSized ? sizing.maxSpeedUp : 1);
      if (search.request.bulks !== 1) this.take(pipelines.tuned('full', incumbent));
      return isSized ? [this.sized()] : [];
    };
    const { plan } = this.single.checked;
    const work = pipelines.isFixed ? 0 : workOf(plan) + 10 * operationCount(plan);
    const lowerBound = isSized ? this.lowerBound / sizing.maxSpeedUp : this.lowerBound;
    return { ...this.called('finished'), lowerBound, estimate, work, refine };
  }

  /** Node that tries chunks of unequal size, which may distribute the load over links differently. */
  private sized(): SearchNode {
    const { search, index, now } = this;
    const { request, routes, bound } = search;
    const refine = (): readonly SearchNode[] => {
      const known = request.bulks === 1 ? this.pipelines.tuned('full') : search.evaluated[index];
      const better = withBestSizes(known, charged(search), routes, bound);
      if (better !== undefined) search.take(better);
      return [];
    };
    return { ...this.called('sized'), lowerBound: now / sizing.maxSpeedUp, estimate: now, work: sizing.work, refine };
  }

  private take(better: EvaluatedCandidate): void {
    if (better.cost.seconds >= this.now) return;
    this.search.spend(workOf(better.checked.plan));
    this.search.replace(this.index, better);
  }
}

function charged(search: CandidateSearch): EvaluationRequest {
  return {
    ...search.request,
    exhaustive: false,
    onSimulated: (operations) => search.spend(operations / simulatedPerOperation),
  };
}

function workOf(plan: Plan): number {
  return operationCount(plan) + followed(plan.collective);
}

/**
 * Approximate number of operations of lowered steps: a message is one send and one receive, and a message of several pieces is packed and
 * unpacked as well.
 */
function operationsOf({ transferCount, pieceStart }: Steps): number {
  let operations = operationsPerTransfer * transferCount;
  for (let t = 0; t < transferCount; t++) {
    const pieces = pieceStart[t + 1] - pieceStart[t];
    if (pieces > 1) operations += operationsPerTransfer * pieces;
  }
  return operations;
}

/** Work to follow all chunks in the check, in operations of a plan. */
function followed(collective: Collective): number {
  // Only the root of a scatter or gather has a whole message.
  const isAtRoot = collectiveFacts[collective.kind].rooted && collectiveFacts[collective.kind].sharded;
  return (messageChunks(collective) * (isAtRoot ? 2 : collective.ranks)) / chunksPerOperation;
}

/**
 * Builds a candidate's schedule. Undefined, with a dismissal, if it exceeds a limit or if an engine composed schedules that do not fit
 * together; other errors propagate, since they have a position in a file of the user.
 */
function made(search: CandidateSearch, candidate: Candidate): Schedule | undefined {
  try {
    return candidate.build(1);
  } catch (error) {
    const isLimit = error instanceof CccError && error.code === 'limit';
    if (!isLimit && !(error instanceof CccError && error.code === 'schedule' && error.range === undefined)) throw error;
    const dismissal = { name: candidate.name, reason: error.message };
    search.take({ kind: 'dismissed', dismissal, ...(isLimit && { exceeded: error }) });
    return undefined;
  }
}

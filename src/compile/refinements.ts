/** What can be done with a candidate: lowered, proved and simulated in one bulk, then in as many as suit it, then in chunks of unequal size. */
import { leastTime } from '../cost/index.ts';
import { type Collective, collectiveFacts, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { transfersPerOperation } from '../ir/effort.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import { rounding, type Seconds } from '../ir/units.ts';
import {
  fewTransfers,
  type Priced,
  type PriceRequest,
  priceWithinLimits,
  probedWithBulks,
  scheduleEstimate,
  tune,
  tuningEstimate,
  withBestSizes,
  withInstances,
} from '../pricing/index.ts';
import { type Candidate, mostRanksFor } from '../synth/index.ts';
import type { Prospect } from './prospect.ts';
import {
  chunksPerOperation,
  operationsPerTransfer,
  perCandidate,
  perProposal,
  perSizes,
  simulatedPerOperation,
  simulatedQuickly,
  spreads,
} from './search-limits.ts';
import type { SearchState } from './search-state.ts';

/** A candidate as it was proposed; its schedule is made once, and kept. Undefined where it has been seen before, or cannot be made. */
export function proposed(search: SearchState, candidate: Candidate): Prospect | undefined {
  const { request, routes } = search;
  const { name } = candidate;
  const isTextbook = candidate.origin.engine === 'library';
  const isPreferred = isTextbook && request.collective.ranks <= 8;
  const schedule = madeWithinLimits(candidate);
  if (schedule instanceof CccError) {
    search.take({ kind: 'dismissed', dismissal: { name, reason: schedule.message } });
    return undefined;
  }
  if (schedule === undefined) {
    const refine = (): readonly Prospect[] => {
      search.take(priceWithinLimits(candidate, request, routes, search.toBeat()));
      return [];
    };
    return {
      name,
      floor: 0,
      estimate: Number.MAX_VALUE,
      spread: spreads.proposed,
      work: perCandidate,
      refine,
    };
  }
  const { transferCount } = schedule.steps;
  search.spend(transferCount / transfersPerOperation);
  if (search.hasSeen(candidate, schedule)) return undefined;
  const build = (multiple: number): Schedule => (multiple === 1 ? schedule : candidate.build(multiple));
  const inSteps = scheduleEstimate(schedule, routes, request.size, request.bulks);
  const estimate = Math.min(inSteps, candidate.promised?.() ?? inSteps);
  return {
    name,
    floor: leastTime(schedule, routes, request.size) * (1 - 1e-9),
    estimate,
    spread: schedule.inStep === true ? spreads.priced : spreads.proposed,
    isCandidate: true,
    isShown: transferCount <= fewTransfers,
    work: perCandidate + operationsOf(schedule.steps) + followed(schedule.collective),
    winsTies: isPreferred,
    refine: () => {
      const more = priced(search, { ...candidate, build });
      return isPreferred ? more.map((one) => preferred(search, search.priced.length - 1, one)) : more;
    },
  };
}

/** What is made of a plan that wins ties wins them too, until the plan has reached the best. */
function preferred(search: SearchState, index: number, prospect: Prospect): Prospect {
  const { name, floor, spread, work } = prospect;
  return {
    name,
    floor,
    spread,
    work,
    get estimate() {
      return prospect.estimate;
    },
    get winsTies() {
      const enough = search.toBeat() * (1 + rounding);
      return prospect.estimate <= enough * (1 + spread) && search.priced[index].cost.seconds > enough;
    },
    refine: () => prospect.refine().map((one) => preferred(search, index, one)),
  };
}

/** In one bulk. */
function priced(search: SearchState, candidate: Candidate): readonly Prospect[] {
  const { request, routes } = search;
  const found = priceWithinLimits(candidate, request, routes, search.toBeat());
  const outcome = found.kind === 'priced' ? withInstances(found, charged(search), routes) : found;
  search.take(outcome);
  if (outcome.kind !== 'priced') {
    search.spend(perProposal);
    return [];
  }
  const { plan } = outcome.checked;
  search.spend(perCandidate + workOf(plan));
  const index = search.priced.length - 1;
  const estimate = tuningEstimate(outcome, quickly(search), routes);
  const more: Prospect[] = [];
  const floor = leastTime(outcome.schedule, routes, request.size) * (1 - 1e-9);
  if (request.bulks !== 'auto') {
    more.push({ ...closer(search, index, outcome, floor), estimate });
  } else if (estimate < outcome.cost.seconds) {
    search.replace(index, { ...outcome, inMoreBulks: estimate });
    more.push({
      name: `${candidate.name}, probed`,
      floor,
      estimate,
      spread: spreads.priced,
      work: 2 * operationCount(plan),
      refine: () => probed(search, index, outcome, floor, estimate),
    });
  } else {
    more.push({
      ...closer(search, index, outcome, floor),
      estimate: inMany(search, index, outcome),
      spread: spreads.priced,
    });
  }
  more.push(...unequal(search, index, outcome));
  return more;
}

/** Between what one bulk told and what the first bulks tell: where these stand in each other's way, at other depths they may not. */
function probed(
  search: SearchState,
  index: number,
  single: Priced,
  floor: Seconds,
  before: Seconds,
): readonly Prospect[] {
  search.spend(operationCount(single.checked.plan));
  const told = probedWithBulks(single, quickly(search), search.routes);
  const estimate = Math.min(told.seconds, Math.sqrt(told.seconds * before));
  const { plan } = single.checked;
  const work = workOf(plan) + (operationCount(plan) * told.depth) / simulatedPerOperation;
  return [
    {
      name: `${single.candidate.name}, tuned`,
      floor,
      estimate,
      spread: spreads.priced,
      work,
      refine: () => tuned(search, index, single, floor, estimate),
    },
  ];
}

function tuned(
  search: SearchState,
  index: number,
  single: Priced,
  floor: Seconds,
  expected: Seconds,
): readonly Prospect[] {
  const better = tune(single, quickly(search), search.routes, Number.POSITIVE_INFINITY);
  if (better.cost.seconds < search.priced[index].cost.seconds) {
    const { plan } = better.checked;
    search.spend(workOf(plan) + (operationCount(plan) * plan.bulks) / simulatedPerOperation);
    search.replace(index, better);
  } else search.replace(index, single);
  const close = { ...closer(search, index, single, floor), estimate: deeper(search, index, single) };
  // Where no depth kept what was expected, another may.
  const isAsExpected = search.priced[index].cost.seconds <= expected * (1 + spreads.priced);
  return isAsExpected ? [close] : [{ ...close, estimate: expected, spread: spreads.priced }];
}

/** What a plan could take in bulks that follow each other closely, at a depth that the work for a quick look does not limit; no more than what it takes. */
function deeper(search: SearchState, index: number, single: Priced): Seconds {
  const { cost, checked } = search.priced[index];
  const isLimited = 2 * checked.plan.bulks * operationCount(checked.plan) > simulatedQuickly;
  return isLimited || checked.plan.bulks > 1 ? inMany(search, index, single) : cost.seconds;
}

function inMany(search: SearchState, index: number, single: Priced): Seconds {
  const likely = tuningEstimate(single, { ...charged(search), effort: 'full' }, search.routes);
  return Math.min(search.priced[index].cost.seconds, likely);
}

/** All depths, precisely. */
function closer(search: SearchState, index: number, single: Priced, floor: Seconds): Prospect {
  const { routes } = search;
  const operations = operationCount(single.checked.plan);
  return {
    name: `${single.candidate.name}, tuned closely`,
    floor,
    get estimate() {
      return search.priced[index].cost.seconds;
    },
    spread: spreads.tuned,
    work: workOf(single.checked.plan) + 10 * operations,
    refine: () => {
      const full = { ...charged(search), effort: 'full' } as const;
      const better = tune(single, full, routes, Number.POSITIVE_INFINITY);
      if (better.cost.seconds < search.priced[index].cost.seconds) {
        search.spend(workOf(better.checked.plan));
        search.replace(index, better);
      }
      return [];
    },
  };
}

/**
 * Chunks of unequal size: slices of one bulk, made of what suits more bulks. Algorithms asked for by name stay as they are known.
 *
 * @param single in one bulk, or in as many as were asked for
 */
function unequal(search: SearchState, index: number, single: Priced): readonly Prospect[] {
  const { request, routes, bound } = search;
  if (
    request.objective !== 'time' ||
    request.algorithm !== undefined ||
    request.collective.ranks > mostRanksFor.programs
  )
    return [];
  const inBulks = { ...charged(search), bulks: 'auto' } as const;
  const likely = request.bulks === 1 ? tuningEstimate(single, inBulks, routes) : Number.POSITIVE_INFINITY;
  return [
    {
      name: `${search.priced[index].candidate.name}, sized`,
      floor: 0,
      get estimate() {
        return Math.min(search.priced[index].cost.seconds, likely);
      },
      spread: spreads.priced,
      work: perSizes,
      refine: () => {
        const known =
          request.bulks === 1 ? tune(single, inBulks, routes, Number.POSITIVE_INFINITY) : search.priced[index];
        const sized = withBestSizes([known], request, routes, bound);
        search.spend(perSizes);
        if (sized !== undefined) search.take(sized);
        return [];
      },
    },
  ];
}

function charged(search: SearchState): PriceRequest {
  return {
    ...search.request,
    exhaustive: false,
    onSimulated: (operations) => search.spend(operations / simulatedPerOperation),
  };
}

function quickly(search: SearchState): PriceRequest {
  return { ...charged(search), effort: 'quick', mostSimulated: simulatedQuickly };
}

function workOf(plan: Plan): number {
  return operationCount(plan) + followed(plan.collective);
}

/** Operations that steps become, about: a message is sent and received, and one of several pieces is packed and unpacked. */
function operationsOf({ transferCount, pieceStart }: Steps): number {
  let operations = operationsPerTransfer * transferCount;
  for (let t = 0; t < transferCount; t++) {
    const pieces = pieceStart[t + 1] - pieceStart[t];
    if (pieces > 1) operations += operationsPerTransfer * pieces;
  }
  return operations;
}

/** To follow all chunks. */
function followed(collective: Collective): number {
  // Of a scatter or gather only the root has a whole message.
  const isAtRoot = collectiveFacts[collective.kind].rooted && collectiveFacts[collective.kind].sharded;
  return (messageChunks(collective) * (isAtRoot ? 2 : collective.ranks)) / chunksPerOperation;
}

/** Undefined beyond a limit: the one who prices it says so. An error where engines compose what does not go together; it has no place in a file. */
function madeWithinLimits(candidate: Candidate): Schedule | CccError | undefined {
  try {
    return candidate.build(1);
  } catch (error) {
    if (error instanceof CccError && error.code === 'limit') return undefined;
    if (error instanceof CccError && error.code === 'schedule' && error.range === undefined) return error;
    throw error;
  }
}

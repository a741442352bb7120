/** What a candidate costs on a machine: lowered, proved, simulated, and run through the pipeline depth that suits the size. */
import { simulate } from './cost/index.ts';
import { type CollectiveKind, collectiveFacts, messageChunks } from './ir/collective.ts';
import { CccError } from './ir/diagnostic.ts';
import type { Limits } from './ir/limits.ts';
import { operationCount } from './ir/plan.ts';
import type { CostReport } from './ir/report.ts';
import type { Routes } from './ir/routes.ts';
import type { Schedule } from './ir/schedule.ts';
import type { Topology } from './ir/topology.ts';
import type { Bytes, Seconds } from './ir/units.ts';
import type { ProvedPlan } from './ir/verification.ts';
import { lower } from './lower/index.ts';
import { bestDepth, type Candidate, type Dismissal } from './synth/index.ts';
import { prove } from './verify/index.ts';

/** For what a candidate is priced. */
export interface PriceRequest {
  readonly collective: { readonly kind: CollectiveKind };
  readonly topology: Topology;
  readonly size: Bytes;
  /** C and the number of bulks if the user fixed them. */
  readonly chunks?: number | undefined;
  readonly bulks: number | 'auto';
  readonly limits: Limits;
  /** True when the time is up: the best so far is kept. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/** Operations × bulks that may be simulated while the best depth of one candidate is looked for. */
const tuningEffort = 400_000;
/** Schedules with more transfers than this are looked at before they are lowered, proved and simulated. */
const manyTransfers = 20_000;
/** Making and proving a plan takes about this many times as long as simulating it. */
const proofEffort = 4;
/** Depths beyond this are not tried: a message of 2 GiB is then cut below 2 KiB. */
const deepest = 2 ** 20;

/** A candidate that has been proved on this machine, with its price. */
export interface Priced {
  readonly kind: 'priced';
  readonly candidate: Candidate;
  readonly schedule: Schedule;
  readonly proved: ProvedPlan;
  readonly cost: CostReport;
}

/** A plan that is not correct on this machine has no price: it is dismissed with the verifier's reason, or the limit it exceeds. */
export type Outcome =
  | Priced
  | { readonly kind: 'dismissed'; readonly dismissal: Dismissal; readonly exceeded?: CccError };

/** Schedule and machine in one word: file names are made of it. */
function planName(candidate: Candidate, topology: Topology): string {
  return `${candidate.name}-${topology.name}`.replace(/[^\w.:+,-]+/g, '-').replace(/-+(?=-|$)/g, '');
}

/** As `price`; a candidate that exceeds a limit is dismissed, since others may be smaller. */
export function priceWithinLimits(
  candidate: Candidate,
  request: PriceRequest,
  routes: Routes,
  bestKnown: Seconds,
): Outcome {
  try {
    return price(candidate, request, routes, bestKnown);
  } catch (error) {
    if (!(error instanceof CccError) || error.code !== 'limit') throw error;
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason: error.message }, exceeded: error };
  }
}

/**
 * The candidate in one bulk, or in as many as the user asked for; dismissed with the verifier's reason if it is wrong
 * here, and unseen if it is large and moves too much to be faster than the best plan known.
 */
export function price(
  candidate: Candidate,
  request: PriceRequest,
  routes: Routes,
  bestKnown: Seconds,
  multiple = 1,
): Outcome {
  const schedule = candidate.build(multiple);
  if (schedule.steps.transferCount > manyTransfers && leastSpreadTime(schedule, request.size, routes) > bestKnown) {
    const reason = 'moves too many bytes over too many links to be faster than another one';
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  const bulks = request.bulks === 'auto' ? 1 : request.bulks;
  const plan = lower(schedule, { bulks, name: planName(candidate, request.topology) });
  const operations = operationCount(plan);
  if (operations * bulks > request.limits.operations) {
    const what = bulks === 1 ? `${operations} operations` : `${operations} operations in ${bulks} bulks`;
    throw new CccError('limit', `${what} are more than the limit operations = ${request.limits.operations}`);
  }
  const { proved, verification } = prove(plan, { topology: request.topology, slots: request.limits.slots });
  if (proved === undefined) {
    const [finding] = verification.findings;
    const reason = `not correct on this machine (${verification.verdict}): ${finding?.message ?? 'no finding'}`;
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  return { kind: 'priced', candidate, schedule, proved, cost: simulate(plan, routes, request.size) };
}

/**
 * The candidate with the pipeline depth that suits the size best. However deep, no fewer bytes cross its busiest link;
 * where these alone take longer than the best plan known, nothing is tried.
 */
export function tune(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  if (leastLinkTime(single, routes) >= bestKnown) return single;
  const inBulks = request.bulks === 'auto' ? withBestBulks(single, request, routes) : single;
  return request.chunks === undefined ? withBestChunks(single, inBulks, request, routes) : inBulks;
}

/** The plan's program run for several slices of the message in turn. */
function withBestBulks(single: Priced, request: PriceRequest, routes: Routes): Priced {
  // All plans with several bulks are the same but for their number, so one lowering serves them.
  const pipelined = lower(single.schedule, { bulks: 2, name: single.proved.plan.name });
  const simulated = (bulks: number): CostReport => simulate({ ...pipelined, bulks }, routes, request.size);
  const depth = bestDepth(
    (bulks) => (bulks === 1 ? single.cost : simulated(bulks)).seconds,
    deepest,
    effortFor((bulks) => bulks * operationCount(pipelined), request),
  );
  if (depth === 1) return single;
  const { proved } = prove({ ...pipelined, bulks: depth }, { topology: request.topology, slots: request.limits.slots });
  return proved === undefined ? single : { ...single, proved, cost: simulated(depth) };
}

/**
 * More chunks instead of more bulks, for schedules whose steps are a pipeline themselves. Bulks do the same with smaller
 * plans, except where reducing and sending exclude each other: there the order that steps give keeps neighbours in time.
 */
function withBestChunks(single: Priced, best: Priced, request: PriceRequest, routes: Routes): Priced {
  const exclusive = request.topology.nodes.some((node) => node.reduce !== undefined && !node.reduce.overlap);
  if (!exclusive || !collectiveFacts[request.collective.kind].reduces || best === single) return best;
  const steps = single.schedule.steps.stepCount;
  if (single.candidate.build(2).steps.stepCount === steps) return best;
  let found = best;
  bestDepth(
    (multiple) => {
      const outcome =
        multiple === 1 ? single : price(single.candidate, request, routes, Number.POSITIVE_INFINITY, multiple);
      if (outcome.kind === 'dismissed') return Number.POSITIVE_INFINITY;
      if (outcome.cost.seconds < found.cost.seconds) found = outcome;
      return outcome.cost.seconds;
    },
    deepest,
    effortFor((multiple) => proofEffort * multiple * operationCount(single.proved.plan), request),
  );
  return found;
}

/** Lets a search go on until it has spent its effort or the time is up. */
function effortFor(cost: (depth: number) => number, { shouldStop }: PriceRequest): (depth: number) => boolean {
  let spent = 0;
  return (depth) => {
    spent += cost(depth);
    return spent <= tuningEffort && shouldStop?.() !== true;
  };
}

/** However evenly the machine is used: all bytes over all links of their routes, at the bandwidth of all links together. */
function leastSpreadTime({ steps, collective }: Schedule, size: Bytes, routes: Routes): Seconds {
  let chunkHops = 0;
  for (let t = 0; t < steps.transferCount; t++) {
    if (steps.source[t] === steps.destination[t]) continue;
    let chunks = 0;
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) chunks += steps.count[p];
    chunkHops += chunks * routes.hops(steps.source[t], steps.destination[t]);
  }
  const bandwidth = routes.topology.links.reduce((sum, link) => sum + link.bandwidth, 0);
  return (chunkHops * (size / messageChunks(collective))) / bandwidth;
}

/** What the bytes over the busiest link take at its bandwidth. */
function leastLinkTime({ cost }: Priced, { topology }: Routes): Seconds {
  return Math.max(0, ...cost.links.map(({ link, bytes }) => bytes / topology.links[link].bandwidth));
}

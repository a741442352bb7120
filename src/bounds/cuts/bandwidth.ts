/**
 * Bandwidth bounds. The candidate cuts are the tightest one, exact where a maximum flow decides it, and simple cuts
 * that bind at sizes where latency matters: single chips, declared groups, runs of consecutive ranks. Source: max-flow
 * min-cut (Ford and Fulkerson 1956), Edmonds (1973) for broadcasts.
 */

import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { tightestCut } from '../flow/tightest-cut.ts';
import { searched } from '../limits.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { treatsRanksAlike } from '../needs.ts';
import { type Cut, cutCertificate } from './cut.ts';
import { improvedSides } from './improved-sides.ts';
import { isMixed, PlainSides } from './plain-sides.ts';
import { tightestBroadcastCut, tightestScatterCut } from './rooted-cuts.ts';
import { acrossAll, crossingRate, opposite, type Side } from './sides.ts';

/**
 * How many cuts are evaluated together with their latencies, and how many of these may have the same bytes per
 * bandwidth, as single chips often do.
 */
const most = { cuts: 12, alike: 8 };
/**
 * How many different distances are tried when the sources or targets of a cut are restricted to far ranks: for the root
 * of a scatter or gather, and for allgathers and reducescatters.
 */
const distances = { rooted: 16, shared: 4 };

/** Returns the certificate of the best cut at this message size. */
export function cutBound(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (collective.kind === 'barrier' || size === 0) return [];
  let best: Certificate | undefined;
  let exact: boolean | undefined;
  for (const side of sidesFor(collective, facts)) {
    for (const cut of cutsOf(collective, facts, side)) {
      const certificate = cutCertificate(collective, facts, size, cut, best?.seconds);
      if (certificate === undefined) continue;
      best = certificate;
      exact = collective.counts === undefined ? side.exact : undefined;
    }
  }
  if (best === undefined) return [];
  if (exact === undefined) return [best];
  return [{ ...best, reason: `${best.reason}; ${exact ? 'no cut is tighter' : 'the tightest cut that was found'}` }];
}

/** Returns the side with the highest rate among the candidates; undefined if nothing has to cross any of them. */
export function tightestSide(collective: Collective, facts: MachineFacts): Side | undefined {
  let tightest: Side | undefined;
  let highest = 0;
  for (const side of sidesFor(collective, facts)) {
    const rate = crossingRate(collective, facts, side);
    if (rate <= highest) continue;
    tightest = side;
    highest = rate;
  }
  return tightest;
}

/** Sides found by maximum flows, and the best of the plain sides. They do not depend on the message size. */
function sidesFor(collective: Collective, facts: MachineFacts): readonly Side[] {
  const { kind, root, counts, custom } = collective;
  const searched = once(facts, `cuts by flow ${kind} ${root}`, () => searchedSides(collective, facts.topology));
  const withRuns = searched.every((side) => side.exact !== true);
  const ofOne = facts.alike && treatsRanksAlike(collective);
  const plain =
    counts === undefined && isMixed(kind)
      ? once(facts, `interleaved cuts ${kind}`, () => new PlainSides(facts, true, false, kind))
      : once(facts, `plain cuts ${withRuns} ${ofOne}`, () => new PlainSides(facts, withRuns, ofOne));
  if (custom !== undefined) {
    return [...improvedSides(collective, facts.topology), ...tightest(collective, facts, plain)];
  }
  if (counts !== undefined) return [...searched, ...tightest(collective, facts, plain)];
  return once(facts, `cuts ${kind} ${root}`, () => {
    const decided = searched.filter((side) => side.exact === true).map((side) => crossingRate(collective, facts, side));
    const asTight = (side: Side) => decided.some((rate) => crossingRate(collective, facts, side) >= rate * (1 - 1e-9));
    const others = tightest(collective, facts, plain);
    return [...searched, ...others.map((side) => (asTight(side) ? { ...side, exact: true } : side))];
  });
}

/** Sides that a maximum flow, or a local search, finds for this kind of collective. */
function searchedSides(collective: Collective, topology: Topology): Side[] {
  const { kind, root } = collective;
  const back = () => transpose(topology);
  const search = { work: searched.cutWork };
  switch (kind) {
    case 'allgather':
      return [tightestCut(topology, search)];
    case 'reducescatter':
      return [opposite(tightestCut(back(), search))];
    case 'broadcast':
      return [tightestBroadcastCut(topology, root, searched.cutWork)];
    case 'reduce':
      return [opposite(tightestBroadcastCut(back(), root, searched.cutWork))];
    case 'scatter':
      return [tightestScatterCut(topology, root, searched.cutWork)];
    case 'gather':
      return [opposite(tightestScatterCut(back(), root, searched.cutWork))];
    case 'allreduce': {
      // Every chip's data must leave every part of the machine and enter it, so the global minimum cut applies.
      const out = tightestBroadcastCut(topology, 0, searched.cutWork);
      const into = opposite(tightestBroadcastCut(back(), 0, searched.cutWork));
      return [out, into].map(({ inside, holders }) => ({ inside, holders }));
    }
    default:
      return [];
  }
}

/** The sides with the most bytes per bandwidth, with a limit on how many have equal rates. */
function tightest(collective: Collective, facts: MachineFacts, sides: PlainSides): Side[] {
  const work = facts.topology.links.length + workToCount(collective);
  const rates = sides.rates(collective, Math.ceil((sides.count * work) / searched.cutWork));
  const sorted = rates.slice().sort().reverse();
  const chosen: Side[] = [];
  for (let place = 0; place < sorted.length && chosen.length < most.cuts; place++) {
    const rate = sorted[place];
    if (rate <= 0) break;
    if (place >= most.alike && sorted[place - most.alike] <= rate * (1 + 1e-9)) continue;
    chosen.push(sides.at(indexOfEqual(rates, rate, place - sorted.indexOf(rate))));
  }
  return chosen;
}

/** The index of an entry with this rate that is preceded by `before` entries of the same rate. */
function indexOfEqual(rates: Float64Array, rate: number, before: number): number {
  let index = rates.indexOf(rate);
  for (let passed = 0; passed < before; passed++) index = rates.indexOf(rate, index + 1);
  return index;
}

/**
 * Cost of counting the bytes that cross one side, in links visited: high for collectives whose pairs or slots must be
 * counted one by one.
 */
function workToCount({ ranks, counts, custom }: Collective): number {
  const slots = custom?.results.count.reduce((sum, count) => sum + count, 0) ?? 0;
  return 50 * (slots + (counts === undefined ? 0 : ranks * ranks));
}

/**
 * Variants of one cut: counting between all ranks of both sides gives the most bytes, counting between distant ranks
 * only adds latency.
 */
function cutsOf(collective: Collective, facts: MachineFacts, side: Side): Cut[] {
  const { inside } = side;
  const { sources, targets } = endsOf(collective, side);
  const chip = (rank: number) => facts.topology.chips[rank];
  if (sources.length === 0 || targets.length === 0) return [];
  const reach = facts.latencies.fromAny(sources.map(chip));
  const reached = facts.backwards.fromAny(targets.map(chip));
  const farTarget = [targets.reduce((best, rank) => (reach[chip(rank)] > reach[chip(best)] ? rank : best))];
  const farSource = [sources.reduce((best, rank) => (reached[chip(rank)] > reached[chip(best)] ? rank : best))];
  switch (collective.counts === undefined ? collective.kind : 'custom') {
    case 'broadcast':
      return [{ inside, sources, targets: farTarget }];
    case 'reduce':
      return [{ inside, sources: farSource, targets }];
    case 'allgather': {
      const way = facts.backwards.from(chip(farTarget[0]));
      const parts = farthestFirst(sources, (rank) => way[chip(rank)], distances.shared);
      return parts.map((far) => ({ inside, sources: far, targets: farTarget }));
    }
    case 'reducescatter': {
      const way = facts.latencies.from(chip(farSource[0]));
      const parts = farthestFirst(targets, (rank) => way[chip(rank)], distances.shared);
      return parts.map((far) => ({ inside, sources: farSource, targets: far }));
    }
    case 'allreduce':
      return [{ inside, sources: farSource, targets: farTarget }];
    case 'scan':
    case 'exscan':
      return [
        { inside, sources, targets },
        { inside, sources: sources.slice(0, 1), targets: targets.slice(-1) },
      ];
    case 'scatter': {
      const parts = farthestFirst(targets, (rank) => reach[chip(rank)], distances.rooted);
      return parts.map((far) => ({ inside, sources, targets: far }));
    }
    case 'gather': {
      const parts = farthestFirst(sources, (rank) => reached[chip(rank)], distances.rooted);
      return parts.map((far) => ({ inside, sources: far, targets }));
    }
    default:
      return [{ inside, sources, targets }];
  }
}

/** The ranks on either side that have data to send across, and those that need it. */
function endsOf({ kind, root }: Collective, side: Side): ReturnType<typeof acrossAll> {
  const { sources, targets } = acrossAll(side);
  const isRoot = (rank: number) => rank === root;
  switch (kind) {
    case 'broadcast':
    case 'scatter':
      return { sources: sources.filter(isRoot), targets };
    case 'reduce':
    case 'gather':
      return { sources, targets: targets.filter(isRoot) };
    default:
      return { sources, targets };
  }
}

/**
 * All of these ranks, and the subsets at distance ≥ d, for up to `count` thresholds d spread evenly over the distances
 * that occur.
 */
function farthestFirst(ranks: readonly number[], distance: (rank: number) => number, most: number): number[][] {
  const different = [...new Set(ranks.map(distance))].sort((a, b) => a - b);
  const stride = Math.ceil(different.length / most);
  return different
    .filter((_, index) => index % stride === 0)
    .map((least) => ranks.filter((rank) => distance(rank) >= least));
}

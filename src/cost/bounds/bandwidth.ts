/**
 * Bandwidth: the tightest cut of a collective, exact where a flow decides it, and cuts that bind at sizes where latency counts:
 * single chips, declared groups, neighbouring ranks.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf, type Topology, transpose } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { tightestCut } from '../flow/tightest-cut.ts';
import { type Cut, cutCertificate } from './cut.ts';
import { interleavedRanks } from './interleaved-ranks.ts';
import { type MachineFacts, once } from './machine-facts.ts';
import { bytesBetween } from './needs.ts';
import { type RootedCut, tightestBroadcastCut, tightestScatterCut } from './rooted-cuts.ts';

/** Work of one search for a tightest cut, in arcs looked at: less than half a second. */
const searchWork = 8_000_000;
/** Up to this many ranks, all runs of neighbouring ranks are cuts to look at. */
const mostRanksForRuns = 64;
/** Of more ranks, as many as this are looked at one by one, evenly spread. */
const mostAlone = 1024;
/** Cuts that are looked at with their latencies. */
const mostCuts = 8;
/** Distances for which the cuts around the root of a scatter or gather are looked at. */
const mostDistances = 16;

/** A side of a cut: nodes, and ranks whose data is there. */
interface Side {
  readonly inside: Uint8Array;
  readonly holders: Uint8Array;
  /** Set where a flow searched for the tightest of all: whether this is it, or the best that the search came to. */
  readonly exact?: boolean;
}

/** The best cut for this size. */
export function cutBound(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (collective.kind === 'barrier' || size === 0) return [];
  let best: Certificate | undefined;
  let exact: boolean | undefined;
  for (const side of sidesFor(collective, facts)) {
    for (const cut of cutsOf(collective, facts, side)) {
      const certificate = cutCertificate(collective, facts, size, cut);
      if (certificate === undefined || certificate.seconds <= (best?.seconds ?? 0)) continue;
      best = certificate;
      exact = collective.counts === undefined ? side.exact : undefined;
    }
  }
  if (best === undefined) return [];
  if (exact === undefined) return [best];
  return [{ ...best, reason: `${best.reason}; ${exact ? 'no cut is tighter' : 'the tightest cut that was found'}` }];
}

/** What a flow finds, and the best of the plain cuts. What they are does not depend on the size. */
function sidesFor(collective: Collective, facts: MachineFacts): readonly Side[] {
  const { kind, root, counts, custom } = collective;
  const searched = once(facts, `cuts by flow ${kind} ${root}`, () => searchedSides(collective, facts.topology));
  const withRuns = searched.every((side) => side.exact !== true);
  const isScan = kind === 'scan' || kind === 'exscan';
  const plain = isScan
    ? once(facts, 'cuts of scans', () => scanSides(collective, facts))
    : once(facts, `plain cuts ${withRuns}`, () => plainSides(facts, withRuns));
  if (counts !== undefined || custom !== undefined) return [...searched, ...tightest(collective, facts, plain)];
  return once(facts, `cuts ${kind} ${root}`, () => [...searched, ...tightest(collective, facts, plain)]);
}

/** Cuts that a flow finds for this kind. */
function searchedSides(collective: Collective, topology: Topology): Side[] {
  const { kind, root } = collective;
  const backwards = (side: RootedCut): Side => ({
    inside: side.inside.map((bit) => 1 - bit),
    holders: side.holders.map((bit) => 1 - bit),
    exact: side.exact,
  });
  const back = () => transpose(topology);
  const search = { work: searchWork };
  switch (kind) {
    case 'allgather':
      return [tightestCut(topology, search)];
    case 'reducescatter':
      return [backwards(tightestCut(back(), search))];
    case 'broadcast':
      return [tightestBroadcastCut(topology, root, searchWork)];
    case 'reduce':
      return [backwards(tightestBroadcastCut(back(), root, searchWork))];
    case 'scatter':
      return [tightestScatterCut(topology, root, searchWork)];
    case 'gather':
      return [backwards(tightestScatterCut(back(), root, searchWork))];
    case 'allreduce': {
      // Everything must get out of every part and into it: the least of all cuts.
      const out = tightestBroadcastCut(topology, 0, searchWork);
      const into = backwards(tightestBroadcastCut(back(), 0, searchWork));
      return [out, into].map(({ inside, holders }) => ({ inside, holders }));
    }
    default:
      return [];
  }
}

/** Plain cuts, and those whose sides are interleaved. */
function scanSides(collective: Collective, facts: MachineFacts): Side[] {
  const rate = (set: readonly number[]) => rateOf(collective, facts, sideOf(facts.topology, set));
  const interleaved = interleavedRanks(ranksOf(facts.topology), rate);
  return [...plainSides(facts, true), ...interleaved.map((set) => sideOf(facts.topology, set))];
}

/** Bytes that must cross a cut, of a message of one, for its bandwidth. */
function rateOf(collective: Collective, facts: MachineFacts, side: Side): number {
  const { sources, targets } = acrossAll(side);
  const bandwidth = sideBandwidth(facts, side);
  return bandwidth === 0 ? 0 : bytesBetween(collective, 1, sources, targets) / bandwidth;
}

/** The sides with most bytes for their bandwidth. */
function tightest(collective: Collective, facts: MachineFacts, sides: readonly Side[]): Side[] {
  const work = facts.topology.links.length + workToCount(collective);
  const stride = Math.ceil((sides.length * work) / searchWork);
  const rated = sides
    .filter((_, index) => index % stride === 0)
    .map((side) => ({ side, rate: rateOf(collective, facts, side) }));
  rated.sort((a, b) => b.rate - a.rate);
  return rated
    .filter(({ rate }) => rate > 0)
    .slice(0, mostCuts)
    .map(({ side }) => side);
}

/** What counting the bytes over a side takes, in links looked at: much where every pair or slot is looked at. */
function workToCount({ ranks, counts, custom }: Collective): number {
  const slots = (custom?.results ?? []).reduce((sum, results) => sum + results.length, 0);
  return 50 * (slots + (counts === undefined ? 0 : ranks * ranks));
}

function sideBandwidth({ topology, sends, receives }: MachineFacts, { inside, holders }: Side): number {
  let bandwidth = 0;
  for (const link of topology.links) {
    if (inside[link.from] === 1 && inside[link.to] === 0) bandwidth += link.bandwidth;
  }
  topology.chips.forEach((chip, rank) => {
    if (holders[rank] > inside[chip]) bandwidth += sends[rank];
    if (holders[rank] < inside[chip]) bandwidth += receives[rank];
  });
  return bandwidth;
}

function acrossAll({ holders }: Side): { readonly sources: number[]; readonly targets: number[] } {
  const ranks = [...holders.keys()];
  return { sources: ranks.filter((rank) => holders[rank] === 1), targets: ranks.filter((rank) => holders[rank] === 0) };
}

/** Between whom values are counted over a side: with all of them the most bytes, with far ones more latency. */
function cutsOf(collective: Collective, facts: MachineFacts, side: Side): Cut[] {
  const { inside } = side;
  const { sources, targets } = acrossAll(side);
  const chip = (rank: number) => facts.topology.chips[rank];
  if (sources.length === 0 || targets.length === 0) return [];
  const reach = facts.latencies.fromAny(sources.map(chip));
  const reached = facts.backwards.fromAny(targets.map(chip));
  const farTarget = [targets.reduce((best, rank) => (reach[chip(rank)] > reach[chip(best)] ? rank : best))];
  const farSource = [sources.reduce((best, rank) => (reached[chip(rank)] > reached[chip(best)] ? rank : best))];
  switch (collective.counts === undefined ? collective.kind : 'custom') {
    case 'allgather':
    case 'broadcast':
      return [{ inside, sources, targets: farTarget }];
    case 'reducescatter':
    case 'reduce':
      return [{ inside, sources: farSource, targets }];
    case 'allreduce':
      return [{ inside, sources: farSource, targets: farTarget }];
    case 'scan':
    case 'exscan':
      return [
        { inside, sources, targets },
        { inside, sources: sources.slice(0, 1), targets: targets.slice(-1) },
      ];
    case 'scatter':
      return farthestFirst(targets, (rank) => reach[chip(rank)]).map((far) => ({ inside, sources, targets: far }));
    case 'gather':
      return farthestFirst(sources, (rank) => reached[chip(rank)]).map((far) => ({ inside, sources: far, targets }));
    default:
      return [{ inside, sources, targets }];
  }
}

/** All of these ranks, and those at some distance or farther, for distances spread over all that occur. */
function farthestFirst(ranks: readonly number[], distance: (rank: number) => number): number[][] {
  const distances = [...new Set(ranks.map(distance))].sort((a, b) => a - b);
  const stride = Math.ceil(distances.length / mostDistances);
  return distances
    .filter((_, index) => index % stride === 0)
    .map((least) => ranks.filter((rank) => distance(rank) >= least));
}

/** Every rank against the rest, declared groups, and perhaps runs of neighbouring ranks; each as the inside and as the outside. */
function plainSides({ topology, sends, receives }: MachineFacts, withRuns: boolean): Side[] {
  const ranks = ranksOf(topology);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const stride = Math.ceil(ranks / mostAlone);
  const single = all.filter((rank) => rank % stride === 0).map((rank) => [rank]);
  const sets: (readonly number[])[] = [...single, ...topology.groups];
  if (withRuns && ranks <= mostRanksForRuns) {
    for (let length = 2; length <= ranks / 2; length++) {
      for (const first of all) sets.push(Array.from({ length }, (_, i) => (first + i) % ranks));
    }
  }
  const sides = sets.map((set) => sideOf(topology, set));
  const outer = sides.map(({ inside, holders }) => ({
    inside: inside.map((bit) => 1 - bit),
    holders: holders.map((bit) => 1 - bit),
  }));
  return [...sides, ...outer].flatMap((side) => [side, ...alone(topology, side, sends, receives)]);
}

/** Where a single rank is on one side, and its ports are scarce: the same with its links on the other side. */
function alone(topology: Topology, side: Side, sends: readonly number[], receives: readonly number[]): Side[] {
  const { sources, targets } = acrossAll(side);
  const [rank] = sources.length === 1 ? sources : targets;
  if (sources.length !== 1 && targets.length !== 1) return [];
  const chip = topology.chips[rank];
  const links = topology.links.filter((link) => (sources.length === 1 ? link.from : link.to) === chip);
  const bandwidth = links.reduce((sum, link) => sum + link.bandwidth, 0);
  if (bandwidth <= (sources.length === 1 ? sends : receives)[rank]) return [];
  const inside = side.inside.slice();
  inside[chip] = 1 - inside[chip];
  return [{ inside, holders: side.holders }];
}

/** These ranks on the inside, and with them the switches and hosts that have most of their bandwidth to them. */
function sideOf(topology: Topology, set: readonly number[]): Side {
  const holders = new Uint8Array(ranksOf(topology));
  const inside = new Uint8Array(topology.nodes.length);
  for (const rank of set) {
    holders[rank] = 1;
    inside[topology.chips[rank]] = 1;
  }
  if (topology.nodes.length === topology.chips.length) return { inside, holders };
  const isChip = new Set(topology.chips);
  for (let changed = true, round = 0; changed && round < topology.nodes.length; round++) {
    changed = false;
    const pull = new Float64Array(topology.nodes.length);
    for (const { from, to, bandwidth } of topology.links) {
      pull[from] += inside[to] === 1 ? bandwidth : -bandwidth;
      pull[to] += inside[from] === 1 ? bandwidth : -bandwidth;
    }
    for (let node = 0; node < inside.length; node++) {
      if (inside[node] === 1 || pull[node] <= 0 || isChip.has(node)) continue;
      inside[node] = 1;
      changed = true;
    }
  }
  return { inside, holders };
}

/** Sides of cuts that are looked at without a flow: single ranks, declared groups, neighbouring ranks, ranks in patterns. */
import type { Collective } from '../../../ir/collective.ts';
import { ranksOf, type Topology } from '../../../ir/topology.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';
import { interleavedRanks } from './interleaved-ranks.ts';

/** Up to this many ranks, all runs of neighbouring ranks are cuts to look at. */
const mostRanksForRuns = 64;
/** Of more ranks, as many as this are looked at one by one, evenly spread. */
const mostAlone = 1024;
/** A side of a cut: nodes, and ranks whose data is there. */
export interface Side {
  readonly inside: Uint8Array;
  readonly holders: Uint8Array;
  /** Set where a flow searched for the tightest of all: whether this is it, or the best that the search came to. */
  readonly exact?: boolean;
}

/** Plain cuts, and those whose sides are interleaved. */
export function interleavedSides(collective: Collective, facts: MachineFacts): Side[] {
  const rate = (set: readonly number[]) => rateOf(collective, facts, sideOf(facts.topology, set));
  const interleaved = interleavedRanks(ranksOf(facts.topology), rate);
  return [...plainSides(facts, true), ...interleaved.map((set) => sideOf(facts.topology, set))];
}

/** Bytes that must cross a cut, of a message of one, for its bandwidth. */
export function rateOf(collective: Collective, facts: MachineFacts, side: Side): number {
  const { sources, targets } = acrossAll(side);
  const bandwidth = sideBandwidth(facts, side);
  return bandwidth === 0 ? 0 : bytesBetween(collective, 1, sources, targets) / bandwidth;
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

/** All ranks on the one side, and on the other. */
export function acrossAll({ holders }: Side): { readonly sources: number[]; readonly targets: number[] } {
  const sources: number[] = [];
  const targets: number[] = [];
  for (let rank = 0; rank < holders.length; rank++) {
    if (holders[rank] === 1) sources.push(rank);
    else targets.push(rank);
  }
  return { sources, targets };
}

/**
 * Every rank against the rest, declared groups, and perhaps runs of neighbouring ranks; each as the inside and as the outside.
 * @param ofOne of the ranks by themselves the first speaks for all
 */
export function plainSides(facts: MachineFacts, withRuns: boolean, ofOne = false): Side[] {
  const { topology } = facts;
  const ranks = ranksOf(topology);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const stride = ofOne ? ranks : Math.ceil(ranks / mostAlone);
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
  const leaving = new Float64Array(topology.nodes.length);
  const entering = new Float64Array(topology.nodes.length);
  for (const { from, to, bandwidth } of topology.links) {
    leaving[from] += bandwidth;
    entering[to] += bandwidth;
  }
  return [...sides, ...outer].flatMap((side) => [side, ...alone(facts, side, leaving, entering)]);
}

/**
 * Where a single rank is on one side, and its ports are scarce: the same with its links on the other side.
 * @param leaving bandwidth of the links that leave each node; likewise `entering`
 */
function alone(
  { topology, sends, receives }: MachineFacts,
  side: Side,
  leaving: Float64Array,
  entering: Float64Array,
): Side[] {
  const { sources, targets } = acrossAll(side);
  const [rank] = sources.length === 1 ? sources : targets;
  if (sources.length !== 1 && targets.length !== 1) return [];
  const chip = topology.chips[rank];
  const [linked, through] = sources.length === 1 ? [leaving[chip], sends[rank]] : [entering[chip], receives[rank]];
  if (linked <= through) return [];
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

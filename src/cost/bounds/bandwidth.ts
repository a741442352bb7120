/**
 * Bandwidth: the tightest of the cuts that are looked at (every chip against the rest both ways, declared groups,
 * neighbouring ranks), and for allreduce the number of messages that it takes in all.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import { cutCertificate, cutSeconds, type Side } from './cut.ts';
import type { Latencies } from './latencies.ts';

/** Work that looking at cuts may take, in links looked at; beyond it, cuts are sampled evenly. */
const searchBudget = 20_000_000;
/** Up to this many ranks, all runs of neighbouring ranks are cuts to look at. */
const mostRanksForRuns = 64;

export function bandwidthBounds(
  collective: Collective,
  topology: Topology,
  size: Bytes,
  latencies: Latencies,
): Certificate[] {
  const cuts = candidateCuts(topology);
  const stride = Math.ceil((cuts.length * (topology.links.length + topology.nodes.length)) / searchBudget);
  let best: Side | undefined;
  let most = 0;
  for (let c = 0; c < cuts.length; c += stride) {
    for (const side of [cuts[c], cuts[c].map((inside) => 1 - inside)]) {
      const seconds = cutSeconds(collective, topology, size, side, latencies);
      if (!Number.isFinite(seconds) || seconds <= most) continue;
      best = side;
      most = seconds;
    }
  }
  const certificates = best === undefined ? [] : [cutCertificate(collective, topology, size, best, latencies)];
  if (collective.kind === 'allreduce') certificates.push(...messageCountBounds(topology, size, latencies));
  return certificates;
}

/** Sets of ranks, each taken as the inside once and as the outside once. */
function candidateCuts(topology: Topology): Side[] {
  const ranks = ranksOf(topology);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const sets: (readonly number[])[] = [...all.map((rank) => [rank]), ...topology.groups];
  if (ranks <= mostRanksForRuns) {
    for (let length = 2; length <= ranks / 2; length++) {
      for (const first of all) sets.push(Array.from({ length }, (_, i) => (first + i) % ranks));
    }
  }
  return sets.map((set) => sideOf(topology, set));
}

/** These ranks on the inside, and with them the switches and hosts that have most of their bandwidth to them. */
function sideOf(topology: Topology, set: readonly number[]): Side {
  const side = new Uint8Array(topology.nodes.length);
  for (const rank of set) side[topology.chips[rank]] = 1;
  if (topology.nodes.length === topology.chips.length) return side;
  const isChip = new Set(topology.chips);
  for (let changed = true, round = 0; changed && round < topology.nodes.length; round++) {
    changed = false;
    const pull = new Float64Array(topology.nodes.length);
    for (const { from, to, bandwidth } of topology.links) {
      pull[from] += side[to] === 1 ? bandwidth : -bandwidth;
      pull[to] += side[from] === 1 ? bandwidth : -bandwidth;
    }
    for (let node = 0; node < side.length; node++) {
      if (side[node] === 1 || pull[node] <= 0 || isChip.has(node)) continue;
      side[node] = 1;
      changed = true;
    }
  }
  return side;
}

/**
 * An allreduce takes at least 2(N − 1) messages for each chunk: when the first rank has the whole result, each of the
 * others must have sent a message with its contribution, and none of them can have the result, so each must still receive one
 * (the argument for gossiping one way: Harary and Schwenk, "The communication problem on graphs and digraphs", 1974). They
 * all pass the links out of some chip and into some chip, so T ≥ α + 2(N − 1)M / Σβ over all those links.
 */
function messageCountBounds(topology: Topology, size: Bytes, latencies: Latencies): Certificate[] {
  const bytes = 2 * (ranksOf(topology) - 1) * size;
  if (bytes === 0) return [];
  const latency = latencies.betweenAnyTwo();
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    const bandwidth = totalBandwidth(topology, direction);
    if (bandwidth === 0) return [];
    const way = direction === 'out' ? 'leave the chips' : 'enter the chips';
    const reason = `every byte takes 2(N − 1) messages: ${formatBytes(bytes)} must ${way}, through ${formatBytesPerSecond(bandwidth)} in all`;
    return [{ kind: 'bandwidth', seconds: latency + bytes / bandwidth, reason, witness: { direction } }];
  });
}

/** What all chips together can send (`out`) or receive (`in`), with their ports' fastest links at work. */
function totalBandwidth(topology: Topology, direction: 'out' | 'in'): number {
  const links = new Map<number, number[]>(topology.chips.map((chip) => [chip, []]));
  for (const link of topology.links) links.get(direction === 'out' ? link.from : link.to)?.push(link.bandwidth);
  let total = 0;
  for (const [chip, bandwidths] of links) {
    const { ports } = topology.nodes[chip];
    bandwidths.sort((a, b) => b - a);
    for (const bandwidth of bandwidths.slice(0, direction === 'out' ? ports.send : ports.receive)) total += bandwidth;
  }
  return total;
}

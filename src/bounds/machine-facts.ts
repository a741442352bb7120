/**
 * Facts about a machine that bounds need whatever the collective and the size, computed once per topology and cached
 * with it.
 */

import { chipsAreAlike } from '../graph/alike-chips.ts';
import { type Topology, transpose } from '../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';
import { Latencies } from './latency/latencies.ts';

export interface MachineFacts {
  readonly topology: Topology;
  /** True if all chips are known to be equivalent under a symmetry of the machine (alike-chips.ts). */
  readonly alike: boolean;
  readonly latencies: Latencies;
  /**
   * Latencies of the transposed machine: `backwards.from(v)[u]` is the least Σα from u to v. The same object as
   * `latencies` if every link has a reverse link of the same latency.
   */
  readonly backwards: Latencies;
  /** By node: least Σα from some rank to it, 0 for the ranks' own nodes. */
  readonly nearestRank: Float64Array;
  /** By rank: least Σα from another rank to it. */
  readonly nearestOther: Float64Array;
  /** By rank: least Σα from it to another rank. */
  readonly nearestFrom: Float64Array;
  /** By rank: all its incoming links are `blocking`. */
  readonly enteredByBlocking: readonly boolean[];
  /**
   * By rank: the sum of the bandwidths of its P fastest outgoing (`sends`) and incoming (`receives`) links, P being its
   * ports.
   */
  readonly sends: readonly BytesPerSecond[];
  readonly receives: readonly BytesPerSecond[];
  /** Cached results of searches, by name. */
  readonly found: Map<string, unknown>;
}

const known = new WeakMap<Topology, MachineFacts>();

export function machineFacts(topology: Topology): MachineFacts {
  let facts = known.get(topology);
  if (facts === undefined) {
    facts = gather(topology);
    known.set(topology, facts);
  }
  return facts;
}

/** Returns the cached result of `search` for this machine and name, or computes it. */
export function once<Result>(facts: MachineFacts, name: string, search: () => Result): Result {
  if (!facts.found.has(name)) facts.found.set(name, search());
  return facts.found.get(name) as Result;
}

function gather(topology: Topology): MachineFacts {
  const { chips, links, nodes } = topology;
  const latencies = new Latencies(topology);
  const backwards = isAsFarBack(topology) ? latencies : new Latencies(transpose(topology));
  const leaving: BytesPerSecond[][] = nodes.map(() => []);
  const entering: BytesPerSecond[][] = nodes.map(() => []);
  const entered = new Uint8Array(nodes.length).fill(1);
  for (const { from, to, bandwidth, occupancy } of links) {
    leaving[from].push(bandwidth);
    entering[to].push(bandwidth);
    if (occupancy === 'pipelined') entered[to] = 0;
  }
  const isChip = new Set(chips);
  const alike = chipsAreAlike(topology);
  const nearestTo = (ways: Latencies) => {
    const nearest = (chip: number): Seconds => ways.nearest([chip], (node) => node !== chip && isChip.has(node));
    return alike ? new Float64Array(chips.length).fill(nearest(chips[0])) : Float64Array.from(chips, nearest);
  };
  return {
    topology,
    alike,
    latencies,
    backwards,
    nearestRank: latencies.fromAny(chips),
    nearestOther: nearestTo(backwards),
    nearestFrom: nearestTo(latencies),
    enteredByBlocking: chips.map((chip) => entered[chip] === 1),
    sends: chips.map((chip) => sumOfFastest(leaving[chip], nodes[chip].ports.send)),
    receives: chips.map((chip) => sumOfFastest(entering[chip], nodes[chip].ports.receive)),
    found: new Map(),
  };
}

/** Whether every link has a reverse link of the same latency. */
function isAsFarBack({ links }: Topology): boolean {
  const there = new Set(links.map(({ from, to, latency }) => `${from} ${to} ${latency}`));
  return links.every(({ from, to, latency }) => there.has(`${to} ${from} ${latency}`));
}

function sumOfFastest(bandwidths: BytesPerSecond[], count: number): BytesPerSecond {
  bandwidths.sort((a, b) => b - a);
  return bandwidths.slice(0, count).reduce((sum, bandwidth) => sum + bandwidth, 0);
}

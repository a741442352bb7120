/**
 * The earliest time at which all ranks can know one rank's data, given that a chip sends only so many messages at a
 * time. Notation (c(p), families, prices λ) as in certificates/spreading.ts and certificates/families.ts.
 */

import { KeyedHeap } from '../../graph/keyed-heap.ts';
import type { Direction } from '../../ir/certificate.ts';
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { maxAllPairsNodes } from './latencies.ts';

/** Limits: thresholds tried for θ, parts into which the latency a is divided, and time steps examined. */
const [mostClasses, mostParts, mostSteps] = [4, 3, 120];
const priceRounds = 40;

export interface News {
  /** The earliest time at which the last rank can know, ignoring bytes. */
  readonly seconds: Seconds;
  readonly families?: Families;
}

/**
 * The proof for classes of ranks at least θ apart: the prices λ by the time that a family has left, in steps of `unit`.
 */
export interface Families {
  readonly apart: Seconds;
  readonly unit: Seconds;
  readonly prices: readonly number[];
}

/**
 * @param slots d: the number of messages that any chip can send at a time (`out`), or receive (`in`, with time
 * reversed)
 * @returns undefined on machines too large to examine all pairs
 */
export function slowestNews(facts: MachineFacts, direction: Direction, slots: number): News | undefined {
  const { topology } = facts;
  const { chips } = topology;
  if (chips.length > maxAllPairsNodes) return undefined;
  const latencies = direction === 'out' ? facts.latencies : facts.backwards;
  return once(facts, `news of ${slots} ${latencies === facts.latencies ? 'out' : 'in'}`, () => {
    const waysFrom = (chip: number): Float64Array => {
      const from = latencies.from(chip);
      return Float64Array.from(chips, (other) => from[other]);
    };
    // Distances without the chip itself, which is the nearest.
    const sorted = (facts.alike ? chips.slice(0, 1) : chips).map((chip) => waysFrom(chip).sort().subarray(1));
    const nearest = Array.from(minOfEach(sorted));
    const seconds = byNeighbours(nearest, slots);
    if (areJoined(topology, nearest[0])) return { seconds };
    const ways = chips.map((chip) => Array.from(waysFrom(chip)));
    return thresholds(sorted).reduce(
      (slowest: News, apart) => {
        const families = byFamilies(ways, apart, nearest[0], slots, slowest.seconds);
        return families === undefined ? slowest : { seconds: families.prices.length * families.unit, families };
      },
      { seconds },
    );
  });
}

function minOfEach(rows: readonly Float64Array[]): Float64Array {
  const least = rows[0].slice();
  for (const row of rows) for (let at = 0; at < least.length; at++) if (row[at] < least[at]) least[at] = row[at];
  return least;
}

/**
 * The time at which the N-th rank knows, if p other ranks can know c(p) after a rank, because of it.
 * @param nearest δ: distances to the nearest other ranks, ascending
 */
export function byNeighbours(nearest: readonly Seconds[], slots: number): Seconds {
  const sums = [0];
  for (const latency of nearest) sums.push(sums[sums.length - 1] + latency);
  const after = (p: number) => Math.max(nearest[p - 1], sums[p] / slots, sums[Math.ceil(p / slots)]);
  const births: { readonly parent: Seconds; readonly p: number }[] = [];
  const queue = new KeyedHeap();
  const expect = (parent: Seconds, p: number) => {
    if (p > nearest.length) return;
    queue.push(parent + after(p), births.length);
    births.push({ parent, p });
  };
  let last = 0;
  expect(0, 1);
  for (let known = 1; known <= nearest.length; known++) {
    last = queue.minKey;
    const { parent, p } = births[queue.pop()];
    expect(parent, p + 1);
    expect(last, 1);
  }
  return last;
}

/** Whether links of at most this latency join all chips directly: then there are no classes that are farther apart. */
function areJoined({ nodes, links, chips }: Topology, latency: Seconds): boolean {
  if (nodes.length > chips.length) return false;
  const sets = new DisjointSets(nodes.length);
  let joints = 0;
  for (const link of links) if (link.latency <= latency && sets.join(link.from, link.to)) joints++;
  return joints === nodes.length - 1;
}

/** Candidate values of θ, sampled evenly from the distances that occur. */
function thresholds(sorted: readonly Float64Array[]): Seconds[] {
  const different = [...new Set(sorted.flatMap((row) => Array.from(row)))].sort((a, b) => a - b).slice(1);
  const stride = Math.ceil(different.length / mostClasses);
  return different.filter((_, index) => index % stride === 0);
}

/** The prices that prove the latest time beyond `seconds`, over several step sizes. */
function byFamilies(
  ways: readonly (readonly Seconds[])[],
  threshold: Seconds,
  near: Seconds,
  slots: number,
  seconds: Seconds,
): Families | undefined {
  if (near <= 0) return undefined;
  const classes = classesOf(ways, threshold);
  const size = Math.max(...classes.map((each) => classes.filter((other) => other === each).length));
  if (size === ways.length) return undefined;
  const apart = ways
    .flatMap((way, a) => way.filter((_, b) => classes[a] !== classes[b]))
    .reduce((a, b) => Math.min(a, b));
  let best: Families | undefined;
  let most = seconds * (1 + 1e-9);
  for (let parts = 1; parts <= mostParts; parts++) {
    const unit = near / parts;
    const far = Math.floor((apart / unit) * (1 + 1e-12));
    const prices = pricesUntilAllKnow({ near: parts, far, slots, size, ranks: ways.length });
    if (prices === undefined || prices.length * unit <= most) continue;
    most = prices.length * unit;
    best = { apart, unit, prices };
  }
  return best;
}

/** By rank, the smallest rank that it is connected to by paths shorter than θ, in either direction (its class). */
function classesOf(ways: readonly (readonly Seconds[])[], threshold: Seconds): number[] {
  const classes = ways.map((_, rank) => rank);
  for (const [a, way] of ways.entries()) {
    for (const [b, seconds] of way.entries()) {
      if (a === b || seconds >= threshold || classes[a] === classes[b]) continue;
      const [from, to] = [Math.max(classes[a], classes[b]), Math.min(classes[a], classes[b])];
      for (const [rank, old] of classes.entries()) if (old === from) classes[rank] = to;
    }
  }
  return classes;
}

interface Growth {
  /** Steps that a message takes within a class, and between two classes. */
  readonly near: number;
  readonly far: number;
  readonly slots: number;
  readonly size: number;
  readonly ranks: number;
}

/** The prices λ for families with 0, 1, … steps left, up to the last time at which not all ranks can know. */
function pricesUntilAllKnow(growth: Growth): number[] | undefined {
  const known: number[] = [];
  const prices: number[] = [];
  for (let steps = 0; steps < mostSteps; steps++) {
    const { price, most } = bestPrice(steps, known, growth);
    if (most >= growth.ranks) return prices;
    known.push(most);
    prices.push(price);
  }
  return undefined;
}

/** The price λ that minimises the bound on h, which is convex in λ. */
function bestPrice(steps: number, known: readonly number[], growth: Growth): { price: number; most: number } {
  const at = (price: number) => 1 + growth.slots * valueOfSlot(steps, price, known, growth) + price * (growth.size - 1);
  let [low, high] = [0, growth.ranks];
  for (let round = 0; round < priceRounds; round++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(left) <= at(right)) high = right;
    else low = left;
  }
  const rounded = Math.round(low * 1e4) / 1e4;
  const price = at(0) <= at(rounded) ? 0 : rounded;
  return { price, most: Math.floor(at(price) + 1e-9) };
}

/** v: the value of one slot of a chip for the rest of the time. */
function valueOfSlot(steps: number, price: number, known: readonly number[], { near, far, slots }: Growth): number {
  const value: number[] = [];
  for (let step = 0; step <= steps; step++) {
    let most = step === 0 ? 0 : value[step - 1];
    if (step >= near) most = Math.max(most, value[step - near] * (1 + slots) + 1 - price);
    if (step >= far) most = Math.max(most, value[step - far] + known[step - far]);
    value.push(most);
  }
  return value[steps];
}

/**
 * List scheduling in continuous time: whenever something becomes free, the ways that can bring most per second start, each
 * with the rarest items that its receiver lacks and that nobody else is bringing. The policy says what is tried otherwise.
 */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { ShouldStop } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { perOperation } from '../../limits.ts';
import { lowestBit } from '../bits.ts';
import { Holdings } from '../holdings.ts';
import { type Spread, startOf } from '../spread.ts';
import type { Ways } from '../ways.ts';
import { type Listener, Occupancy } from './occupancy.ts';
import { chosenTogether, JointWays, looksPerWay } from './together.ts';

export interface Policy {
  /** A message gets no more items than take this many times its latency; one at least. */
  readonly latencies: number;
  /** Which of several receivers is served first: the one that is reached soonest, or the farthest. */
  readonly prefer: 'near' | 'far';
  /** An item is left to a faster way if that brings it this many times as fast; 0: it is never left. */
  readonly patience: number;
  /** Whether all ways that start at an instant are chosen together (together.ts), for messages that keep every link busy for whole item times. */
  readonly together: boolean;
  /** How far random numbers change the order of ways, as a share of what they bring per second. */
  readonly noise: number;
}

/** A message of one attempt. */
export interface Message {
  readonly way: number;
  readonly items: readonly number[];
}

export interface Result {
  /** In the order they start. */
  readonly messages: readonly Message[];
  /** When the last of them arrives. */
  readonly seconds: Seconds;
  /** The instants at which items arrive, added up. */
  readonly arrivals: Seconds;
  readonly policy: Policy;
  /** How often all ways that start at an instant were chosen together, and where chance began anew. */
  readonly turns: number;
  readonly chances: readonly Chance[];
  /** In operations of a plan. */
  readonly work: number;
}

/** From a turn on chance begins anew with a seed: before it, everything is as in an attempt with the same chances until then. */
export interface Chance {
  readonly from: number;
  readonly seed: number;
}

/**
 * One attempt; undefined when some rank cannot get something.
 *
 * @param shouldStop told of the work; what it answers is for whoever would make another attempt
 */
export function attemptEvents(
  ways: Ways,
  spread: Spread,
  itemBytes: Bytes,
  policy: Policy,
  random: Random,
  shouldStop: ShouldStop,
  chances: readonly Chance[] = [],
): Result | undefined {
  return new Attempt(ways, spread, itemBytes, policy, random, chances).run(shouldStop);
}

class Attempt implements Listener {
  private readonly ways: Ways;
  private readonly itemBytes: Bytes;
  private readonly policy: Policy;
  private random: Random;
  private readonly chances: readonly Chance[];
  private turns = 0;
  private readonly occupancy: Occupancy;
  private readonly items: number;
  private readonly holdings: Holdings;
  /** `availableAt[rank · items + item]`: when the rank has it, as far as that is known. */
  private readonly availableAt: Float64Array;
  /** Seconds that a message of one item takes on each way. */
  private readonly duration: Float64Array;
  /** For ways that start together. */
  private readonly joint: JointWays | undefined;
  /** `ways.into` with the quickest of each rank's ways first. */
  private readonly quickestInto: Int32Array;
  /** Items that could go into the message at hand, and how rare each is. */
  private readonly found: Int32Array;
  private readonly rarity: Float64Array;
  private readonly queue = new KeyedHeap(64);
  private readonly messages: Message[] = [];
  private readonly touched: number[] = [];
  private readonly isTouched: Uint8Array;
  /** Ways that have left all they could bring to faster ones: no less so later, unless more comes, or nothing else goes on. */
  private readonly declined = new Set<number>();
  private seconds = 0;
  private arrivals = 0;
  private looks = 0;

  constructor(
    ways: Ways,
    spread: Spread,
    itemBytes: Bytes,
    policy: Policy,
    random: Random,
    chances: readonly Chance[],
  ) {
    const { ranks, origin } = spread;
    const items = origin.length;
    this.ways = ways;
    this.itemBytes = itemBytes;
    this.policy = policy;
    this.random = random;
    this.chances = chances;
    this.occupancy = new Occupancy(ways);
    this.items = items;
    this.holdings = new Holdings(spread);
    this.availableAt = new Float64Array(ranks * items).fill(Number.POSITIVE_INFINITY);
    this.isTouched = new Uint8Array(ways.from.length);
    this.duration = ways.latency.map((latency, way) => latency + itemBytes / ways.bandwidth[way]);
    this.joint = policy.together ? new JointWays(ways) : undefined;
    this.quickestInto = sortedBy(this.duration, ways);
    this.found = new Int32Array(items);
    this.rarity = new Float64Array(items);
    for (const [rank, item] of startOf(spread)) this.availableAt[rank * items + item] = 0;
  }

  run(shouldStop: ShouldStop): Result | undefined {
    for (let way = 0; way < this.ways.from.length; way++) this.freed(way);
    for (;;) {
      const looks = this.looks;
      this.dispatch(this.policy.patience);
      shouldStop((this.looks - looks) / perOperation.ways);
      if (this.holdings.missing === 0) {
        const { messages, seconds, arrivals, policy, turns, chances } = this;
        return { messages, seconds, arrivals, policy, turns, chances, work: this.looks / perOperation.ways };
      }
      if (this.occupancy.advance(this)) continue;
      const before = this.messages.length;
      for (const way of this.declined) this.freed(way);
      this.declined.clear();
      this.dispatch(0);
      if (this.messages.length === before) return undefined;
    }
  }

  arrived(message: number): void {
    const { way, items } = this.messages[message];
    const rank = this.ways.to[way];
    for (const item of items) this.holdings.arrive(rank, item);
    for (let out = this.ways.firstOut[rank]; out < this.ways.firstOut[rank + 1]; out++) this.freed(out);
  }

  freed(way: number): void {
    if (this.isTouched[way] === 1) return;
    this.isTouched[way] = 1;
    this.touched.push(way);
  }

  /** Starts what can start, the most useful first; what a way is worth only falls while others start (lazy greedy). */
  private dispatch(patience: number): void {
    const { queue } = this;
    if (this.joint !== undefined) this.startTogether(this.joint, patience);
    for (const way of this.touched) {
      this.isTouched[way] = 0;
      const worth = this.worthOf(way);
      if (worth !== undefined) queue.push(-worth, way);
    }
    this.touched.length = 0;
    while (queue.length > 0) {
      const known = -queue.leastKey;
      const way = queue.pop();
      const useful = this.usefulItems(way);
      if (useful === 0 || !this.occupancy.isFree(way)) continue;
      const worth = this.worth(way, useful);
      if (worth < known * (1 - this.policy.noise) && worth < -queue.leastKey) queue.push(-worth, way);
      else this.tryStart(way, patience);
    }
  }

  /** A way is worth what its receiver lacks, times the part of the receiver's bandwidth that it fills. */
  private startTogether({ partOfReceiver }: JointWays, patience: number): void {
    const again = this.chances.find(({ from }) => from === this.turns);
    if (again !== undefined) this.random = new Random(again.seed);
    this.turns++;
    const { ways, holdings, policy, random } = this;
    const candidates = this.touched.filter((way) => this.occupancy.isFree(way) && this.usefulItems(way) > 0);
    this.looks += looksPerWay * candidates.length;
    const worth = new Float64Array(ways.from.length);
    for (const way of candidates) {
      const changed = 1 + (policy.noise * random.next()) / 2 ** 32;
      worth[way] = holdings.lacking[ways.to[way]] * partOfReceiver[way] * changed;
    }
    for (const way of chosenTogether(candidates, worth, this.occupancy, random)) this.tryStart(way, patience);
  }

  /** Undefined for a way that is not free or has nothing to bring. */
  private worthOf(way: number): number | undefined {
    this.looks++;
    if (!this.occupancy.isFree(way)) return undefined;
    const useful = this.usefulItems(way);
    if (useful === 0) return undefined;
    return this.worth(way, useful) * (1 + (this.policy.noise * this.random.next()) / 2 ** 32);
  }

  /** Items per second (or times seconds); then receivers that lack most, then those that follow the sender most closely. */
  private worth(way: number, useful: number): number {
    const { ways, items, policy } = this;
    const [from, to] = [ways.from[way], ways.to[way]];
    const count = Math.min(useful, this.mostItems(way));
    const seconds = ways.latency[way] + (count * this.itemBytes) / ways.bandwidth[way];
    const rate = policy.prefer === 'near' ? count / seconds : count * seconds;
    const apart = (to - from + ways.ranks) % ways.ranks;
    return rate * (1 + 1e-3 * (this.holdings.lacking[to] / items) + 1e-6 * (1 - apart / ways.ranks));
  }

  private mostItems(way: number): number {
    const { policy, itemBytes, items, ways, joint } = this;
    if (joint !== undefined) return joint.wholeItems[way];
    if (policy.latencies === Number.POSITIVE_INFINITY || itemBytes === 0) return items;
    return Math.max(1, Math.floor((policy.latencies * ways.latency[way] * ways.bandwidth[way]) / itemBytes));
  }

  /** How many items the sender has that the receiver neither has nor is being brought. */
  private usefulItems(way: number): number {
    return this.holdings.useful(this.ways.from[way], this.ways.to[way]);
  }

  private tryStart(way: number, patience: number): void {
    const chosen = this.chooseItems(way, patience);
    if (chosen.length === 0) {
      this.declined.add(way);
      return;
    }
    const to = this.ways.to[way];
    const arrival = this.occupancy.start(this.messages.length, way, chosen.length * this.itemBytes);
    this.messages.push({ way, items: chosen });
    for (const item of chosen) {
      this.holdings.promise(to, item);
      this.availableAt[to * this.items + item] = arrival;
    }
    this.seconds = Math.max(this.seconds, arrival);
    this.arrivals += arrival * chosen.length;
  }

  /** The rarest items for a message: all that only this way can bring now, and its share of those that others could. */
  private chooseItems(way: number, patience: number): number[] {
    const { ways, found, rarity } = this;
    const { words, has, gets, holders } = this.holdings;
    const [from, to] = [ways.from[way], ways.to[way]];
    let number = 0;
    for (let word = 0; word < words; word++) {
      const useful = has[from * words + word] & ~gets[to * words + word];
      for (let rest = useful; rest !== 0; rest &= rest - 1) {
        const item = 32 * word + lowestBit(rest);
        if (this.joint === undefined) this.looks++;
        if (patience === 0 || !this.comesSooner(item, way, patience)) found[number++] = item;
      }
    }
    if (number <= 1) return Array.from(found.subarray(0, number));
    const rivals = this.rivalsOf(way);
    let share = 0;
    for (let index = 0; index < number; index++) {
      const item = found[index];
      let others = 0;
      for (const rank of rivals) others += (has[rank * words + (item >> 5)] >>> (item & 31)) & 1;
      share += 1 / (1 + others);
      rarity[index] = holders[item] + others * ways.ranks + this.random.next() / 2 ** 32;
    }
    const count = Math.min(this.mostItems(way), Math.ceil(share - 1e-9));
    if (count >= number) return Array.from(found.subarray(0, number));
    const order = Array.from({ length: number }, (_, index) => index).sort((a, b) => rarity[a] - rarity[b]);
    return order
      .slice(0, count)
      .map((index) => found[index])
      .sort((a, b) => a - b);
  }

  /** Ranks that could send to the same receiver at this instant, over ways that would not take much longer. */
  private rivalsOf(way: number): number[] {
    const { ways, occupancy, duration } = this;
    const to = ways.to[way];
    const rivals: number[] = [];
    if (ways.receivePorts[to] === 1) return rivals;
    for (let w = ways.firstInto[to]; w < ways.firstInto[to + 1]; w++) {
      const other = ways.into[w];
      if (other === way || duration[other] > 1.5 * duration[way]) continue;
      if (occupancy.isFree(other)) rivals.push(ways.from[other]);
    }
    return rivals;
  }

  /** Whether another way, from a rank that has an item or gets it, brings it so much sooner that it is left to that. */
  private comesSooner(item: number, way: number, patience: number): boolean {
    const { ways, availableAt, items, duration, quickestInto } = this;
    const { now } = this.occupancy;
    const own = duration[way];
    const to = ways.to[way];
    for (let w = ways.firstInto[to]; w < ways.firstInto[to + 1]; w++) {
      const other = quickestInto[w];
      if (patience * duration[other] >= own) return false;
      const wait = Math.max(0, availableAt[ways.from[other] * items + item] - now);
      if (patience * (wait + duration[other]) < own) return true;
    }
    return false;
  }
}

/** Ways into each rank, where they stand in `ways.into`, by a number that they have, least first. */
function sortedBy(duration: Float64Array, { ranks, into, firstInto }: Ways): Int32Array {
  const sorted = into.slice();
  for (let rank = 0; rank < ranks; rank++) {
    sorted.subarray(firstInto[rank], firstInto[rank + 1]).sort((a, b) => duration[a] - duration[b] || a - b);
  }
  return sorted;
}

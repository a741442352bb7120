/**
 * List scheduling in continuous time: whenever something becomes free, the ways that can bring most per second start, each
 * with the rarest items that its receiver lacks and that nobody else is bringing. The policy says what is tried otherwise.
 */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { perOperation } from '../../limits.ts';
import { Holdings, lowestBit } from '../holdings.ts';
import type { SpreadProblem } from '../problem.ts';
import { type Spread, startOf } from '../spread.ts';
import type { Ways } from '../ways.ts';
import { type Listener, Occupancy } from './occupancy.ts';
import { looksPerWay, TogetherChoice, wholeItems } from './together.ts';

export interface Policy {
  /** A message gets no more items than take this many times its latency; one at least. */
  readonly latencies: number;
  /** Whether an item is left to a faster way that brings it sooner. */
  readonly patient: boolean;
  /** Whether the receiver that is reached last is served first, and not the one that is reached soonest. */
  readonly farFirst: boolean;
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
  readonly policy: Policy;
  /** In operations of a plan. */
  readonly work: number;
}

/** One attempt; undefined when some rank cannot get something. Whoever would make another one asks whether to stop. */
export function attemptEvents(
  spread: Spread,
  problem: SpreadProblem,
  policy: Policy,
  random: Random,
): Result | undefined {
  return new Attempt(spread, problem, policy, random).run();
}

class Attempt implements Listener {
  private readonly problem: SpreadProblem;
  private readonly policy: Policy;
  private readonly random: Random;
  private readonly ways: Ways;
  private readonly items: number;
  private readonly itemBytes: Bytes;
  private readonly occupancy: Occupancy;
  private readonly holdings: Holdings;
  /** `availableAt[rank · items + item]`: when the rank has it, as far as that is known. */
  private readonly availableAt: Float64Array;
  /** Seconds that a message of one item takes on each way; its items at most. */
  private readonly duration: Float64Array;
  private readonly mostItems: ArrayLike<number>;
  /** `ways.into` with the quickest of each rank's ways first. */
  private readonly quickestInto: Int32Array;
  private readonly choice: TogetherChoice;
  /** By way, of those that could start together. */
  private readonly worth: Float64Array;
  private readonly queue = new KeyedHeap(64);
  private readonly messages: Message[] = [];
  /** Of the items that a message could bring. */
  private readonly rarity: Float64Array;
  private touched: number[] = [];
  private readonly isTouched: Uint8Array;
  /** Ways that have left all they could bring to faster ones: no less so later, unless more comes, or nothing else goes on. */
  private readonly declined = new Set<number>();
  private seconds = 0;
  private looks = 0;

  constructor(spread: Spread, problem: SpreadProblem, policy: Policy, random: Random) {
    const ways = problem.ways();
    const { ranks, origin } = spread;
    this.problem = problem;
    this.policy = policy;
    this.random = random;
    this.ways = ways;
    this.items = origin.length;
    this.itemBytes = problem.size / origin.length;
    this.occupancy = new Occupancy(ways);
    this.holdings = new Holdings(spread);
    this.rarity = new Float64Array(origin.length);
    this.isTouched = new Uint8Array(ways.arcs.length);
    this.availableAt = new Float64Array(ranks * origin.length).fill(Number.POSITIVE_INFINITY);
    for (const [rank, item] of startOf(spread)) this.availableAt[rank * origin.length + item] = 0;
    this.duration = ways.latency.map((latency, way) => latency + this.itemBytes / ways.bandwidth[way]);
    this.mostItems = policy.together ? wholeItems(ways) : ways.latency.map((_, way) => this.itemsWithin(way));
    this.choice = new TogetherChoice(ways, random);
    this.worth = new Float64Array(ways.arcs.length);
    this.quickestInto = quickestFirst(this.duration, ways);
  }

  run(): Result | undefined {
    for (let way = 0; way < this.ways.arcs.length; way++) this.freed(way);
    for (;;) {
      const looks = this.looks;
      this.dispatch(this.policy.patient);
      this.problem.shouldStop((this.looks - looks) / perOperation.ways);
      if (this.holdings.missing === 0) {
        const { messages, seconds, policy } = this;
        return { messages, seconds, policy, work: this.looks / perOperation.ways };
      }
      if (this.occupancy.advance(this)) continue;
      const before = this.messages.length;
      for (const way of this.declined) this.freed(way);
      this.declined.clear();
      this.dispatch(false);
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

  private dispatch(patient: boolean): void {
    const ways = this.touched;
    this.touched = [];
    for (const way of ways) this.isTouched[way] = 0;
    if (this.policy.together) this.startTogether(ways);
    else this.startInTurn(ways, patient);
  }

  /** Starts what can start, the most useful first; what a way is worth only falls while others start (lazy greedy). */
  private startInTurn(ways: readonly number[], patient: boolean): void {
    const { queue, policy } = this;
    this.looks += ways.length;
    for (const way of ways) {
      const worth = this.worthOf(way);
      if (worth >= 0) queue.push(-worth * this.chance(policy.noise), way);
    }
    while (queue.length > 0) {
      const known = -queue.leastKey;
      const way = queue.pop();
      const worth = this.worthOf(way);
      if (worth < 0) continue;
      if (worth < known * (1 - policy.noise) && worth < -queue.leastKey) queue.push(-worth, way);
      else this.tryStart(way, patient);
    }
  }

  /** A way is worth what its receiver lacks. */
  private startTogether(touched: readonly number[]): void {
    const { ways, holdings, policy, occupancy, worth } = this;
    const candidates = touched.filter((way) => occupancy.isFree(way) && this.usefulItems(way) > 0);
    this.looks += looksPerWay * candidates.length;
    for (const way of candidates) worth[way] = holdings.lacking[ways.to[way]] * this.chance(policy.noise);
    for (const way of this.choice.from(candidates, worth, occupancy.room)) this.tryStart(way, false);
  }

  /** 1, or up to so much more. */
  private chance(noise: number): number {
    return 1 + (noise * this.random.next()) / 2 ** 32;
  }

  /** Items per second (or times seconds), then receivers that lack most; −1 for a way that is not free or has nothing to bring. */
  private worthOf(way: number): number {
    const useful = this.occupancy.isFree(way) ? this.usefulItems(way) : 0;
    if (useful === 0) return -1;
    const { ways, items, policy } = this;
    const count = Math.min(useful, this.mostItems[way]);
    const seconds = ways.latency[way] + (count * this.itemBytes) / ways.bandwidth[way];
    const [from, to] = [ways.from[way], ways.to[way]];
    const apart = (to - from + ways.ranks) % ways.ranks;
    const rate = policy.farFirst ? count * seconds : count / seconds;
    return rate * (1 + 1e-3 * (this.holdings.lacking[to] / items) + 1e-6 * (1 - apart / ways.ranks));
  }

  /** Items that take the policy's number of latencies. */
  private itemsWithin(way: number): number {
    const { policy, itemBytes, items, ways } = this;
    if (policy.latencies === Number.POSITIVE_INFINITY || itemBytes === 0) return items;
    return Math.max(1, Math.floor((policy.latencies * ways.latency[way] * ways.bandwidth[way]) / itemBytes));
  }

  /** How many items the sender has that the receiver neither has nor is being brought. */
  private usefulItems(way: number): number {
    return this.holdings.useful(this.ways.from[way], this.ways.to[way]);
  }

  private tryStart(way: number, patient: boolean): void {
    const chosen = this.chooseItems(way, patient);
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
  }

  /** The rarest items for a message. */
  private chooseItems(way: number, patient: boolean): readonly number[] {
    const found = this.itemsFor(way, patient);
    const most = this.mostItems[way];
    if (found.length <= most) return found;
    const rarity = this.rarity.subarray(0, found.length);
    for (const [i, item] of found.entries()) rarity[i] = this.holdings.holders[item] + this.random.next() / 2 ** 32;
    if (most === 1) return [found[rarity.indexOf(rarity.reduce((least, each) => Math.min(least, each)))]];
    const greatest = rarity.slice().sort()[most - 1];
    return found.filter((_, i) => rarity[i] <= greatest).slice(0, most);
  }

  /** What the sender has and the receiver neither has nor is being brought, except what is left to faster ways. */
  private itemsFor(way: number, patient: boolean): number[] {
    const { words, has, gets } = this.holdings;
    const [from, to] = [this.ways.from[way] * words, this.ways.to[way] * words];
    const found: number[] = [];
    for (let word = 0; word < words; word++) {
      for (let rest = has[from + word] & ~gets[to + word]; rest !== 0; rest &= rest - 1) {
        const item = 32 * word + lowestBit(rest);
        this.looks++;
        if (!patient || !this.comesSooner(item, way)) found.push(item);
      }
    }
    return found;
  }

  /** Whether a faster way, from a rank that has an item or gets it, brings it sooner. */
  private comesSooner(item: number, way: number): boolean {
    const { ways, availableAt, items, duration, quickestInto } = this;
    const arrival = this.occupancy.now + duration[way];
    const to = ways.to[way];
    for (let w = ways.firstInto[to]; w < ways.firstInto[to + 1]; w++) {
      const other = quickestInto[w];
      if (duration[other] >= duration[way]) return false;
      const start = Math.max(this.occupancy.now, availableAt[ways.from[other] * items + item]);
      if (start + duration[other] < arrival) return true;
    }
    return false;
  }
}

function quickestFirst(duration: Float64Array, { ranks, into, firstInto }: Ways): Int32Array {
  const sorted = into.slice();
  for (let rank = 0; rank < ranks; rank++) {
    sorted.subarray(firstInto[rank], firstInto[rank + 1]).sort((a, b) => duration[a] - duration[b] || a - b);
  }
  return sorted;
}

/**
 * Items that everyone wants, in continuous time: each message brings the rarest items that its receiver lacks and that nobody else is bringing. The
 * policy says what is tried otherwise.
 */
import type { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { Holdings, lowestBit } from '../holdings.ts';
import { type Spread, startOf } from '../spread.ts';
import type { Ways } from '../ways.ts';
import type { Cargo, LoopPolicy, Message } from './loop.ts';
import type { Listener } from './occupancy.ts';
import { wholeItems } from './together.ts';

export interface Policy extends LoopPolicy {
  /** A message gets no more items than take this many times its latency; one at least. Those of ways that start together keep every link busy for whole item times. */
  readonly latencies: number;
  /** Whether an item is left to a faster way that brings it sooner. */
  readonly patient: boolean;
  /** Whether the receiver that is reached last is served first, and not the one that is reached soonest. */
  readonly farFirst: boolean;
}

export class SpreadCargo implements Cargo {
  looks = 0;
  private readonly policy: Policy;
  private readonly random: Random;
  private readonly ways: Ways;
  private readonly items: number;
  private readonly itemBytes: Bytes;
  private readonly holdings: Holdings;
  /** `availableAt[rank · items + item]`: when the rank has it, as far as that is known. */
  private readonly availableAt: Float64Array;
  /** Seconds that a message of one item takes on each way; its items at most. */
  private readonly duration: Float64Array;
  private readonly mostItems: ArrayLike<number>;
  /** `ways.into` with the quickest of each rank's ways first. */
  private readonly quickestInto: Int32Array;
  /** Of the items that a message could bring. */
  private readonly rarity: Float64Array;

  constructor(spread: Spread, ways: Ways, size: Bytes, policy: Policy, random: Random) {
    const { ranks, origin } = spread;
    this.policy = policy;
    this.random = random;
    this.ways = ways;
    this.items = origin.length;
    this.itemBytes = size / origin.length;
    this.holdings = new Holdings(spread);
    this.rarity = new Float64Array(origin.length);
    this.availableAt = new Float64Array(ranks * origin.length).fill(Number.POSITIVE_INFINITY);
    for (const [rank, item] of startOf(spread)) this.availableAt[rank * origin.length + item] = 0;
    this.duration = ways.latency.map((latency, way) => latency + this.itemBytes / ways.bandwidth[way]);
    this.mostItems = policy.together ? wholeItems(ways) : ways.latency.map((_, way) => this.itemsWithin(way));
    this.quickestInto = quickestFirst(this.duration, ways);
  }

  isDone(): boolean {
    return this.holdings.missing === 0;
  }

  bytesOf(items: readonly number[]): Bytes {
    return items.length * this.itemBytes;
  }

  /** Items per second (or times seconds), then receivers that lack most; of ways that start together what their receivers lack. */
  worthOf(way: number): number {
    const { ways, items, policy, holdings } = this;
    const [from, to] = [ways.from[way], ways.to[way]];
    const useful = holdings.useful(from, to);
    if (useful === 0) return -1;
    if (policy.together) return holdings.lacking[to];
    const count = Math.min(useful, this.mostItems[way]);
    const seconds = ways.latency[way] + (count * this.itemBytes) / ways.bandwidth[way];
    const apart = (to - from + ways.ranks) % ways.ranks;
    const rate = policy.farFirst ? count * seconds : count / seconds;
    return rate * (1 + 1e-3 * (holdings.lacking[to] / items) + 1e-6 * (1 - apart / ways.ranks));
  }

  /** The rarest items, except what is left to faster ways. */
  chosen(way: number, now: Seconds, isLast: boolean): readonly number[] {
    const found = this.itemsFor(way, now, this.policy.patient && !isLast);
    const most = this.mostItems[way];
    if (found.length <= most) return found;
    const rarity = this.rarity.subarray(0, found.length);
    for (const [i, item] of found.entries()) rarity[i] = this.holdings.holders[item] + this.random.next() / 2 ** 32;
    if (most === 1) return [found[rarity.indexOf(rarity.reduce((least, each) => Math.min(least, each)))]];
    const greatest = rarity.slice().sort()[most - 1];
    return found.filter((_, i) => rarity[i] <= greatest).slice(0, most);
  }

  started({ way, items }: Message, arrival: Seconds): void {
    const to = this.ways.to[way];
    for (const item of items) {
      this.holdings.promise(to, item);
      this.availableAt[to * this.items + item] = arrival;
    }
  }

  arrived({ way, items }: Message, loop: Pick<Listener, 'freed'>): void {
    const rank = this.ways.to[way];
    for (const item of items) this.holdings.arrive(rank, item);
    for (let out = this.ways.firstOut[rank]; out < this.ways.firstOut[rank + 1]; out++) loop.freed(out);
  }

  /** Items that take the policy's number of latencies. */
  private itemsWithin(way: number): number {
    const { policy, itemBytes, items, ways } = this;
    if (policy.latencies === Number.POSITIVE_INFINITY || itemBytes === 0) return items;
    return Math.max(1, Math.floor((policy.latencies * ways.latency[way] * ways.bandwidth[way]) / itemBytes));
  }

  /** What the sender has and the receiver neither has nor is being brought, except what is left to faster ways. */
  private itemsFor(way: number, now: Seconds, patient: boolean): number[] {
    const { words, has, gets } = this.holdings;
    const [from, to] = [this.ways.from[way] * words, this.ways.to[way] * words];
    const found: number[] = [];
    for (let word = 0; word < words; word++) {
      for (let rest = has[from + word] & ~gets[to + word]; rest !== 0; rest &= rest - 1) {
        const item = 32 * word + lowestBit(rest);
        this.looks++;
        if (!patient || !this.comesSooner(item, way, now)) found.push(item);
      }
    }
    return found;
  }

  /** Whether a faster way, from a rank that has an item or gets it, brings it sooner. */
  private comesSooner(item: number, way: number, now: Seconds): boolean {
    const { ways, availableAt, items, duration, quickestInto } = this;
    const arrival = now + duration[way];
    const to = ways.to[way];
    for (let w = ways.firstInto[to]; w < ways.firstInto[to + 1]; w++) {
      const other = quickestInto[w];
      if (duration[other] >= duration[way]) return false;
      const start = Math.max(now, availableAt[ways.from[other] * items + item]);
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

/**
 * Items that every rank needs, as cargo of the list scheduler: each message carries the rarest items that its receiver lacks and that no
 * other message is delivering to it. The policy selects variations of this rule.
 */
import type { Random } from '../../../ir/random.ts';
import { type Bytes, rounding, type Seconds } from '../../../ir/units.ts';
import { Holdings } from '../holdings.ts';
import type { RouteTable } from '../route-table.ts';
import { type Spread, startOf } from '../spread.ts';
import type { AttemptMessage, Cargo, LoopPolicy } from './loop.ts';
import type { Listener } from './occupancy.ts';
import { wholeItems } from './together.ts';
import { UsefulItems } from './useful-items.ts';

/**
 * Bounds on the choice of a message's items. The items are chosen from the first `comparedItems` that the message could carry, or from
 * `comparedPerCarried` times as many as it carries if that is more; searches of at most `itemsAllCompared` items compare all of them. Total
 * work is then linear and not quadratic in the number of items. On eight machines plans of 2,000 to 3,000 items take at most 0.03 % longer
 * than if all items were compared.
 */
const comparedItems = 256;
const itemsAllCompared = 1024;
const comparedPerCarried = 4;

/** Settings of one attempt: how long messages are, and which receivers and items come first. */
export interface Policy extends LoopPolicy {
  /**
   * Maximum transfer time of a message as a multiple of its arc's latency; it carries at least one item. Ignored with `together`, where
   * messages occupy every link for whole item times (`wholeItems`).
   */
  readonly latencies: number;
  /** Whether messages are just as long as all arcs into the ranks that lack most can deliver new items. */
  readonly paced: boolean;
  /**
   * Whether an item is left to a faster arc that delivers it sooner, as long as the faster arcs can deliver in time all that their receiver
   * lacks.
   */
  readonly patient: boolean;
  /** Whether the receiver that takes longest to reach is served first, instead of the one that is reached soonest. */
  readonly farFirst: boolean;
}

/** The items of one attempt, with which rank has them. */
export class SpreadCargo implements Cargo {
  probes = 0;
  private readonly policy: Policy;
  private readonly random: Random;
  private readonly routes: RouteTable;
  private readonly items: number;
  private readonly itemBytes: Bytes;
  private readonly holdings: Holdings;
  private readonly useful: UsefulItems;
  /** `availableAt[rank · items + item]`: when the rank has the item, in seconds; Infinity while that is not known. */
  private readonly availableAt: Float64Array;
  /** By arc: the time of a message of one item in seconds, and the maximum number of items per message. */
  private readonly duration: Float64Array;
  private readonly mostItems: ArrayLike<number>;
  /** By rank: total bandwidth of the arcs into it; and the minimum bandwidth of any arc, both in bytes per second. */
  private readonly widthInto: Float64Array;
  private readonly narrowest: number;
  private pacedAt: Seconds = -1;
  private pace = 0;
  /** Scratch array for the rarity of the items under comparison. */
  private readonly rarity: Float64Array;

  constructor(spread: Spread, ways: RouteTable, size: Bytes, policy: Policy, random: Random) {
    const { ranks, origin } = spread;
    this.policy = policy;
    this.random = random;
    this.routes = ways;
    this.items = origin.length;
    this.itemBytes = size / origin.length;
    this.holdings = new Holdings(spread);
    this.useful = new UsefulItems(this.holdings, spread, ways);
    this.rarity = new Float64Array(origin.length);
    this.availableAt = new Float64Array(ranks * origin.length).fill(Number.POSITIVE_INFINITY);
    for (const [rank, item] of startOf(spread)) this.availableAt[rank * origin.length + item] = 0;
    this.duration = ways.latency.map((latency, way) => latency + this.itemBytes / ways.bandwidth[way]);
    this.mostItems = policy.together ? wholeItems(ways) : ways.latency.map((_, way) => this.itemsWithin(way));
    this.widthInto = new Float64Array(ranks);
    for (const [way, width] of ways.bandwidth.entries()) this.widthInto[ways.to[way]] += width;
    this.narrowest = ways.bandwidth.reduce((least, width) => Math.min(least, width), Number.POSITIVE_INFINITY);
  }

  isDone(): boolean {
    return this.holdings.missing === 0;
  }

  bytesOf(items: readonly number[]): Bytes {
    return items.length * this.itemBytes;
  }

  /**
   * The arc's value: items delivered per second (with `farFirst`, items times seconds), and to break ties first receivers that lack most,
   * then receivers at a small rank distance. In lock step the arcs with the fewest useful items come first, since they have the least
   * choice; with `together` the value is what the receiver lacks.
   */
  worthOf(way: number): number {
    const { routes, items, policy, holdings } = this;
    const [from, to] = [routes.from[way], routes.to[way]];
    const useful = this.useful.count[way];
    if (useful === 0) return -1;
    if (policy.inLockStep) return 1 / useful;
    if (policy.together) return holdings.lacking[to];
    const count = Math.min(useful, this.mostItems[way]);
    const seconds = routes.latency[way] + (count * this.itemBytes) / routes.bandwidth[way];
    const apart = (to - from + routes.ranks) % routes.ranks;
    const rate = policy.farFirst ? count * seconds : count / seconds;
    return rate * (1 + 1e-3 * (holdings.lacking[to] / items) + 1e-6 * (1 - apart / routes.ranks));
  }

  /** The rarest useful items, without those left to faster arcs. */
  chosen(way: number, now: Seconds, isLast: boolean): readonly number[] {
    const most = this.policy.paced ? this.pacedItems(way, now) : this.mostItems[way];
    const compared = Math.max(comparedItems, comparedPerCarried * most);
    const useful = this.useful.first(way, this.items <= itemsAllCompared ? this.items : compared);
    this.probes += useful.length;
    const found = this.policy.patient && !isLast ? this.withoutSooner(useful, way, now) : useful;
    if (found.length <= most) return found;
    const rarity = this.rarity.subarray(0, found.length);
    for (const [i, item] of found.entries()) {
      const near = this.policy.inLockStep ? this.neighboursWith(item, this.routes.to[way]) : 0;
      rarity[i] = near + this.holdings.holders[item] + this.random.next() / 2 ** 32;
    }
    if (most === 1) return [found[rarity.indexOf(rarity.reduce((least, each) => Math.min(least, each)))]];
    const greatest = rarity.slice().sort()[most - 1];
    return found.filter((_, i) => rarity[i] <= greatest).slice(0, most);
  }

  started({ route, items }: AttemptMessage, arrival: Seconds): void {
    const to = this.routes.to[route];
    for (const item of items) {
      this.holdings.promise(to, item);
      this.useful.started(to, item);
      this.availableAt[to * this.items + item] = arrival;
    }
  }

  arrived({ route, items }: AttemptMessage, loop: Pick<Listener, 'freed'>): void {
    const rank = this.routes.to[route];
    for (const item of items) {
      this.holdings.arrive(rank, item);
      this.useful.arrived(rank, item);
    }
    for (let out = this.routes.firstOut[rank]; out < this.routes.firstOut[rank + 1]; out++) loop.freed(out);
  }

  /** The number of items that an arc carries while all arcs into the ranks that lack most deliver something new. */
  private pacedItems(way: number, now: Seconds): number {
    if (this.pacedAt !== now) this.pace = this.paceNow();
    this.pacedAt = now;
    return Math.max(1, Math.floor(this.pace * this.routes.bandwidth[way] + rounding));
  }

  /**
   * The common message length as items × seconds per byte, so that an arc of bandwidth β carries pace · β items: the value for the ranks
   * that need the most rounds, at least one item on the narrowest arc.
   */
  private paceNow(): number {
    const { widthInto, narrowest } = this;
    const needs = Array.from(this.holdings.lacking, (items, rank) => Math.ceil((items * narrowest) / widthInto[rank]));
    const greatest = Math.max(...needs);
    const paces = needs.flatMap((need, rank) => (need === greatest ? this.busyFor(rank) : []));
    return Math.max(1 / narrowest, Math.min(...paces));
  }

  /** How long all arcs into a rank can deliver new items without competing for the same ones; in items × seconds per byte. */
  private busyFor(rank: number): number {
    const { into, firstInto, bandwidth } = this.routes;
    const each = Array.from(
      into.subarray(firstInto[rank], firstInto[rank + 1]),
      (way) => this.useful.count[way] / bandwidth[way],
    );
    return Math.min(this.useful.withinReach[rank] / this.widthInto[rank], ...each);
  }

  /**
   * The number of the receiver's in-neighbours that have an item or are about to get it, times the number of its in-arcs, so that it weighs
   * more than copies elsewhere. An item that few neighbours have now should come now; the others can come from other neighbours later.
   */
  private neighboursWith(item: number, to: number): number {
    const { words, gets } = this.holdings;
    const { from, into, firstInto } = this.routes;
    let count = 0;
    for (let w = firstInto[to]; w < firstInto[to + 1]; w++) {
      count += (gets[from[into[w]] * words + (item >> 5)] >>> (item & 31)) & 1;
    }
    return count * (firstInto[to + 1] - firstInto[to]);
  }

  /** The number of items whose transfer takes the policy's number of latencies. */
  private itemsWithin(way: number): number {
    const { policy, itemBytes, items, routes } = this;
    if (policy.latencies === Number.POSITIVE_INFINITY || itemBytes === 0) return items;
    return Math.max(1, Math.floor((policy.latencies * routes.latency[way] * routes.bandwidth[way]) / itemBytes));
  }

  /**
   * All useful items, if the faster arcs could not deliver all that the receiver lacks before this arc delivers one item; otherwise only
   * the items that no faster arc delivers sooner.
   */
  private withoutSooner(useful: readonly number[], way: number, now: Seconds): readonly number[] {
    const { routes, holdings, availableAt, items, itemBytes, duration } = this;
    const [to, own] = [routes.to[way], duration[way]];
    const faster = routes.into
      .subarray(routes.firstInto[to], routes.firstInto[to + 1])
      .filter((w) => duration[w] < own);
    const width = faster.reduce((sum, other) => sum + routes.bandwidth[other], 0);
    if (holdings.lacking[to] * itemBytes >= width * own) return useful;
    const arrival = (other: number, item: number): Seconds =>
      Math.max(now, availableAt[routes.from[other] * items + item]) + duration[other];
    return useful.filter((item) => faster.every((other) => arrival(other, item) >= now + own));
  }
}

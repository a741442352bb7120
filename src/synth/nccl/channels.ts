/**
 * The channels that NCCL would use: paths through the ranks of a box that continue to the next box, as many as the
 * links carry side by side. The search imitates NCCL's (ncclTopoCompute): for each candidate bandwidth, channels are
 * added one by one while links have that much capacity left; the bandwidth with the largest total is kept.
 */
import type { Routes } from '../../ir/routes.ts';
import { sumError } from '../../ir/units.ts';
import { fittingRing } from '../fitting-ring.ts';

/** Maximum channels of NCCL, and of one connection. */
export const maxNcclChannels = 32;
/** Maximum extensions of a path that are tried per bandwidth; NCCL limits its search by such a count too. */
const mostTries = 1 << 14;

/** A path through all positions of a box, or a ring through all ranks. */
type Order = readonly number[];

/**
 * Rings over all ranks, one per channel: the ranks of the first box, then those of the next box in the same order of
 * positions.
 * @param boxes their ranks; of equal size
 */
export function ringChannels(routes: Routes, boxes: readonly Order[]): readonly Order[] {
  // On large machines only the shortest ring, in both directions, is found quickly.
  const shortest = boxes.length === 1 ? fittingRing(routes, 'quick').order : undefined;
  const way = shortest?.map((rank) => boxes[0].indexOf(rank));
  let best: { channels: readonly Order[]; carried: number } = { channels: [shortest ?? boxes.flat()], carried: 0 };
  for (const bandwidth of channelBandwidths(routes)) {
    for (const begin of way === undefined ? [[]] : [[way, way.toReversed()], []]) {
      const channels = new ChannelSearch(routes, boxes, bandwidth).find(begin);
      const carried = channels.length * bandwidth;
      // Within rounding errors fewer channels are better, since they have fewer messages.
      if (carried > best.carried * (1 + sumError)) best = { channels, carried };
    }
  }
  return best.channels;
}

/** Candidate bandwidths: those of links and of the unit links that they consist of, descending. */
function channelBandwidths({ topology }: Routes): readonly number[] {
  const distinct = new Set(topology.links.flatMap(({ bandwidth, units }) => [bandwidth, bandwidth / units]));
  return [...distinct].filter(Number.isFinite).sort((a, b) => b - a);
}

class ChannelSearch {
  private readonly routes: Routes;
  private readonly boxes: readonly Order[];
  /** By link: number of further channels that it can carry. */
  private readonly room: Float64Array;
  private readonly places: number;
  private tries = 0;

  constructor(routes: Routes, boxes: readonly Order[], bandwidth: number) {
    this.routes = routes;
    this.boxes = boxes;
    const { links } = routes.topology;
    this.room = Float64Array.from(links, (link) => Math.floor((link.bandwidth / bandwidth) * (1 + sumError)));
    this.places = boxes[0].length;
  }

  /** @param first paths that are tried before others are searched */
  find(first: readonly Order[]): readonly Order[] {
    const ways = first.filter((way) => this.take(this.linksOfWhole(way)));
    while (ways.length < maxNcclChannels) {
      const way = this.next(ways.length);
      if (way === undefined) break;
      const back = way.toReversed();
      ways.push(way);
      if (ways.length < maxNcclChannels && this.take(this.linksOfWhole(back))) ways.push(back);
    }
    return ways.map((way) => this.boxes.flatMap((ranks) => way.map((place) => ranks[place])));
  }

  /** The first path with capacity left, starting from each position in turn. */
  private next(channel: number): Order | undefined {
    const starts = this.boxes.length === 1 ? 1 : this.places;
    for (let turn = 0; turn < starts; turn++) {
      const way = this.extend([(channel + turn) % this.places]);
      if (way !== undefined) return way;
    }
    return undefined;
  }

  private extend(way: Order): Order | undefined {
    const last = way[way.length - 1];
    if (way.length === this.places) return this.take(this.linksOnward(last, way[0])) ? way : undefined;
    for (const next of this.choices(way, last)) {
      if (this.tries++ > mostTries) return undefined;
      const links = this.linksWithin(last, next);
      if (!this.take(links)) continue;
      const found = this.extend([...way, next]);
      if (found !== undefined) return found;
      for (const link of links) this.room[link]++;
    }
    return undefined;
  }

  /** Positions not yet on the path, over links with more capacity first, then from the last position backwards. */
  private choices(way: Order, last: number): Order {
    const [ranks] = this.boxes;
    const { places } = this;
    const roomTo = (place: number): number =>
      Math.min(...this.linksBetween(ranks[last], ranks[place]).map((link) => this.room[link]));
    return Array.from({ length: places - 1 }, (_, step) => (last + 1 + step) % places)
      .filter((place) => !way.includes(place) && this.routes.hop(ranks[last], ranks[place]) !== undefined)
      .sort((a, b) => roomTo(b) - roomTo(a));
  }

  /** Reserves capacity for one more channel on all these links; reserves nothing if some link has none. */
  private take(links: Order): boolean {
    for (const link of links) this.room[link]--;
    if (links.every((link) => this.room[link] >= 0)) return true;
    for (const link of links) this.room[link]++;
    return false;
  }

  private linksOfWhole(way: Order): Order {
    const within = way.slice(1).flatMap((place, at) => this.linksWithin(way[at], place));
    return [...within, ...this.linksOnward(way[way.length - 1], way[0])];
  }

  /** The links between two positions, in every box. */
  private linksWithin(from: number, to: number): Order {
    return this.boxes.flatMap((ranks) => this.linksBetween(ranks[from], ranks[to]));
  }

  /** The links from each box to the next. */
  private linksOnward(from: number, to: number): Order {
    const { boxes } = this;
    return boxes.flatMap((ranks, box) => this.linksBetween(ranks[from], boxes[(box + 1) % boxes.length][to]));
  }

  private linksBetween(from: number, to: number): Order {
    return from === to ? [] : (this.routes.between(from, to)?.links ?? []);
  }
}

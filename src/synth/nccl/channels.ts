/**
 * The channels that NCCL would use: ways through the ranks of a box that go on to the next box, as many as the links carry side by side. NCCL
 * looks for them in the same manner (ncclTopoCompute): for each bandwidth that a channel may have, channels are taken one by one while the
 * links have so much left, and the bandwidth is kept at which all channels together carry most.
 */
import type { Routes } from '../../ir/routes.ts';
import { fittingRing } from '../fitting-ring.ts';

/** More channels are in no release, nor for one connection. */
export const mostChannels = 32;
/** Ranks tried as the next one of a way, for one bandwidth: NCCL ends its search by such a count too. */
const mostTries = 1 << 14;

/**
 * Rings over all ranks, one for each channel: the ranks of the first box, then those of the next in the same order of places.
 * @param boxes their ranks; of equal size
 */
export function ringChannels(routes: Routes, boxes: readonly (readonly number[])[]): readonly (readonly number[])[] {
  let best: { channels: readonly (readonly number[])[]; carried: number } = {
    channels: [fallback(routes, boxes)],
    carried: 0,
  };
  const first = likelyWays(routes, boxes);
  for (const bandwidth of channelBandwidths(routes)) {
    for (const begin of first.length === 0 ? [first] : [first, []]) {
      const channels = new ChannelSearch(routes, boxes, bandwidth).find(begin);
      const carried = channels.length * bandwidth;
      // Equal but for rounding: fewer channels have fewer messages.
      if (carried > best.carried * (1 + 1e-9)) best = { channels, carried };
    }
  }
  return best.channels;
}

/** The shortest ring, both ways round: on large machines nothing else is found soon. */
function likelyWays(routes: Routes, boxes: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (boxes.length > 1) return [];
  const way = fittingRing(routes, 'quick').order.map((rank) => boxes[0].indexOf(rank));
  return [way, [...way].reverse()];
}

/** A way through all ranks whatever it costs: the shortest ring, or where there are boxes these one after the other. */
function fallback(routes: Routes, boxes: readonly (readonly number[])[]): readonly number[] {
  return boxes.length === 1 ? fittingRing(routes, 'quick').order : boxes.flat();
}

/** Those of links and of the unit links that they are made of, the greatest first. */
function channelBandwidths({ topology }: Routes): readonly number[] {
  const distinct = new Set(topology.links.flatMap(({ bandwidth, units }) => [bandwidth, bandwidth / units]));
  return [...distinct].filter(Number.isFinite).sort((a, b) => b - a);
}

class ChannelSearch {
  private readonly routes: Routes;
  private readonly boxes: readonly (readonly number[])[];
  /** By link: channels that it can carry still. */
  private readonly room: Float64Array;
  private readonly places: number;
  private tries = 0;

  constructor(routes: Routes, boxes: readonly (readonly number[])[], bandwidth: number) {
    this.routes = routes;
    this.boxes = boxes;
    this.room = Float64Array.from(routes.topology.links, (link) =>
      Math.floor((link.bandwidth / bandwidth) * (1 + 1e-9)),
    );
    this.places = boxes[0].length;
  }

  /** @param first ways that are tried before others are looked for */
  find(first: readonly (readonly number[])[]): readonly (readonly number[])[] {
    const ways: (readonly number[])[] = [];
    const take = (way: readonly number[] | undefined): boolean => {
      if (way === undefined) return false;
      ways.push(way);
      return true;
    };
    for (const known of first) if (this.takeWhole(known)) take(known);
    while (ways.length < mostChannels && take(this.next(ways.length))) {
      const back = [...ways[ways.length - 1]].reverse();
      if (ways.length < mostChannels && this.takeWhole(back)) take(back);
    }
    return ways.map((way) => this.boxes.flatMap((ranks) => way.map((place) => ranks[place])));
  }

  /** The first way that there is room for, from each place in turn; first over links without a third rank between. */
  private next(channel: number): readonly number[] | undefined {
    const starts = this.boxes.length === 1 ? 1 : this.places;
    for (let turn = 0; turn < starts; turn++) {
      const way = this.extend([(channel + turn) % this.places]);
      if (way !== undefined) return way;
    }
    return undefined;
  }

  private extend(way: readonly number[]): readonly number[] | undefined {
    const last = way[way.length - 1];
    if (way.length === this.places) return this.takeEdge(last, way[0], 'onward') ? way : undefined;
    for (const next of this.choices(way, last)) {
      if (this.tries++ > mostTries) return undefined;
      if (!this.takeEdge(last, next, 'within')) continue;
      const found = this.extend([...way, next]);
      if (found !== undefined) return found;
      this.giveBack(last, next);
    }
    return undefined;
  }

  /** Places that the way has not been at: over links with more room first, then in the order of places from the last one on. */
  private choices(way: readonly number[], last: number): readonly number[] {
    const [ranks] = this.boxes;
    const { places } = this;
    const free = Array.from({ length: places - 1 }, (_, step) => (last + 1 + step) % places).filter(
      (place) => !way.includes(place),
    );
    const direct = free.filter((place) => this.routes.hop(ranks[last], ranks[place]) !== undefined);
    const roomTo = (place: number): number =>
      Math.min(...this.linksBetween(ranks[last], ranks[place]).map((link) => this.room[link]));
    return direct.sort((a, b) => roomTo(b) - roomTo(a));
  }

  private takeWhole(way: readonly number[]): boolean {
    const taken: (readonly [number, number])[] = [];
    for (let at = 1; at < way.length; at++) {
      if (!this.takeEdge(way[at - 1], way[at], 'within')) break;
      taken.push([way[at - 1], way[at]]);
    }
    if (taken.length === way.length - 1 && this.takeEdge(way[way.length - 1], way[0], 'onward')) return true;
    for (const [from, to] of taken) this.giveBack(from, to);
    return false;
  }

  /** Takes room between two places in every box, or from each box to the next; takes none where one has none. */
  private takeEdge(from: number, to: number, where: 'within' | 'onward'): boolean {
    const links = this.linksOf(from, to, where);
    for (const link of links) this.room[link]--;
    if (links.every((link) => this.room[link] >= 0)) return true;
    for (const link of links) this.room[link]++;
    return false;
  }

  private giveBack(from: number, to: number): void {
    for (const link of this.linksOf(from, to, 'within')) this.room[link]++;
  }

  private linksOf(from: number, to: number, where: 'within' | 'onward'): readonly number[] {
    const { boxes } = this;
    return boxes.flatMap((ranks, box) => {
      const target = where === 'within' ? ranks : boxes[(box + 1) % boxes.length];
      return ranks[from] === target[to] ? [] : this.linksBetween(ranks[from], target[to]);
    });
  }

  private linksBetween(from: number, to: number): readonly number[] {
    return this.routes.between(from, to)?.links ?? [];
  }
}

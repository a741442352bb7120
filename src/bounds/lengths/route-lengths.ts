/**
 * Link lengths that prove how fast data can spread from roots, or gather at them, over the routes that messages take.
 * The theorem is in certificates/routes.ts, the proof in docs/bounds.md, *Lengths*.
 * Method: column generation (Ford and Fulkerson 1958) for the linear program that packs as many trees of routes as the
 * links carry. The dual prices are the lengths; when they prove what the packing reaches, both are optimal. Each
 * pricing step computes one shortest tree per root.
 */

import { cheapestArborescence } from '../../graph/arborescence.ts';
import { linkColumns } from '../../graph/link-columns.ts';
import { Simplex } from '../../graph/simplex.ts';
import type { Routes } from '../../ir/routes.ts';
import { type BytesPerSecond, noticeable, rounding } from '../../ir/units.ts';
import { weighing } from '../limits.ts';
import { type ProvingLengths, roundedLengths } from './proving-lengths.ts';

/** Relative gap between the packing and the proof at which the search ends. */
const near = 1e-4;

/** A route between two ranks that passes no other rank. */
interface Hop {
  readonly from: number;
  readonly to: number;
  readonly links: readonly number[];
}

interface Tree {
  readonly root: number;
  /** Indices into the list of hops. */
  readonly hops: readonly number[];
}

export class RouteLengths {
  private readonly ranks: number;
  private readonly roots: readonly number[];
  private readonly routes: Routes;
  private readonly gathers: boolean;
  private hops: readonly Hop[] = [];
  private readonly widest: BytesPerSecond;
  /** By link, bandwidth relative to the widest link. */
  private readonly width: Float64Array;
  /** Rows of the linear program: one per link, then one per root, so that every root's trees carry the same amount. */
  private readonly simplex: Simplex;
  private readonly rows: number;
  private best: Float64Array;
  private proved = 0;

  /** @param gathers whether data gathers at the roots instead of spreading from them */
  constructor(routes: Routes, roots: readonly number[], gathers: boolean) {
    const { chips, links } = routes.topology;
    this.ranks = chips.length;
    this.roots = roots;
    this.routes = routes;
    this.gathers = gathers;
    const { bandwidth } = linkColumns(routes.topology);
    this.widest = bandwidth.reduce((most, each) => Math.max(most, each), 0);
    this.width = bandwidth.map((each) => each / this.widest);
    this.best = new Float64Array(links.length);
    this.rows = links.length + roots.length;
    this.simplex = new Simplex(
      Float64Array.from({ length: this.rows }, (_, row) => {
        // Perturbs the bandwidths slightly, so that degenerate simplex steps are rare.
        const more = (noticeable * (row + 1)) / this.rows;
        return row < links.length ? this.width[row] * (1 + more) : more;
      }),
    );
    // The variable to maximise: how much each root spreads.
    this.simplex.add(new Float64Array(this.rows).fill(1, links.length));
  }

  /**
   * Searches lengths for one byte from each root; undefined where there are too many routes.
   * @param likely lengths that may prove much, as a start
   */
  search(likely: Float64Array | undefined): ProvingLengths | undefined {
    const { ranks, roots, rows } = this;
    const steps = Math.floor(weighing.routeWork / ((roots.length + 1) * ranks ** 2 + rows ** 2));
    if (steps < rows) return undefined;
    const all = Array.from({ length: ranks }, (_, rank) => rank);
    this.hops = all.flatMap((from) => all.flatMap((to) => hopsBetween(this.routes, from, to, this.gathers)));
    let middle: Float64Array = new Float64Array(this.width.length).fill(1);
    if (likely !== undefined) this.cheapest(likely);
    for (let step = 0; step < steps && this.proved * this.simplex.value() < 1 - near; step++) {
      const prices = this.simplex.prices();
      if (this.simplex.leaveRoom(prices)) continue;
      // Dual prices oscillate, so the midpoint between the last and the new prices is used (stabilisation: Wentges
      // 1997).
      const now = prices.slice(0, middle.length).map((price) => Math.max(0, price));
      middle = now.map((price, link) => (price + middle[link]) / 2);
      if (!this.take(this.cheapest(middle)) && !this.take(this.cheapest(now))) break;
    }
    return this.outcome();
  }

  /** The shortest tree of each root for these lengths. */
  private cheapest(lengths: Float64Array): readonly Tree[] {
    const { ranks, hops } = this;
    const cost = new Float64Array(ranks * ranks).fill(Number.POSITIVE_INFINITY);
    const hopOf = new Int32Array(ranks * ranks);
    for (const [index, { from, to, links }] of hops.entries()) {
      const length = lengthOf(links, lengths);
      const edge = from * ranks + to;
      if (length >= cost[edge]) continue;
      cost[edge] = length;
      hopOf[edge] = index;
    }
    let whole = 0;
    const trees = this.roots.map((root): Tree => {
      const edges = [...cheapestArborescence(ranks, root, cost)].flatMap((from, to) =>
        from === -1 ? [] : [from * ranks + to],
      );
      whole += edges.reduce((sum, edge) => sum + cost[edge], 0);
      return { root, hops: edges.map((edge) => hopOf[edge]) };
    });
    const room = this.width.reduce((sum, width, link) => sum + width * lengths[link], 0);
    if (whole > this.proved * room) {
      this.proved = whole / room;
      this.best = lengths;
    }
    return trees;
  }

  /** Adds the trees that are shorter than their root's dual price, as columns; false if there is none. */
  private take(trees: readonly Tree[]): boolean {
    let taken = false;
    for (const tree of trees) {
      const prices = this.simplex.prices();
      const row = this.width.length + this.roots.indexOf(tree.root);
      const length = tree.hops.reduce((sum, hop) => sum + lengthOf(this.hops[hop].links, prices), 0);
      if (length >= prices[row] - rounding) continue;
      const column = new Float64Array(this.rows);
      for (const hop of tree.hops) for (const link of this.hops[hop].links) column[link]++;
      column[row] = -1;
      taken = this.simplex.add(column, 0) || taken;
    }
    return taken;
  }

  private outcome(): ProvingLengths {
    const lengths = roundedLengths(this.best);
    this.proved = 0;
    this.cheapest(Float64Array.from(lengths));
    return { lengths, secondsPerByte: this.proved / this.widest };
  }
}

function hopsBetween(routes: Routes, from: number, to: number, gathers: boolean): Hop[] {
  if (from === to) return [];
  const [sender, receiver] = gathers ? [to, from] : [from, to];
  return Array.from({ length: routes.choices(sender, receiver) }, (_, channel) => {
    return { from, to, links: routes.between(sender, receiver, channel)?.links ?? [] };
  });
}

function lengthOf(links: readonly number[], lengths: Float64Array): number {
  let sum = 0;
  for (const link of links) sum += lengths[link];
  return sum;
}

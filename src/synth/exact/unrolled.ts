/**
 * Items moving through a machine step by step, as a time-expanded linear program. One column says how much of an item
 * takes a route in a step, another how much of it a rank has after the step. A rank sends only what it has, and links
 * carry no more than the rounds of the step allow; rounds are columns too, with sum R. Under a symmetry one item of
 * each orbit is enough: links also carry its images.
 */
import { type LinearModel, ModelBuilder } from '../../solver/index.ts';
import type { UnitMachine, UnitRoute } from './machine.ts';
import { identityOf, type Renumbering } from './symmetry.ts';

/** An item; with `wanted` 1 and `amount` 1 something that can be copied. */
export interface Item {
  /** The rank that has all of it initially; undefined for computed items, which no rank has. */
  readonly start: number | undefined;
  readonly amount: number;
  /** How much of it a rank must have at the end. */
  wanted(rank: number): number;
  /** Only integer amounts take a route. */
  readonly whole: boolean;
  /** Sending moves the item away; otherwise it is copied, and received once. */
  readonly gone?: boolean;
  /** Pairs of earlier items of the same group from which a rank can compute it instead of receiving it. */
  readonly parts?: readonly (readonly [number, number])[];
}

/** The machine with S steps and R rounds. */
export interface Unrolling {
  readonly machine: Pick<UnitMachine, 'ranks' | 'units'> & { readonly routes: readonly TimedRoute[] };
  readonly steps: number;
  readonly rounds: number;
}

/** Number of steps until an item that takes the route has arrived, and until its links are free again; 1 by default. */
export interface TimedRoute extends UnitRoute {
  readonly takes?: number;
  readonly holds?: number;
}

/** An amount of an item that takes a route in a step. */
interface Sent {
  readonly column: number;
  /** Index in the order in which items were added. */
  readonly item: number;
  readonly route: number;
  readonly step: number;
}

/** By item, the columns of what each rank has. */
type Held = readonly Map<number, number>[];

export class Unrolled {
  private readonly sent: Sent[] = [];
  private readonly roundColumns: readonly number[];
  private readonly symmetry: readonly Renumbering[];
  private readonly builder = new ModelBuilder();
  private readonly unrolling: Unrolling;
  private items = 0;
  /** The column for what is always present, created on demand. */
  private given: number | undefined;

  /** @param symmetry a group of renumberings, or the identity alone */
  constructor(unrolling: Unrolling, symmetry: readonly Renumbering[] = [identityOf(unrolling.machine)]) {
    this.unrolling = unrolling;
    this.symmetry = symmetry;
    const { steps, rounds } = unrolling;
    const bounds = { lower: 1, upper: rounds - steps + 1, whole: true };
    this.roundColumns = Array.from({ length: steps }, () => this.builder.column(bounds));
    this.row(rounds, rounds, this.roundColumns);
  }

  /** Adds items, some of which may be computed from others. */
  add(items: readonly Item[]): void {
    const { machine, steps } = this.unrolling;
    const lists = (): number[][] => Array.from({ length: machine.ranks }, () => []);
    const arrivals = items.map(() => Array.from({ length: steps }, lists));
    const has: Held = Array.from({ length: machine.ranks }, () => new Map<number, number>());
    for (const [i, { start, amount, gone }] of items.entries()) {
      if (start === undefined) continue;
      const fixed = { lower: amount, upper: amount, whole: false };
      if (gone === true) has[start].set(i, this.builder.column(fixed));
      else {
        this.given ??= this.builder.column(fixed);
        has[start].set(i, this.given);
      }
    }
    for (let step = 0; step < steps; step++) {
      const leaving = items.map(lists);
      this.send(items, step, has, arrivals, leaving);
      for (const [rank, own] of has.entries()) {
        for (const [i, { start, amount, gone, parts = [], ...item }] of items.entries()) {
          if (rank === start && gone !== true) continue;
          const before = own.get(i);
          const came = arrivals[i][step][rank];
          const pairs = parts.filter((pair) => pair.every((part) => own.has(part)));
          if (before === undefined && came.length + pairs.length === 0) continue;
          const wanted = step === steps - 1 ? item.wanted(rank) : 0;
          const upper = wanted > 0 || (gone === true && step === steps - 1) ? wanted : amount;
          const after = this.builder.column({ lower: wanted, upper, whole: false });
          own.set(i, after);
          const made = pairs.map((pair) => this.make(pair.flatMap((part) => own.get(part) ?? [])));
          const sources = [...(before === undefined ? [] : [before]), ...came, ...made];
          // What can be computed may be received as well.
          this.row(items.length > 1 ? Number.NEGATIVE_INFINITY : 0, 0, [after, ...leaving[i][rank]], sources);
        }
      }
    }
    this.items += items.length;
  }

  /**
   * Adds something that may be divided, copied and coded on its way to all ranks: one flow per target, of which links
   * carry the maximum (Ahlswede et al., "Network information flow", 2000).
   */
  addDivided(start: number, amount: number): void {
    const shares = new Map<number, Sent>();
    const { ranks } = this.unrolling.machine;
    for (let destination = 0; destination < ranks; destination++) {
      if (destination === start) continue;
      const first = this.sent.length;
      const wanted = (rank: number): number => (rank === destination ? amount : 0);
      this.add([{ start, amount, wanted, whole: false, gone: true }]);
      for (const flow of this.sent.splice(first)) {
        const key = flow.route * this.unrolling.steps + flow.step;
        const column = shares.get(key)?.column ?? this.builder.column({ lower: 0, upper: amount, whole: false });
        shares.set(key, { ...flow, column });
        this.row(Number.NEGATIVE_INFINITY, 0, [flow.column], [column]);
      }
    }
    this.sent.push(...shares.values());
  }

  /** Completes the model with the capacities of links. */
  build(): LinearModel {
    const { machine, steps } = this.unrolling;
    const over = new Map<number, Map<number, number>>();
    for (const { column, route, step } of this.sent) {
      for (const image of this.symmetry) {
        const { links, holds = 1 } = machine.routes[image.routes[route]];
        for (const link of links) {
          for (let at = step; at < Math.min(step + holds, steps); at++) {
            const terms = over.get(link * steps + at) ?? new Map<number, number>();
            terms.set(column, (terms.get(column) ?? 0) + 1);
            over.set(link * steps + at, terms);
          }
        }
      }
    }
    const known = new Set<string>();
    for (const [place, terms] of over) {
      const [units, step] = [machine.units[Math.floor(place / steps)], place % steps];
      const name = `${step} ${units} ${[...terms]}`;
      if (known.has(name)) continue;
      known.add(name);
      this.builder.row(Number.NEGATIVE_INFINITY, 0);
      for (const [column, value] of terms) this.builder.add(column, value);
      this.builder.add(this.roundColumns[step], -units);
    }
    return this.builder.build();
  }

  /** The amounts sent in a solution, including images under the symmetry. */
  chosen(values: Float64Array) {
    return this.sent.flatMap(({ column, route, ...what }) =>
      values[column] > 0
        ? this.symmetry.map((image) => ({ ...what, image, route: image.routes[route], amount: values[column] }))
        : [],
    );
  }

  /** The rounds of each step in a solution. */
  rounds(values: Float64Array): readonly number[] {
    return this.roundColumns.map((column) => values[column]);
  }

  /**
   * What may take the routes in a step; adds its columns to the balance of the sender, and of the receiver at the step
   * of arrival.
   */
  private send(
    items: readonly Item[],
    step: number,
    has: Held,
    arrivals: readonly number[][][][],
    leaving: readonly number[][][],
  ): void {
    for (const [route, { from, to, takes = 1 }] of this.unrolling.machine.routes.entries()) {
      if (step + takes > this.unrolling.steps) continue;
      for (const [i, held] of has[from]) {
        const { start, amount, whole, gone } = items[i];
        if (to === start) continue;
        // For counted items the objective minimises hops, which guides the search.
        const column = this.builder.column({ lower: 0, upper: amount, whole, cost: gone === true && whole ? 1 : 0 });
        this.sent.push({ column, item: this.items + i, route, step });
        arrivals[i][step + takes - 1][to].push(column);
        if (gone === true) leaving[i][from].push(column);
        else this.row(Number.NEGATIVE_INFINITY, 0, [column], [held]);
      }
    }
    for (const [i, ofRanks] of leaving.entries()) {
      for (const [rank, columns] of ofRanks.entries()) {
        const held = has[rank].get(i);
        if (held !== undefined && columns.length > 0) this.row(Number.NEGATIVE_INFINITY, 0, columns, [held]);
      }
    }
  }

  /** A column for a sum that a rank computes from its parts. */
  private make(parts: readonly number[]): number {
    const made = this.builder.column({ lower: 0, upper: 1, whole: false });
    for (const part of parts) this.row(Number.NEGATIVE_INFINITY, 0, [made], [part]);
    return made;
  }

  /** A constraint: a sum of columns minus a sum of others, within bounds. */
  private row(lower: number, upper: number, plus: readonly number[], minus: readonly number[] = []): void {
    this.builder.row(lower, upper);
    for (const column of plus) this.builder.add(column, 1);
    for (const column of minus) this.builder.add(column, -1);
  }
}

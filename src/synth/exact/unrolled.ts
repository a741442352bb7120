/**
 * Items on their way through a machine, step by step, as a linear program: a column says how much of an item goes over a way in a step, another
 * one how much of it a rank has after the step. A rank sends nothing that it does not have, and links carry no more than the rounds of a step
 * allow; these are columns, too, and come to R together.
 *
 * What looks the same from several chips needs one item of each set of images: links carry the images of what is sent as well.
 */
import { none } from '../../ir/none.ts';
import { type LinearModel, ModelBuilder } from '../../solver/index.ts';
import type { UnitMachine, UnitWay } from './machine.ts';
import type { Renumbering } from './symmetry.ts';

/** What is moved: with `wanted` 1 and `amount` 1 something that can be copied. */
export interface Item {
  /** Who has all of it at the start; undefined for what nobody has. */
  readonly start: number | undefined;
  readonly amount: number;
  /** How much of it a rank has to have in the end. */
  wanted(rank: number): number;
  /** Only whole amounts go over a way. */
  readonly whole: boolean;
  /** What is sent is gone, and costs one for each way; else it is copied, and comes in once. */
  readonly gone: boolean;
  /** Pairs of earlier items of the same group of which a rank can make it, instead of having it sent. */
  readonly parts: readonly (readonly [number, number])[];
}

/** What is unrolled: (S, R) on a machine. */
export interface Unrolling {
  readonly machine: Pick<UnitMachine, 'ranks' | 'units'> & { readonly ways: readonly TimedWay[] };
  readonly steps: number;
  readonly rounds: number;
}

/** Steps until what goes over a way has come, and until its links carry something else; one each if it does not say. */
export interface TimedWay extends UnitWay {
  readonly takes?: number;
  readonly holds?: number;
}

/** So much of an item that goes over a way in a step. */
export interface Sent {
  readonly column: number;
  /** By the order in which items were added. */
  readonly item: number;
  readonly way: number;
  readonly step: number;
}

/** A rank has an item at all times: that needs no column. */
const always = none;

export class Unrolled {
  readonly sent: Sent[] = [];
  /** The columns of the rounds of each step. */
  readonly rounds: readonly number[];
  readonly symmetry: readonly Renumbering[];
  private readonly builder = new ModelBuilder();
  private readonly unrolling: Unrolling;
  private items = 0;
  /** What is there at all times, one column for all of it. */
  private given: number | undefined;

  /** @param symmetry a group of renumberings, or the identity alone @param wholeRounds false if rounds may be divided, too */
  constructor(unrolling: Unrolling, symmetry: readonly Renumbering[], wholeRounds = true) {
    this.unrolling = unrolling;
    this.symmetry = symmetry;
    const { steps, rounds } = unrolling;
    const bounds = { lower: 1, upper: rounds - steps + 1, whole: wholeRounds };
    this.rounds = Array.from({ length: steps }, () => this.builder.column(bounds));
    this.row(rounds, rounds, this.rounds);
  }

  /** Adds items of which some may be made of others. @param held false to leave out what ranks have, and what follows from it */
  add(items: readonly Item[], held = true): void {
    const { machine, steps } = this.unrolling;
    const lists = (): number[][] => Array.from({ length: machine.ranks }, () => []);
    const arrivals = items.map(() => Array.from({ length: steps }, lists));
    /** `has[rank]`: the columns of what a rank has, by item. */
    const has = Array.from({ length: machine.ranks }, () => new Map<number, number>());
    for (const [i, { start, amount, gone }] of items.entries()) {
      if (start === undefined) continue;
      const fixed = { lower: amount, upper: amount, whole: false };
      if (held && !gone) this.given ??= this.builder.column(fixed);
      has[start].set(i, gone ? this.builder.column(fixed) : (this.given ?? always));
    }
    for (let step = 0; step < steps; step++) {
      const leaving = items.map(lists);
      this.send(items, step, has, arrivals, leaving);
      for (const [rank, own] of has.entries()) {
        for (const [i, item] of items.entries()) {
          const came = arrivals[i][step][rank];
          const before = own.get(i);
          const pairs = item.parts.filter((pair) => pair.every((part) => own.has(part)));
          const isKept = before === always || (rank === item.start && !item.gone);
          if (isKept || (before === undefined && came.length + pairs.length === 0)) continue;
          own.set(i, always);
          if (!held) continue;
          const wanted = step === steps - 1 ? item.wanted(rank) : 0;
          const upper = wanted > 0 ? wanted : item.amount;
          const after = this.builder.column({ lower: wanted, upper, whole: false });
          const made = pairs.map((pair) => this.make(pair.map((part) => own.get(part))));
          own.set(i, after);
          const sources = [...(before === undefined ? [] : [before]), ...came, ...made];
          // What can be made may come in as well.
          const least = items.length > 1 ? Number.NEGATIVE_INFINITY : 0;
          this.row(least, 0, item.gone ? [after, ...leaving[i][rank]] : [after], sources);
        }
      }
    }
    this.items += items.length;
  }

  /** A row by itself: columns, and others that are taken away. */
  row(lower: number, upper: number, plus: readonly number[], minus: readonly number[] = []): void {
    this.builder.row(lower, upper);
    for (const column of plus) this.builder.add(column, 1);
    for (const column of minus) this.builder.add(column, -1);
  }

  /** The model with what links carry. @param chunksEach chunks that an item stands for, where there is one for several */
  build(chunksEach = 1): LinearModel {
    const { machine, steps } = this.unrolling;
    const over = new Map<number, Map<number, number>>();
    for (const { column, way, step } of this.sent) {
      for (const image of this.symmetry) {
        const { links, holds = 1 } = machine.ways[image.ways[way]];
        for (const place of links.flatMap((link) => within(link * steps + step, Math.min(holds, steps - step)))) {
          const terms = over.get(place) ?? new Map<number, number>();
          terms.set(column, (terms.get(column) ?? 0) + chunksEach);
          over.set(place, terms);
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
      this.builder.add(this.rounds[step], -units);
    }
    return this.builder.build();
  }

  /** What is sent in a solution, and its images. */
  chosen(values: Float64Array) {
    return this.sent.flatMap(({ column, way, ...what }) =>
      values[column] > 0
        ? this.symmetry.map((image) => ({ ...what, image, way: image.ways[way], amount: values[column] }))
        : [],
    );
  }

  /** What may go over the ways in a step; adds its columns where it leaves, and where and when it comes in. */
  private send(
    items: readonly Item[],
    step: number,
    has: readonly ReadonlyMap<number, number>[],
    arrivals: readonly number[][][][],
    leaving: readonly number[][][],
  ): void {
    const { ways, ranks } = this.unrolling.machine;
    for (const [way, { from, to, takes = 1 }] of ways.entries()) {
      if (step + takes > this.unrolling.steps) continue;
      for (const [i, held] of has[from]) {
        const { start, amount, whole, gone } = items[i];
        if (to === start) continue;
        const column = this.builder.column({ lower: 0, upper: amount, whole, cost: gone ? 1 : 0 });
        this.sent.push({ column, item: this.items + i, way, step });
        leaving[i][from].push(column);
        arrivals[i][step + takes - 1][to].push(column);
        if (!gone && held !== always) this.row(Number.NEGATIVE_INFINITY, 0, [column], [held]);
      }
    }
    for (let rank = 0; rank < ranks; rank++) {
      for (const [i, held] of has[rank]) {
        const columns = leaving[i][rank];
        if (items[i].gone && columns.length > 0) this.row(Number.NEGATIVE_INFINITY, 0, columns, [held]);
      }
    }
  }

  /** A column for what is made of two parts that a rank has. */
  private make(parts: readonly (number | undefined)[]): number {
    const column = this.builder.column({ lower: 0, upper: 1, whole: false });
    for (const part of parts) {
      if (part !== undefined && part !== always) this.row(Number.NEGATIVE_INFINITY, 0, [column], [part]);
    }
    return column;
  }
}

function within(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

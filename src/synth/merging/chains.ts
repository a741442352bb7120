/**
 * Chooses on which levels of cells ranks exchange sums. A sequence of exchanges is a path from single ranks to the cell of all ranks; this file finds the shortest path
 * for each number of exchanges by dynamic programming.
 */
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { bandwidthInto } from '../list/events/time-bound.ts';
import type { RouteTable } from '../list/route-table.ts';
import { type Cells, isWanted, type Spread } from '../list/spread.ts';
import type { CellLevels } from './cells.ts';

/** An allgather within each larger cell, of one sum from each of its smaller cells. */
export type Exchange = Spread & { readonly cells: Cells };

/** Consecutive exchanges and an estimate of the time they take together. */
export interface ExchangeSequence {
  readonly seconds: Seconds;
  readonly exchanges: readonly Exchange[];
}

/**
 * Sequences of two or more exchanges, by increasing estimated time. A sequence of n + 1 exchanges extends the fastest sequence of n exchanges to some level.
 *
 * @param size bytes of the vector, all of which every message carries
 */
export function chainsOf(
  { levels, apart }: CellLevels,
  ways: RouteTable,
  topology: Topology,
  size: Bytes,
): readonly ExchangeSequence[] {
  /** `single[to][from]`: the exchange that takes sums of cells of level `from` to sums of cells of level `to`. */
  const single = levels.map((within, to) =>
    levels.slice(0, to).map((item): ExchangeSequence => {
      const origin = Int32Array.from({ length: Math.max(...item) + 1 }, (_, cell) => item.indexOf(cell));
      const exchange = { ranks: item.length, origin, cells: { item, within } };
      return { seconds: secondsFor(exchange, apart, ways, topology, size), exchanges: [exchange] };
    }),
  );
  // By level: the fastest sequence of this many exchanges that ends there.
  let known: readonly (ExchangeSequence | undefined)[] = single.map(([chain]) => chain);
  const chains: ExchangeSequence[] = [];
  for (let number = 2; number < levels.length; number++) {
    known = single.map((last) => {
      const longer = last.flatMap((exchange, from) => {
        const chain = known[from];
        if (chain === undefined) return [];
        const exchanges = [...chain.exchanges, ...exchange.exchanges];
        return [{ seconds: chain.seconds + exchange.seconds, exchanges }];
      });
      return longer.sort((a, b) => a.seconds - b.seconds).at(0);
    });
    chains.push(...known.slice(-1).flatMap((whole) => whole ?? []));
  }
  return chains.sort((a, b) => a.seconds - b.seconds);
}

/** The latency from the farthest cell, plus the time in which the busiest rank receives all sums over its links and combines them. */
function secondsFor(
  exchange: Exchange,
  apart: readonly Float64Array[],
  ways: RouteTable,
  { nodes, chips }: Topology,
  size: Bytes,
): Seconds {
  let [farthest, longest] = [0, 0];
  for (const [rank, chip] of chips.entries()) {
    const operands = operandsAt(exchange, rank);
    const nearest = new Float64Array(exchange.origin.length).fill(Number.POSITIVE_INFINITY);
    for (const [other, item] of exchange.cells.item.entries()) {
      nearest[item] = Math.min(nearest[item], apart[other][rank]);
    }
    farthest = Math.max(farthest, ...operands.map((item) => nearest[item]));
    const { throughput = Number.POSITIVE_INFINITY } = nodes[chip].reduce ?? {};
    longest = Math.max(longest, (operands.length - 1) * size * (1 / bandwidthInto(ways, rank) + 1 / throughput));
  }
  return farthest + longest;
}

/** The sums that a rank combines after an exchange, in order. All ranks of a larger cell combine the same ones, so that their results have the same bits. */
export function operandsAt(exchange: Exchange, rank: number): readonly number[] {
  return [...exchange.origin.keys()].filter((item) => isWanted(exchange, rank, item));
}

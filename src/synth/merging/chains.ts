/** Which levels of cells are worth an exchange of their own: shortest paths from single ranks to all of them, one for each number of exchanges. */
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { bandwidthInto } from '../list/events/time-bound.ts';
import type { RouteTable } from '../list/route-table.ts';
import { type Cells, isWanted, type Spread } from '../list/spread.ts';
import type { CellLevels } from './cells.ts';

/** What ranks of a larger cell tell each other. */
export type Exchange = Spread & { readonly cells: Cells };

/** Exchanges one after the other, and about how long they take. */
export interface ExchangeSequence {
  readonly seconds: Seconds;
  readonly exchanges: readonly Exchange[];
}

/** Chains of two exchanges and more, the quickest first; each begins where another one ends, so that a shorter one to every level is known. */
export function chainsOf(
  { levels, apart }: CellLevels,
  ways: RouteTable,
  topology: Topology,
  size: Bytes,
): readonly ExchangeSequence[] {
  /** `single[to][from]`: one exchange among cells of a level. */
  const single = levels.map((within, to) =>
    levels.slice(0, to).map((item): ExchangeSequence => {
      const origin = Int32Array.from({ length: Math.max(...item) + 1 }, (_, cell) => item.indexOf(cell));
      const exchange = { ranks: item.length, origin, cells: { item, within } };
      return { seconds: secondsFor(exchange, apart, ways, topology, size), exchanges: [exchange] };
    }),
  );
  // By level: the quickest way to it in so many exchanges.
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

/** The way from the farthest cell, then what comes in at the rank that lacks most for its links, and is combined there. */
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

/** What a rank combines after an exchange, in order; the same at all ranks of a larger cell. */
export function operandsAt(exchange: Exchange, rank: number): readonly number[] {
  return [...exchange.origin.keys()].filter((item) => isWanted(exchange, rank, item));
}

/** Which levels of cells are worth an exchange of their own: shortest paths from single ranks to all of them, one for each number of exchanges. */
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { bandwidthInto } from '../list/events/least-time.ts';
import type { Spread } from '../list/spread.ts';
import type { Ways } from '../list/ways.ts';
import type { CellLevels } from './cells.ts';

/** Exchanges one after the other, and about how long they take. */
export interface Chain {
  readonly seconds: Seconds;
  readonly exchanges: readonly Spread[];
}

/** Chains of two exchanges and more, the quickest first; each begins where another one ends, so that a shorter one to every level is known. */
export function chainsOf(cells: CellLevels, ways: Ways, topology: Topology, size: Bytes): readonly Chain[] {
  const { levels } = cells;
  const exchanges = levels.map((within, to) => levels.slice(0, to).map((from) => exchanged(from, within)));
  const secondsOf = exchanges.map((into) => into.map((spread) => secondsFor(spread, cells, ways, topology, size)));
  // By level: the quickest way to it in so many exchanges.
  let known: readonly (Chain | undefined)[] = levels.map((_, level) =>
    level === 0 ? { seconds: 0, exchanges: [] } : undefined,
  );
  const chains: Chain[] = [];
  for (let number = 1; number < levels.length; number++) {
    known = levels.map((_, to) => {
      const longer = known.slice(0, to).flatMap((chain, from) => {
        if (chain === undefined) return [];
        return [{ seconds: chain.seconds + secondsOf[to][from], exchanges: [...chain.exchanges, exchanges[to][from]] }];
      });
      return longer.sort((a, b) => a.seconds - b.seconds)[0];
    });
    const whole = known[levels.length - 1];
    if (whole !== undefined && number > 1) chains.push(whole);
  }
  return chains.sort((a, b) => a.seconds - b.seconds);
}

function exchanged(cells: Int32Array, within: Int32Array): Spread {
  const origin = Int32Array.from({ length: Math.max(...cells) + 1 }, (_, cell) => cells.indexOf(cell));
  return { ranks: cells.length, origin, cells: { item: cells, within } };
}

/** The way from the farthest cell, then what comes in at the rank that lacks most for its links, and is combined there. */
function secondsFor(spread: Spread, { apart }: CellLevels, ways: Ways, topology: Topology, size: Bytes): Seconds {
  const { nodes, chips } = topology;
  let [farthest, longest] = [0, 0];
  for (let rank = 0; rank < spread.ranks; rank++) {
    const operands = operandsAt(spread, rank);
    for (const item of operands) farthest = Math.max(farthest, distance(spread, item, rank, apart));
    const { throughput = Number.POSITIVE_INFINITY } = nodes[chips[rank]].reduce ?? {};
    longest = Math.max(longest, (operands.length - 1) * size * (1 / bandwidthInto(ways, rank) + 1 / throughput));
  }
  return farthest + longest;
}

function distance({ cells }: Spread, item: number, rank: number, apart: readonly Float64Array[]): Seconds {
  let least = Number.POSITIVE_INFINITY;
  cells?.item.forEach((own, other) => {
    if (own === item) least = Math.min(least, apart[other][rank]);
  });
  return least;
}

/** What a rank combines after an exchange, in order; the same at all ranks of a larger cell. */
export function operandsAt({ origin, cells }: Spread, rank: number): readonly number[] {
  return [...origin.keys()].filter((item) => cells?.within[rank] === cells?.within[origin[item]]);
}

/** The check of bounds on what a rank combines alone because it comes straight to it (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { combinedAlone } from './values.ts';
import { capacityOf, waysFrom, waysTo } from './ways.ts';

/** What a rank takes to combine what these contributors send it, or what anything of theirs takes over another rank, if that is less. */
export function provedAtFirstHand(
  rank: number,
  contributors: readonly number[],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { chips, nodes } = topology;
  const chip = chips[rank];
  const amounts = combinedAlone(collective, rank, new Set(contributors));
  if (chip === undefined || contributors.length === 0 || amounts === undefined) return undefined;
  const to = waysTo(topology, [chip]);
  const relayed = contributors.map((source) => {
    const from = waysFrom(topology, [chips[source]]);
    const before = waysFrom(
      topology,
      chips.filter((other) => other !== chips[source]),
    );
    const relays = chips.filter((other) => other !== chip && other !== chips[source]);
    return Math.min(before[chips[source]] + to[chips[source]], ...relays.map((relay) => from[relay] + to[relay]));
  });
  const first = Math.min(...contributors.map((source) => to[chips[source]]));
  const receiving = (amounts.received * size) / capacityOf(topology, chip, 'in');
  const engine = nodes[chip].reduce;
  const reducing = engine === undefined ? 0 : (amounts.reduced * size) / engine.throughput;
  const isExclusive = engine !== undefined && !engine.overlap;
  const work = isExclusive ? receiving + reducing : Math.max(receiving, reducing);
  return Math.min(first + work, ...relayed);
}

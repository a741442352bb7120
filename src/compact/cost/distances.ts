/** The distance of every rank from rank 0 on a machine that looks the same from every chip. */

import { NearestFirst } from '../../graph/nearest-first.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';

/** Least Σα from each rank to rank 0, which equals that from rank 0 to ⊖rank. */
export function latenciesToZero(machine: SymmetricTopology): Float64Array {
  const group = new TranslationGroup(machine.shape);
  const [first] = machine.generators;
  const equal = machine.generators.every(({ latency }) => latency === first.latency);
  return equal ? breadthFirst(group, machine) : byLatency(group, machine);
}

/** If all links have the same latency, breadth-first search suffices, in a fraction of the time. */
function breadthFirst(group: TranslationGroup, { generators }: SymmetricTopology): Float64Array {
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const least = new Float64Array(group.order).fill(Number.POSITIVE_INFINITY);
  const found = new Int32Array(group.order);
  least[0] = 0;
  for (let at = 0, count = 1; at < count; at++) {
    const next = least[found[at]] + generators[0].latency;
    for (const translate of back) {
      const rank = translate(found[at]);
      if (least[rank] !== Number.POSITIVE_INFINITY) continue;
      least[rank] = next;
      found[count++] = rank;
    }
  }
  return least;
}

/** Dijkstra's algorithm against the direction of the links. */
function byLatency(group: TranslationGroup, { generators }: SymmetricTopology): Float64Array {
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const search = new NearestFirst(group.order);
  search.reach(0, 0);
  for (let at = search.next(); at >= 0; at = search.next()) {
    for (const [g, { latency }] of generators.entries()) search.reach(back[g](at), search.length[at] + latency);
  }
  return search.length;
}

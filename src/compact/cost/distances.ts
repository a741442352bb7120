/** How far every rank is from rank 0 on a machine that looks the same from every chip. */

import { NearestFirst } from '../../graph/nearest-first.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';

/** Least Σα of the ways from each rank to rank 0, which is also that from rank 0 to the rank's opposite, ⊖rank. */
export function latenciesToZero(machine: SymmetricTopology): Float64Array {
  const group = new TranslationGroup(machine.shape);
  const [first] = machine.generators;
  const equal = machine.generators.every(({ latency }) => latency === first.latency);
  return equal ? breadthFirst(group, machine) : byLatency(group, machine);
}

/** Where all links have one latency, breadth first does, at a fraction of the time. */
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

/** Against the direction of the links. */
function byLatency(group: TranslationGroup, { generators }: SymmetricTopology): Float64Array {
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const search = new NearestFirst(group.order);
  search.reach(0, 0);
  for (let at = search.next(); at >= 0; at = search.next()) {
    for (const [g, { latency }] of generators.entries()) search.reach(back[g](at), search.length[at] + latency);
  }
  return search.length;
}

/**
 * Theorem (docs/bounds.md, *Spreading*, families). As in spreading.ts, on machines where all chips have slots, d at most. Divide the chips into
 * classes of at most s chips, so that chips of different classes are at least θ apart, and let a be the min Σα of any message. Time is counted in
 * steps of u seconds, and a and θ are rounded down to ⌊a/u⌋ and ⌊θ/u⌋ steps. The ranks of a class that are informed by the first of them form a
 * family. Let v(t) bound what one slot that is free for t steps can contribute, and h(t) the number of ranks informed t steps after the first rank of
 * a family. For any price λ ≥ 0 of a place in the family (Lagrangian duality),
 *
 *   v(t) = max(v(t − 1), v(t − a) + 1 + d·v(t − a) − λ, v(t − θ) + h(t − θ)),   h(t) = ⌊1 + d·v(t) + λ(s − 1)⌋.
 *
 * The certificate gives one price for each t = 0, 1, … If all h(t) are less than N for t < n, then T ≥ n·u + b/B.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt, matrixAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { lastBytes, maxInFlight, minHubBytes } from './hub.ts';
import { everyone, type Question } from './question.ts';

export function provedByFamilies(witness: Witnesses['families'], question: Question): Seconds {
  const { direction, hub, apart, unit, prices } = witness;
  const { machine, work } = question;
  const bytes = minHubBytes(hub, direction, question);
  const slots = maxInFlight(machine, direction);
  const last = bytes === undefined ? undefined : lastBytes(bytes, direction, machine);
  if (slots === undefined || last === undefined) return 0;
  work.spend(question.collective.ranks ** 2 + prices.length ** 2);
  const ways = everyone(question).map((rank) => machine.latencies([rank], direction));
  const near = Math.floor((machine.nearestPair() / unit) * (1 + 1e-9));
  const far = Math.floor((apart / unit) * (1 + 1e-9));
  if (near < 1 || far < near) return 0;
  const size = Math.max(...classSizes(ways, apart));
  const largest: number[] = [];
  for (const [steps, price] of prices.entries()) {
    const slot = [0];
    for (let step = 1; step <= steps; step++) {
      const options = [itemAt(slot, step - 1)];
      if (step >= near) options.push(itemAt(slot, step - near) + (1 - price + slots * itemAt(slot, step - near)));
      if (step >= far) options.push(itemAt(slot, step - far) + itemAt(largest, step - far));
      slot.push(Math.max(...options));
    }
    largest.push(Math.floor(1 + slots * itemAt(slot, steps) + price * (size - 1) + 1e-9));
  }
  return largest.every((ranks) => ranks < ways.length) ? prices.length * unit + last : 0;
}

/**
 * Sizes of the classes of ranks: two ranks share a class if a chain of pairs joins them that are less than `apart` seconds apart in some direction.
 */
function classSizes(ways: readonly (readonly Seconds[])[], apart: Seconds): number[] {
  const left = new Set(ways.keys());
  return [...left].map((first) => {
    if (!left.delete(first)) return 0;
    const reached = new Set([first]);
    for (const from of reached) {
      for (const to of left) {
        if (Math.min(matrixAt(ways, from, to), matrixAt(ways, to, from)) >= apart * (1 - 1e-9)) continue;
        left.delete(to);
        reached.add(to);
      }
    }
    return reached.size;
  });
}

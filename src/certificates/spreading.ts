/**
 * Theorem (docs/bounds.md, *Spreading*). A chip has at most d messages in flight, and each occupies a slot for at least the Σα between its ends. With
 * δ₁ ≤ δ₂ ≤ … the min Σα from any chip to its nearest, second nearest … chip, a chip takes at least c(p) = max(δ_p, (δ₁ + … + δ_p)/d,
 * δ₁ + … + δ_⌈p/d⌉) to inform p others. So at most N(t) = 1 + Σ N(t − c(p)) ranks are informed after t seconds; let t be when all N can be. If every
 * rank needs at least b bytes from the hub, and all chips have slots to receive them, of bandwidth B at most on any chip, T ≥ t + b/B. Without such
 * slots this holds with δ₁ in place of every δ and the bandwidth of the links of a chip as B. The same holds, backwards in time (`in`), for data that
 * the hub needs from all others.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { lastBytes, maxInFlight, minHubBytes } from './hub.ts';
import { everyone, type Question } from './question.ts';

export function provedBySpreading({ direction, hub }: Witnesses['spreading'], question: Question): Seconds {
  const { machine, work } = question;
  const bytes = minHubBytes(hub, direction, question);
  const most = maxInFlight(machine, direction);
  if (bytes === undefined || most === undefined) return 0;
  work.spend(question.collective.ranks ** 2);
  const inOrder = everyone(question).map((rank) => {
    const latencies = machine.latencies([rank], direction).filter((_, other) => other !== rank);
    return latencies.sort((a, b) => a - b);
  });
  const nearest = itemAt(inOrder, 0).map((_, p) =>
    inOrder.reduce((least, latencies) => Math.min(least, itemAt(latencies, p)), Number.POSITIVE_INFINITY),
  );
  const opposite = direction === 'out' ? 'in' : 'out';
  const capacities = everyone(question).map((rank) => machine.capacity(rank, opposite));
  const alike = nearest.map(() => itemAt(nearest, 0));
  const plain = timeToTell(alike, most, question) + bytes / Math.max(...capacities);
  const last = lastBytes(bytes, direction, machine);
  return last === undefined ? plain : Math.max(plain, timeToTell(nearest, most, question) + last);
}

/**
 * When the N-th rank can be informed, if every informed rank informs its p-th other after c(p) seconds.
 * @param nearest δ₁, δ₂, …
 * @param slots d
 */
function timeToTell(nearest: readonly Seconds[], slots: number, { work }: Question): Seconds {
  const sums = [0];
  for (const latency of nearest) sums.push(itemAt(sums, sums.length - 1) + latency);
  const telling = nearest.map((last, at) =>
    Math.max(last, itemAt(sums, at + 1) / slots, itemAt(sums, Math.ceil((at + 1) / slots))),
  );
  let known = [0];
  for (let next = 0; next < nearest.length; next++) {
    work.spend(10 * telling.length);
    const told = telling.map((after) => itemAt(known, next) + after);
    known = [...known, ...told].sort((a, b) => a - b).slice(0, nearest.length + 1);
  }
  return itemAt(known, nearest.length);
}

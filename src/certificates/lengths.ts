/**
 * The conclusion that all theorems on lengths of links share (docs/bounds.md, *Lengths*): bytes × length of all messages over the capacity for it.
 */
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/**
 * Give each link a length l ≥ 0. A link carries at most β·(T − α) bytes, where α is the min Σα of any message. If the bytes × length of all messages
 * together are at least `distance`, then T ≥ α + distance / Σ l·β.
 */
export function timeForDistance(distance: number, lengths: readonly number[], { machine }: Question): Seconds {
  const room = sumOf(machine.links.map((link, index) => itemAt(lengths, index) * link.bandwidth));
  return distance > 0 && room > 0 ? machine.nearestPair() + distance / room : 0;
}

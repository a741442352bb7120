/** What the three theorems on lengths of links have in common (docs/bounds.md, *Lengths*): bytes times distance, and room for it. */
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/**
 * Give links any lengths l ≥ 0. A link takes β·(T − α) bytes at most, α being the least Σα of any message. So if all messages together go so
 * many bytes × length or more, T ≥ α + that / Σ l·β.
 */
export function timeForDistance(distance: number, lengths: readonly number[], { machine }: Question): Seconds {
  const room = sumOf(machine.links.map((link, index) => itemAt(lengths, index) * link.bandwidth));
  return distance > 0 && room > 0 ? machine.nearestPair() + distance / room : 0;
}

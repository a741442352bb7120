/**
 * Theorem (docs/bounds.md, *Staging*). Where links and reductions reach a fast memory alone, a rank's chip copies into it what is sent of its input
 * or combined with others, and out of it, or from the input, what its output does not hold from the start: at the rate of its copy engine, both
 * together unless it is duplex.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { stagedBy } from './demands.ts';
import type { Question } from './question.ts';

export function provedByStaging({ rank }: Witnesses['staging'], question: Question): Seconds {
  const { topology, chips } = question.machine;
  const { copy } = itemAt(topology.nodes, itemAt(chips, rank));
  if (topology.staging === undefined || copy === undefined) return 0;
  const { into, outOf } = stagedBy(question, rank);
  return ((copy.duplex === true ? Math.max(into, outOf) : into + outOf) * question.size) / copy.throughput;
}

/**
 * Theorem (docs/bounds.md, *Staging*). Where links and reductions reach only a fast memory of each chip, the copy engine of a chip must copy into
 * that memory all input of its rank that is sent or combined with other data. It must also copy the output out of it (or straight from the input),
 * except for what is in place from the start. T is at least these bytes over the throughput of the engine; if the engine is duplex, the larger of the two amounts counts
 * alone.
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

/** Requests as the tests make them: from 1 KiB to 1 GiB, at one machine. */
import { searchDefaults } from '../../src/index.ts';
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { sizeSeries } from '../../src/tune/ranges.ts';
import type { TuneRequest } from '../../src/tune/tune.ts';
import { collectiveOf } from '../collectives.ts';

export function requestFor(kind: CollectiveKind, topo: string, points: number, changes: Partial<TuneRequest> = {}) {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective: Collective = collectiveOf(kind, ranks);
  const sizes = sizeSeries(2 ** 10, 2 ** 30, points);
  return { ...searchDefaults, collective, topology, sizes, tolerance: 0.01, ...changes } satisfies TuneRequest;
}

/** Machines of boxes: every collective has a proved plan there, and a broken link leaves one too. */
import { describe, expect, it } from 'vitest';
import { type CollectiveKind, collectiveKinds } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { type CompileRequest, searchPlan } from '../../../src/search/compile.ts';
import { collectiveOf } from '../../collectives.ts';
import { testFactor, testSeed } from '../../draw.ts';

function request(kind: CollectiveKind, topology: Topology, changes: Partial<CompileRequest> = {}): CompileRequest {
  const ranks = topology.chips.length;
  return {
    collective: collectiveOf(kind, ranks),
    topology,
    size: 65536,
    dtype: 'f32',
    bulks: 1,
    engine: 'library',
    parameters: {},
    objective: 'time',
    seed: 0,
    limits: defaultLimits,
    ...changes,
  };
}

describe('shipped machines of boxes', () => {
  it.each(['a100', 'h100:2', 'dgx2', 'dgx1-cluster', 'mi250', 'dragonfly', 'fattree3', 'sg2260-cards'])(
    'collectives have a plan on %s, none of them faster than the bound',
    (spec) => {
      const topology = resolveTopology(spec);
      // A third of the collectives each day, all of them in the exhaustive tests.
      const kinds = collectiveKinds.filter((kind) => kind !== 'custom');
      for (const kind of kinds.filter((_, index) => testFactor > 1 || (index + testSeed) % 3 === 0)) {
        const { bundle } = searchPlan(request(kind, topology));
        const optimality = bundle.bound.seconds / bundle.cost.seconds;
        expect(optimality, kind).toBeGreaterThan(0);
        expect(optimality, kind).toBeLessThanOrEqual(1 + 1e-9);
      }
    },
  );

  it.each(['allgather', 'allreduce', 'broadcast', 'alltoall'] as const)(
    '%s over boxes goes on over other links where the NIC of a GPU is broken',
    (kind) => {
      const broken = withoutLink(resolveTopology('a100:2'), 3, 'switch 2');
      const { bundle } = searchPlan(request(kind, broken, { engine: 'levels' }));
      const loads = new Map(bundle.cost.links.map(({ link, bytes }) => [broken.links[link], bytes]));
      const nics = [...loads].filter(([{ from, to }]) => from === 18 || to === 18);
      expect(nics).toHaveLength(2 * 15);
      expect(nics.every(([{ from, to }]) => from !== 3 && to !== 3)).toBe(true);
    },
  );
});

import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { pareto } from '../../../src/search/pareto.ts';
import { loadSolver } from '../../../src/solver/index.ts';
import { testFactor } from '../../draw.ts';
import { collectiveOn } from './support.ts';

async function frontier(kind: CollectiveKind, topo: string, chunksUpTo?: number) {
  const topology = resolveTopology(topo);
  const solver = await loadSolver('auto');
  return pareto({ collective: collectiveOn(kind, topo), topology, chunksUpTo, seed: 0, limits: defaultLimits, solver });
}

const shapes = ({ points }: Awaited<ReturnType<typeof frontier>>) =>
  points.map(({ chunks, steps, rounds }) => [chunks, steps, rounds]);

describe('the frontier', () => {
  it('of allgather on DGX-1 is complete: everything below it is proved impossible', async () => {
    const result = await frontier('allgather', 'dgx1');
    expect(shapes(result)).toEqual([
      [1, 2, 2],
      [2, 2, 3],
      [3, 3, 4],
      [4, 3, 5],
      [5, 3, 6],
      [6, 3, 7],
    ]);
    expect(result).toMatchObject({ complete: true, stoppedEarly: false, minSteps: 2 });
    expect(result.roundsPerChunk).toBeCloseTo(7 / 6, 9);
  });

  // ⌈N/2⌉ … rings: one chunk in both directions takes N/2 steps, halves of chunks N − 1 rounds for two.
  it.each<readonly [CollectiveKind, string, number[][]]>([
    [
      'allgather',
      'ring:4',
      [
        [1, 2, 2],
        [2, 2, 3],
      ],
    ],
    ['allgather', 'ring:5', [[1, 2, 2]]],
    [
      'reducescatter',
      'ring:4',
      [
        [1, 2, 2],
        [2, 2, 3],
      ],
    ],
    ['allgather', 'full:8', [[1, 1, 1]]],
    ['alltoall', 'ring:4', [[1, 2, 2]]],
    [
      'allgather',
      'torus:4x4',
      [
        [1, 4, 4],
        [4, 4, 15],
      ],
    ],
    [
      'scatter',
      'ring:4',
      [
        [1, 2, 2],
        [2, 2, 3],
      ],
    ],
  ])('of %s on %s is complete', async (kind, topo, expected) => {
    const result = await frontier(kind, topo);
    expect(shapes(result)).toEqual(expected);
    expect(result.complete).toBe(true);
  });

  it.runIf(testFactor > 1)('ends for allreduce on a ring of five, with the bandwidth-optimal point', async () => {
    const result = await frontier('allreduce', 'ring:5');
    expect(shapes(result)).toContainEqual([1, 2, 2]);
    expect(shapes(result)).toContainEqual([5, 4, 4]);
    expect(result.points.every(({ steps, rounds }) => steps <= rounds)).toBe(true);
  });

  it('has no point that another one dominates', async () => {
    for (const [kind, chunksUpTo] of [
      ['broadcast', 6],
      ['allreduce', 3],
      ['gather', 6],
    ] as const) {
      const points = shapes(await frontier(kind, 'sg2260x4', chunksUpTo));
      for (const [c, s, r] of points) {
        const better = points.filter(([c2, s2, r2]) => c2 <= c && s2 <= s && r2 * c <= r * c2);
        expect(better).toEqual([[c, s, r]]);
      }
    }
  });

  it('of few chunks is the beginning of that of many', async () => {
    expect(shapes(await frontier('allgather', 'dgx1', 2))).toEqual([
      [1, 2, 2],
      [2, 2, 3],
    ]);
  });

  it('says what it cannot do', async () => {
    await expect(frontier('scan', 'ring:4')).rejects.toThrow('there is no scan in moves');
    await expect(frontier('allgather', 'ring:1')).rejects.toThrow('one rank has nothing to move');
    await expect(frontier('allgather', 'torus:16x16')).rejects.toThrow('at most 64 chips, not 256');
  });

  it('keeps what it has when the time is up', () => {
    const topology = resolveTopology('dgx1');
    let asked = 0;
    const shouldStop = () => ++asked > 3;
    const request = { collective: collectiveOn('allgather', 'dgx1'), topology, seed: 0, limits: defaultLimits };
    const result = pareto({ ...request, shouldStop });
    expect(result.stoppedEarly).toBe(true);
    expect(result.complete).toBe(false);
  });
});

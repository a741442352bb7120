/** By which tree results are combined: against trees drawn by hand. */
import { describe, expect, it } from 'vitest';
import { reductionTrees } from '../../src/verify/index.ts';
import { planOf } from '../seeds/library.ts';

describe('the trees of a plan', () => {
  it('are those of the textbook', () => {
    const doubling = '((0 1) (2 3))';
    expect(reductionTrees(planOf('recursive-doubling-allreduce', 4))).toBe(Array(4).fill(doubling).join('; '));
    // A chain of four towards rank 0, whose result all get.
    expect(reductionTrees(planOf('chain-reduce', 4, { root: 0 }))?.split('; ')[0]).toBe('(((2 3) 1) 0)');
    expect(reductionTrees(planOf('chain-scan', 3))).toBe('0; (0 1); ((0 1) 2)');
  });

  it('are one where partners are met in the same order, whatever else differs', () => {
    const doubling = reductionTrees(planOf('recursive-doubling-allreduce', 8));
    expect(doubling).toBe(reductionTrees(planOf('mirrored-recursive-doubling-allreduce', 8)));
    expect(doubling?.split('; ')[0]).toBe('(((0 1) (2 3)) ((4 5) (6 7)))');
    // Halving begins with the partner that is farthest away.
    expect(reductionTrees(planOf('rabenseifner-allreduce', 8))?.split('; ')[0]).toBe('(((0 4) (2 6)) ((1 5) (3 7)))');
  });

  it('are none where chunks go round a ring from different ranks', () => {
    expect(reductionTrees(planOf('ring-allreduce', 3))).toBeUndefined();
    // A reducescatter gives each rank a part of its own: shard r begins at rank r + 1 and ends at rank r.
    expect(reductionTrees(planOf('ring-reducescatter', 3))).toBe('((1 2) 0); ((0 2) 1); ((0 1) 2)');
  });

  it('do not matter where nothing rounds', () => {
    expect(reductionTrees(planOf('ring-allreduce', 3, { op: 'max' }))).toBe('');
    expect(reductionTrees(planOf('ring-allgather', 3))).toBe('');
  });
});

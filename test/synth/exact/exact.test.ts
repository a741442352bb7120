import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../../src/ir/collective.ts';
import { oracleFor, type ShapeRow, statusOf } from './support.ts';

/** (C, S, R) of Cai et al., PPoPP 2021, on DGX-1, and what is known beside them. */
const dgx1: readonly (readonly [CollectiveKind, ...ShapeRow])[] = [
  ['allgather', 1, 2, 2],
  ['allgather', 2, 3, 3],
  ['allgather', 3, 4, 4],
  ['allgather', 4, 5, 5],
  ['allgather', 5, 6, 6],
  ['allgather', 6, 7, 7],
  ['allgather', 2, 2, 3],
  ['allgather', 6, 3, 7],
  ['gather', 6, 7, 7],
  ['gather', 6, 3, 7],
  ['scatter', 6, 3, 7],
  ['scatter', 6, 7, 7],
  ['broadcast', 2, 2, 2],
  ['broadcast', 6, 3, 3],
  ['broadcast', 12, 4, 4],
  ['broadcast', 18, 5, 5],
  ['broadcast', 6, 3, 5],
  ['reducescatter', 1, 2, 2],
  ['reducescatter', 2, 2, 3],
  ['reducescatter', 6, 3, 7],
  ['alltoall', 1, 3, 3],
  ['alltoall', 1, 2, 3],
  ['alltoall', 3, 2, 8],
  ['alltoall', 3, 8, 8],
  ['allreduce', 8, 4, 4],
  ['allreduce', 16, 4, 6],
  ['allreduce', 48, 6, 14],
  ['allreduce', 48, 14, 14],
];

describe('exact schedules', () => {
  it.each(dgx1)('%s (%d, %d, %d) exists on DGX-1', async (kind, ...shape) => {
    expect(await statusOf(kind, 'dgx1', shape)).toBe('feasible');
  });

  it.each<readonly [CollectiveKind, string, ...ShapeRow]>([
    ['allgather', 'ring:16', 2, 15, 15],
    ['allgather', 'hypercube:4', 4, 15, 15],
    ['allgather', 'torus:4x4', 1, 4, 4],
    ['allgather', 'full:32', 1, 1, 1],
    ['allgather', 'switch:4', 1, 1, 3],
    ['alltoall', 'switch:4', 1, 1, 3],
    ['scatter', 'switch:4', 1, 1, 3],
    ['scatter', 'line:4', 1, 3, 3],
    ['reduce', 'ring:8', 2, 4, 4],
  ])('%s on %s has (%d, %d, %d)', async (kind, topo, ...shape) => {
    expect(await statusOf(kind, topo, shape)).toBe('feasible');
  });

  it.each<readonly [CollectiveKind, ...ShapeRow]>([
    ['allgather', 3, 2, 4],
    ['allgather', 4, 2, 5],
    ['allgather', 1, 1, 1],
    ['alltoall', 1, 2, 2],
    ['reducescatter', 3, 2, 4],
  ])('%s (%d, %d, %d) does not exist on DGX-1', async (kind, ...shape) => {
    expect(await statusOf(kind, 'dgx1', shape)).toBe('infeasible');
  });

  it('leaves open without a solver what neither bounds nor construction decide', async () => {
    expect(await statusOf('allgather', 'dgx1', [3, 2, 4], 'none')).toBe('unknown');
  });

  // On the line everything for the one half crosses one link; a ring of four has two ways to the opposite chip.
  it.each<readonly [CollectiveKind, string, ...ShapeRow, 'feasible' | 'infeasible']>([
    ['allgather', 'line:4', 1, 3, 3, 'feasible'],
    ['allgather', 'line:4', 2, 3, 5, 'infeasible'],
    ['alltoall', 'ring:4', 1, 2, 2, 'feasible'],
    ['allgather', 'switch:4', 1, 1, 2, 'infeasible'],
  ])('HiGHS and GLPK agree on %s on %s (%d, %d, %d)', async (kind, topo, chunks, steps, rounds, expected) => {
    for (const solver of ['highs', 'glpk'] as const) {
      expect(await statusOf(kind, topo, [chunks, steps, rounds], solver)).toBe(expected);
    }
  });

  it('finds scatters and gathers from every root', async () => {
    for (let root = 0; root < 8; root++) {
      expect(await statusOf('scatter', 'dgx1', [6, 7, 7], 'highs', root)).toBe('feasible');
      expect(await statusOf('gather', 'dgx1', [6, 7, 7], 'highs', root)).toBe('feasible');
    }
  });

  // From the end of a line all 3·C chunks go over one link, and C of them over two more.
  it.each<readonly [...ShapeRow, 'feasible' | 'infeasible']>([
    [2, 3, 6, 'feasible'],
    [2, 3, 5, 'infeasible'],
    [1, 2, 6, 'infeasible'],
  ])('decides scatter (%d, %d, %d) on a line: %s', async (chunks, steps, rounds, expected) => {
    expect(await statusOf('scatter', 'line:4', [chunks, steps, rounds], 'highs')).toBe(expected);
  });

  it('makes the same schedule for the same seed', () => {
    const make = () => {
      const verdict = oracleFor('allgather', 'dgx1').query({ chunks: 6, steps: 3, rounds: 7 });
      return verdict.status === 'feasible' ? verdict.schedule(1) : undefined;
    };
    expect(make()).toBeDefined();
    expect(make()).toEqual(make());
  });

  it('bounds rounds by the narrowest cut, and steps by the longest way', () => {
    const { bounds } = oracleFor('alltoall', 'dgx1');
    expect(bounds.roundsPerChunk).toBeCloseTo(8 / 3, 9);
    expect(bounds.minSteps).toBe(2);
    expect(oracleFor('allgather', 'ring:16').bounds).toMatchObject({ minSteps: 8, roundsPerChunk: 7.5 });
  });
});

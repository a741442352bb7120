/** What the models say, where construction and bounds do not decide. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { loadSolver } from '../../../src/solver/index.ts';
import { unitMachineOf } from '../../../src/synth/exact/machine.ts';
import { modelOf } from '../../../src/synth/exact/models.ts';
import { freeSymmetry, identityOf } from '../../../src/synth/exact/symmetry.ts';
import { Oracle } from '../../../src/synth/index.ts';
import { collectiveOn, oracleFor, type ShapeRow, statusOf } from './support.ts';

async function divided(topo: string, [chunks, steps, rounds]: ShapeRow, folded: boolean): Promise<boolean> {
  const solver = await loadSolver('highs');
  const machine = unitMachineOf(new Routes(resolveTopology(topo)), false);
  const symmetry = freeSymmetry(machine).slice(0, folded ? undefined : 1);
  const { model } = modelOf({ kind: 'allgather', machine, root: 0, chunks, steps, rounds }, symmetry, true);
  const { status } = solver.solve(model, { relativeGap: 1, nodes: 1000 });
  expect(status).not.toBe('unknown');
  return status !== 'infeasible';
}

describe('models', () => {
  it('reduced by symmetry find schedules', async () => {
    const models: string[] = [];
    const control = { seed: 0, shouldStop: () => false, solver: await loadSolver('highs') };
    const oracle = new Oracle(collectiveOn('alltoall', 'dgx1'), new Routes(resolveTopology('dgx1')), {
      ...control,
      onModel: (_, name) => models.push(name),
    });
    const verdict = oracle.query({ chunks: 3, steps: 8, rounds: 8 });
    expect(verdict).toMatchObject({ status: 'feasible', method: expect.stringContaining('by symmetry') });
    expect(models).toEqual([expect.stringContaining('by symmetry')]);
    const machine = unitMachineOf(new Routes(resolveTopology('dgx1')), false);
    const instance = { kind: 'alltoall', machine, root: 0, chunks: 3, steps: 8, rounds: 8 } as const;
    const [all, folded] = [[identityOf(machine)], freeSymmetry(machine)].map((symmetry) => {
      return modelOf(instance, symmetry).model.columns;
    });
    // Four renumberings; the rounds of the eight steps stay.
    expect(4 * (folded - 8)).toBe(all - 8);
  });

  it('say no only for the whole machine', async () => {
    // Shards for the chip opposite must go both ways round, one from each second chip: no rotation by one leaves that as it is.
    expect(await statusOf('alltoall', 'ring:4', [1, 2, 2])).toBe('feasible');
  });

  it.each<readonly [string, ...ShapeRow]>([
    ['dgx1', 3, 2, 4],
    ['dgx1', 4, 2, 5],
    // One chunk crosses between the cards in each round, and the last one reaches one chip of four only.
    ['sg2260-cards', 1, 4, 4],
  ])('of divided chunks prove that %s has no allgather (%d, %d, %d)', async (topo, ...shape) => {
    expect(await divided(topo, shape, true)).toBe(false);
    // Without symmetry that of the cards takes ten seconds.
    if (topo === 'dgx1') expect(await divided(topo, shape, false)).toBe(false);
  });

  it.each<readonly [string, ...ShapeRow]>([
    ['dgx1', 2, 2, 3],
    ['dgx1', 6, 3, 7],
    ['ring:5', 1, 2, 2],
    ['line:4', 2, 6, 6],
    ['torus:4x4', 1, 4, 4],
    ['sg2260-cards', 1, 2, 5],
  ])('of divided chunks let through what exists: %s (%d, %d, %d)', async (topo, ...shape) => {
    expect(await divided(topo, shape, true)).toBe(true);
  });
});

describe('allreduce by partial sums', () => {
  it.each<readonly [string, ...ShapeRow]>([
    // Both ends send, the middle adds up and sends back, one chunk after the other.
    ['line:3', 2, 3, 3],
    // The two in the middle exchange their halves' sums.
    ['line:4', 2, 4, 4],
    ['ring:5', 2, 3, 3],
    // As many rounds as the bound says, in one step less than reducescatter and allgather take.
    ['sg2260x4', 4, 3, 3],
  ])('does on %s what no composition does: (%d, %d, %d)', async (topo, ...shape) => {
    expect(await statusOf('allreduce', topo, shape, 'none')).toBe('unknown');
    expect(await statusOf('allreduce', topo, shape)).toBe('feasible');
  });

  it.each<readonly [string, ...ShapeRow]>([
    ['line:3', 2, 2, 3],
    // In three steps every chunk leaves the ends in the first, crosses the middle in the second and arrives in the third.
    ['line:4', 2, 3, 3],
    ['line:4', 2, 3, 4],
  ])('is impossible on %s in (%d, %d, %d)', async (topo, ...shape) => {
    expect(await statusOf('allreduce', topo, shape)).toBe('infeasible');
  });

  it('leaves open what overlapping sums might do', async () => {
    const control = { seed: 0, shouldStop: () => false, solver: await loadSolver('highs') };
    const collective = { ...collectiveOn('allreduce', 'line:3'), op: 'max' as const };
    const oracle = new Oracle(collective, new Routes(resolveTopology('line:3')), control);
    expect(oracle.query({ chunks: 2, steps: 2, rounds: 3 }).status).toBe('unknown');
  });

  it('keeps several slices of each chunk together', async () => {
    const verdict = oracleFor('allreduce', 'line:4', await loadSolver('highs')).query({
      chunks: 2,
      steps: 4,
      rounds: 4,
    });
    if (verdict.status !== 'feasible') throw new Error(verdict.status);
    expect(verdict.schedule(3).collective.chunks).toBe(6);
    expect(verdict.schedule(3).steps.transferCount).toBe(verdict.schedule(1).steps.transferCount);
  });
});

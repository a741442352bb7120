/** `ccc run --sizes`: a row for each size, with the rates of nccl-tests. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doubledSizes, headOf, rowDocument, rowText } from '../../src/cli/run/sizes.ts';
import { ccc } from '../cli/run.ts';
import { collectiveOf } from '../collectives.ts';
import { emptyFolder } from '../temporary.ts';

const few = ['--repetitions', '3', '--warmups', '0', '--threads', '0'];

describe('a table over sizes', () => {
  it('doubles from the first size to the last', () => {
    expect(doubledSizes([1024, 8192])).toEqual([1024, 2048, 4096, 8192]);
    expect(doubledSizes([1000, 3000])).toEqual([1000, 2000, 3000]);
    expect(doubledSizes([5, 5])).toEqual([5]);
  });

  it('has the rates of the fastest run, and other times beside', () => {
    // 4 MB in 2 ms are 2 GB/s; of an allreduce on 4 ranks the bus carries 2 · 3/4 of that.
    const row = {
      collective: collectiveOf('allreduce', 4),
      dtype: 'f32',
      size: 4e6,
      seconds: [3e-3, 2e-3],
      errors: 0,
    } as const;
    const mpi = { name: 'MPI', seconds: [5e-3, 4e-3] };
    expect(rowText(row).trim().split(/\s+/)).toEqual(['4000000', '1000000', 'f32', '2000.00', '2.000', '3.000', '0']);
    expect(rowText(row, mpi).trim().split(/\s+/)).toEqual([
      '4000000',
      '1000000',
      'f32',
      '2000.00',
      '2.000',
      '3.000',
      '4000.00',
      '0',
    ]);
    expect(rowText({ ...row, errors: undefined })).toMatch(/N\/A\n$/);
    expect(rowDocument(row, mpi)).toMatchObject({
      ...{ count: 1e6, seconds: { min: 2e-3, all: [3e-3, 2e-3] }, mpiSeconds: { min: 4e-3, all: [5e-3, 4e-3] } },
      busBandwidth: 3e9,
    });
    const head = headOf('plan\u001b', row.collective, 'MPI').split('\n');
    expect(head[0]).toContain('allreduce on 4 ranks');
    expect(head[0]).not.toContain('\u001b');
    expect(
      new Set([...head.slice(1, 3), rowText(row, mpi).trimEnd()].map((line) => line.length)).size,
    ).toBeLessThanOrEqual(2);
  });

  const folder = emptyFolder();
  const plan = join(folder, 'plan.json');
  ccc(['compile', 'allgather', '--topo', 'ring:3', '--algorithm', 'ring-allgather', '-o', plan]);

  it('runs every size, of each the whole elements, and finds the results right', () => {
    const { status, stdout } = ccc(['run', plan, '--sizes', '3..20', ...few]);
    expect(status).toBe(0);
    const rows = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(
      rows.map((line) =>
        line
          .trim()
          .split(/\s+/)
          .filter((_, column) => column < 3 || column === 6),
      ),
    ).toEqual([...[4, 12, 20].map((size) => [String(size), String(size / 4), 'f32', '0'])]);
    const { stdout: json } = ccc(['run', plan, '--sizes', '64..256', '--dtype', 'i8', '--json', ...few]);
    const document = JSON.parse(json);
    expect(document.ok).toBe(true);
    expect(document.sizes.map(({ size }: { size: number }) => size)).toEqual([64, 128, 256]);
    for (const { seconds, errors, size, algorithmBandwidth } of document.sizes) {
      expect([seconds.all.length, errors]).toEqual([3, 0]);
      expect(algorithmBandwidth).toBeCloseTo(size / seconds.min, 0);
    }
  });

  it.each([
    ['one size too', ['--size', '1K'], '--size'],
    ['a timeline', ['--timeline'], '--timeline'],
    ['a range turned round', ['--sizes', '2K..1K'], '1KiB..1GiB'],
  ])('does not go with %s', (_, more, words) => {
    const { status, stderr } = ccc(['run', plan, '--sizes', '1K..2K', ...more, ...few]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

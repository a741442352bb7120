/** Shards of different sizes and process groups from the command line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

describe('--counts', () => {
  it('compiles a plan that verify proves again', async () => {
    const folder = emptyFolder();
    const counts = ['--counts', '1MiB,0,3MiB,512KiB'];
    const { status, stderr } = await inProcess(
      ['compile', 'allgatherv', '--topo', 'ring:4', ...counts, '-o', 'plan.json'],
      '',
      folder,
    );
    expect([status, stderr]).toEqual([0, expect.stringContaining('for 4.5 MiB')]);
    const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
    expect(plan.collective).toMatchObject({ kind: 'allgather', counts: [2 ** 20, 0, 3 * 2 ** 20, 2 ** 19] });
    expect(plan.size).toBe(4.5 * 2 ** 20);
    expect((await inProcess(['verify', 'plan.json', '--topo', 'ring:4'], '', folder)).status).toBe(0);
  });

  it('reads counts from a file, and takes them for bounds', async () => {
    const rows = fileWith('0, 1MB\n2MB, 0\n', 'counts.txt');
    const { status, stdout } = await inProcess(['bound', 'alltoallv', '--topo', 'ring:2', '--counts', rows, '--json']);
    // 2 MB over the one link from rank 1 to rank 0, 1 µs and 10 GB/s.
    expect([status, JSON.parse(stdout).seconds]).toEqual([0, expect.closeTo(1e-6 + 2e6 / 10e9, 12)]);
  });

  it.each([
    [['compile', 'allgatherv', '--topo', 'ring:4'], 'allgatherv needs --counts'],
    [['compile', 'allgather', '--topo', 'ring:4', '--counts', '1,2'], 'allgather of 4 ranks takes 4 counts, not 2'],
    [['compile', 'alltoall', '--topo', 'ring:2', '--counts', '1,2'], 'takes 2 × 2 counts'],
    [['compile', 'allreduce', '--topo', 'ring:2', '--counts', '1,2'], 'allreduce has no shards'],
    [['compile', 'gather', '--topo', 'ring:2', '--counts', '1,x'], 'count 2: expected an amount of data'],
    [['compile', 'gather', '--topo', 'ring:2', '--counts', '1,2', '--size', '3'], 'cannot be used with'],
    [['bound', 'scatter', '--topo', 'ring:2', '--counts=-1,2'], 'count 1: expected a whole number of bytes, 0 or more'],
  ])('%j is refused', async (args, message) => {
    const { status, stderr } = await inProcess(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('--group', () => {
  it('compiles for some chips of a machine', async () => {
    const folder = emptyFolder();
    const some = ['--topo', 'ring:8', '--group', '0,2,5'];
    expect(
      (await inProcess(['compile', 'allreduce', ...some, '--engine', 'library', '-o', 'plan.json'], '', folder)).status,
    ).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')).collective.ranks).toBe(3);
    expect((await inProcess(['verify', 'plan.json', ...some], '', folder)).status).toBe(0);
    expect((await inProcess(['verify', 'plan.json', '--topo', 'ring:8'], '', folder)).status).toBe(1);
  });

  it('compiles several at once, and says what they lose to one another', async () => {
    const folder = emptyFolder();
    const groups = ['--group', '0,2', '--group', '1,3'];
    const args = ['compile', 'allgather', '--topo', 'line:4', ...groups, '--engine', 'library', '--bulks', '1'];
    const { status, stderr } = await inProcess([...args, '-o', 'plan.json'], '', folder);
    expect(status).toBe(0);
    expect(stderr).toContain('2 groups at once:');
    expect(stderr).toContain('2.00 times as long as the slowest one alone, because they share links.');
    expect((await inProcess(['verify', 'plan.json', '--topo', 'line:4'], '', folder)).status).toBe(0);
    const { groups: shares, ok } = JSON.parse((await inProcess([...args, '--json'])).stdout);
    expect([ok, shares.map(({ ranks }: { ranks: number[] }) => ranks)]).toEqual([
      true,
      [
        [0, 2],
        [1, 3],
      ],
    ]);
  });

  it('takes the boxes of a topology', async () => {
    const { status, stderr } = await inProcess([
      'compile',
      'broadcast',
      '--topo',
      'dgx1-cluster',
      '--group',
      'boxes',
      '--engine',
      'library',
      '-o',
      '/dev/null',
    ]);
    expect([status, stderr]).toEqual([0, expect.stringContaining('2 groups at once:')]);
  });

  it.each([
    [['compile', 'allgather', '--topo', 'ring:8', '--group', '0,9'], 2, 'ring:8 has no chip 9'],
    [
      ['compile', 'allgather', '--topo', 'ring:8', '--group', '0,2', '--group', '1,2'],
      2,
      'groups must not overlap: chip 2',
    ],
    [['compile', 'allgather', '--topo', 'ring:8', '--group', '0,0'], 2, 'chip 0 is twice in the group 0,0'],
    [['compile', 'allgather', '--topo', 'ring:8', '--group', 'x'], 2, 'expected a group of chips'],
    [['compile', 'allgather', '--topo', 'ring:8', '--group', 'boxes'], 2, 'ring:8 declares no groups'],
    [
      ['compile', 'barrier', '--topo', 'ring:4', '--group', '0,1', '--group', '2,3'],
      2,
      'a barrier cannot be done in several groups',
    ],
    [
      ['compile', 'reduce', '--root', '2', '--topo', 'ring:4', '--group', '0,1', '--group', '2,3'],
      2,
      '--root 2 is out of range',
    ],
    [
      ['compile', 'gather', '--topo', 'ring:4', '--group', '0,1', '--group', '2,3', '--counts', '1,2'],
      2,
      '--counts is for one group',
    ],
    [
      ['bound', 'gather', '--topo', 'ring:4', '--group', '0,1', '--group', '2,3'],
      2,
      'only compile takes several groups at once',
    ],
    [
      ['compile', 'allgather', '--topo', 'torus:4x4', '--group', '0,1', '--compact'],
      2,
      '--group makes chips unlike each other',
    ],
  ])('%j is refused', async (args, code, message) => {
    const { status, stderr } = await inProcess(args);
    expect([status, stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

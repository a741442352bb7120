/** `ccc tune` as people run it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';

const few = ['--topo', 'sg2260x4', '--sizes', '1KiB..1GiB', '--points', '6'];

describe('ccc tune', () => {
  it('prints ranges, sizes and fixed rules', async () => {
    const { status, stdout } = await inProcess(['tune', 'allgather', ...few]);
    expect(status).toBe(0);
    expect(stdout).toContain('allgather on sg2260x4, 1 KiB to 1 GiB');
    expect(stdout).toMatch(/MPICH \(2005\) is slower than the tuned plan at \d of 6 sizes/);
  });

  it('says which tables others have no words for, and writes all else', async () => {
    const folder = emptyFolder();
    const asked = [
      'tune',
      'exscan',
      '--topo',
      'ring:2',
      '--sizes',
      '1KiB..4KiB',
      '--points',
      '2',
      '--engine',
      'library',
    ];
    const { status, stdout, stderr } = await inProcess(
      [...asked, '-o', 'plans', '--rules', 'rules', '--csv', 'csv'],
      '',
      folder,
    );
    expect(status).toBe(1);
    expect(stdout).toContain('exscan on ring:2');
    expect(stderr).toContain('csv was not written: NCCL has none of the algorithms for exscan');
    expect(readdirSync(folder).sort()).toEqual(['plans', 'rules']);
    expect(readdirSync(join(folder, 'plans'))).toContain('exscan.svg');
  });

  it('writes each plan in use once, a picture, and rules for others', async () => {
    const folder = emptyFolder();
    const { status } = await inProcess(
      ['tune', 'allreduce', ...few, '-o', 'plans', '--rules', 'rules', '--csv', 'csv'],
      '',
      folder,
    );
    expect(status).toBe(0);
    const { ok, plans } = JSON.parse((await inProcess(['tune', 'allreduce', ...few, '--json'])).stdout);
    expect(ok).toBe(true);
    const files = readdirSync(join(folder, 'plans'));
    expect(files.filter((file) => file.endsWith('.json'))).toHaveLength(plans.length);
    expect(readFileSync(join(folder, 'plans', 'allreduce.svg'), 'utf8')).toMatch(/^<svg (.|\n)*<\/svg>\n$/);
    expect(readFileSync(join(folder, 'rules'), 'utf8')).toMatch(/^1 #/);
    expect(readFileSync(join(folder, 'csv'), 'utf8')).toContain('allreduce,0,');
    for (const file of files.filter((name) => name.endsWith('.json'))) {
      expect((await inProcess(['verify', join(folder, 'plans', file), '--topo', 'sg2260x4'])).status).toBe(0);
    }
  });

  it('draws the map of ranks and sizes', async () => {
    const args = ['tune', 'allreduce', '--topo', 'switch:N', '--ranks', '2..5', '--points', '4', '--engine', 'library'];
    const { status, stdout } = await inProcess(args);
    expect(status).toBe(0);
    expect(stdout).toMatch(/ranks {2}1 KiB … 1 GiB\n {4}5 {2}[A-Z]{4}\n {4}4 {2}[A-Z]{4}\n/);
  });

  it.each([
    [['tune', 'barrier', '--topo', 'ring:4'], 'no size to tune'],
    [['tune', 'allgather', '--topo', 'ring:4', '--sizes', '1MiB..1KiB'], 'expected two sizes'],
    [['tune', 'allgather', '--topo', 'ring:4', '--sizes', '1MiB'], 'expected two sizes'],
    [['tune', 'allgather', '--topo', 'ring:4', '--ranks', '2..4'], 'ring:N'],
    [['tune', 'allgather', '--topo', 'ring:4', '--tolerance', 'lots'], 'percent'],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await inProcess(args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

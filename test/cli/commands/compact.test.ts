import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';

const compile = ['compile', 'allgather', '--topo', 'torus:4x4', '--compact'];

describe('ccc compile --compact', () => {
  it('makes a plan that ccc verifies, alone and written out, and that keeps its time', async () => {
    const folder = emptyFolder();
    const made = await inProcess([...compile, '--link', '1us,10GB/s', '-o', 'plan.json'], '', folder);
    expect(made).toMatchObject({ status: 0, stdout: '' });
    expect(made.stderr).toContain('one program of');
    for (const options of [[], ['--topo', 'torus:4x4'], ['--inflight', '0']]) {
      expect((await inProcess(['verify', 'plan.json', ...options], '', folder)).stdout).toMatch(
        /^correct: layered-allgather-torus-4x4/,
      );
    }
    expect((await inProcess(['convert', 'plan.json', '--expand', '-o', 'full.json'], '', folder)).status).toBe(0);
    const full = await inProcess(['verify', 'full.json', '--topo', 'torus:4x4', '--ownership', 'strict'], '', folder);
    expect(full.stdout).toContain('verified for N = 16');
    expect(JSON.parse(readFileSync(join(folder, 'full.json'), 'utf8')).programs).toHaveLength(16);
  });

  it('has a time that verify, show and convert state, the same alone and written out, and a misstated one is told', async () => {
    const folder = emptyFolder();
    expect((await inProcess([...compile, '--size', '16MiB', '-o', 'plan.json'], '', folder)).status).toBe(0);
    expect((await inProcess(['convert', 'plan.json', '--expand', '-o', 'full.json'], '', folder)).stderr).toContain(
      'simulated',
    );
    const takes = /takes \S+ µs for 16 MiB of f32 on torus:4x4/;
    // The plan written out is simulated on all sixteen chips.
    const [full] = takes.exec((await inProcess(['verify', 'full.json'], '', folder)).stdout) ?? ['no time'];
    for (const command of ['verify', 'show'])
      expect((await inProcess([command, 'plan.json'], '', folder)).stdout).toContain(full);
    const other = (await inProcess(['verify', 'plan.json', '--size', '32MiB'], '', folder)).stdout;
    expect(other).toContain('for 32 MiB of f32 on torus:4x4');
    const path = join(folder, 'plan.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"seconds":[\d.e-]+/, '"seconds":1'));
    expect((await inProcess(['verify', 'plan.json'], '', folder)).stdout).toContain(
      'its document says 1 s; simulated, it takes',
    );
  });

  it('says the same as a document', async () => {
    const { status, stdout } = await inProcess([...compile, '--json', '--size', '16MiB']);
    const document = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(document).toMatchObject({
      ok: true,
      symmetry: { shape: [4, 4] },
      steps: 4,
      collective: { kind: 'allgather', ranks: 16 },
      verification: { verdict: 'correct', smallestInflight: 0 },
    });
    // Four layers; 15 shards over four links.
    expect(document.cost.seconds).toBeCloseTo(4e-6 + (15 * 2 ** 20) / 4e10, 12);
    expect(document.bound.optimality).toBeGreaterThan(0.99);
  });

  it('does a hundred thousand ranks, and offers itself where a full plan is too large', async () => {
    const { status, stdout } = await inProcess([
      'compile',
      'allgather',
      '--topo',
      'torus:400x250',
      '--compact',
      '--json',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ collective: { ranks: 100_000 }, verification: { verdict: 'correct' } });
    const full = await inProcess(['compile', 'allgather', '--topo', 'torus:400x250']);
    expect(full.status).toBe(2);
    expect(full.stderr).toContain('with --compact, one program is made for all ranks');
    expect((await inProcess(['compile', 'allgather', '--topo', 'mesh:400x250'])).stderr).not.toContain('--compact');
    // A parcel from each of 4,096 ranks to each other.
    const parcels = await inProcess(['compile', 'alltoall', '--topo', 'torus:64x64', '--effort', 'quick']);
    expect(parcels.status).toBe(2);
    expect(parcels.stderr).toContain('16773120 parcels, more than the limit operations = 8000000; with --compact, one');
  });

  it('is shown as the one program, with peers by how far away they are', async () => {
    const plan = (await inProcess(['compile', 'allgather', '--topo', 'torus:4x3', '--size', '1MiB', '--compact']))
      .stdout;
    const { status, stdout } = await inProcess(['show', '-'], plan);
    expect(status).toBe(0);
    expect(stdout).toContain('Every rank of 4x3 runs it shifted');
    // Each message goes over one link, and every chip has links both ways along both axes.
    const receivers = [...stdout.matchAll(/send .* → (\S+)/g)].map(([, to]) => to);
    expect([...new Set(receivers)].sort()).toEqual(['+1,0', '0,+1', '0,−1', '−1,0'].sort());
    expect(stdout.split('\n').filter((line) => / (send|recv|copy) /.test(line))).toHaveLength(
      JSON.parse(plan).programs[0].lanes.flatMap(({ ops }: { ops: unknown[] }) => ops).length,
    );
    const steps = await inProcess(['show', '-', '--level', 'steps'], plan);
    expect(steps).toMatchObject({ status: 2, stdout: '' });
    expect(steps.stderr).toContain('ccc convert --expand makes a full plan of it');
  });

  it.each([
    ['allgather', 'torus:40x40'],
    ['reducescatter', 'ring:1025'],
    ['allreduce', 'torus:200x100'],
    ['alltoall', 'torus:40x40'],
  ])('is what comes of %s on %s, where nothing else is asked for', async (kind, machine) => {
    const args = ['compile', kind, '--topo', machine, '--size', '64MiB'];
    const plain = await inProcess(args);
    expect(plain.status).toBe(0);
    expect(plain.stdout).toBe((await inProcess([...args, '--compact'])).stdout);
    expect(plain.stderr).toContain('One program for all ranks, since they all see the same machine.');
  });

  it('comes neither of fewer ranks nor where more is asked for', async () => {
    const isCompact = async (...args: string[]) =>
      'symmetry' in JSON.parse((await inProcess(['compile', ...args, '--size', '1KiB'])).stdout);
    expect(await isCompact('allgather', '--topo', 'ring:1025', '--algorithm', 'bruck-allgather')).toBe(false);
    expect(await isCompact('allreduce', '--topo', 'ring:1025', '--effort', 'quick', '--chunks', '1')).toBe(false);
    expect(await isCompact('allgather', '--topo', 'torus:8x8')).toBe(false);
  });

  it('does an allreduce of so many ranks', async () => {
    const { status, stdout } = await inProcess([
      'compile',
      'allreduce',
      '--topo',
      'torus:200x100',
      '--compact',
      '--json',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      collective: { ranks: 20_000, chunks: 20_000 },
      verification: { verdict: 'correct', bitwise: true },
    });
  });

  it.each([
    [['allgather', '--topo', 'line:8'], 'does not look the same from every chip', 1],
    [['broadcast', '--topo', 'torus:4x4'], 'no compact plan for broadcast: its root does what no other rank does', 1],
    [['scan', '--topo', 'torus:4x4'], 'not for scan', 1],
    [['allgather', '--topo', 'torus:4x4', '--without', 'chip:3'], '--without makes chips unlike each other', 2],
    [['allgather', '--topo', 'torus:4x4', '--algorithm', 'ring-allgather'], 'without --algorithm', 2],
    [['allgather', '--topo', 'torus:4x4', '--engine', 'list'], 'not from list', 2],
    [['allreduce', '--topo', 'torus:3x3', '--chunks', '1'], 'needs a multiple of 9 chunks', 1],
    [['allgather'], 'say on which topology', 2],
  ])('%j is refused', async (args, message, code) => {
    const { status, stdout, stderr } = await inProcess(['compile', ...args, '--compact']);
    expect(status).toBe(code);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });
});

describe('compact plans of all kinds', () => {
  it.each([
    ['ring:6', 'allreduce', '16MiB'],
    ['torus:3x4', 'alltoall', '16MiB'],
    ['hypercube:3', 'allreduce', '1KiB'],
    ['full:5', 'reducescatter', '1KiB'],
  ])('on %s: %s of %s is proved with its bound, alone and written out, and runs', async (topo, kind, size) => {
    const folder = emptyFolder();
    const compile = ['compile', kind, '--topo', topo, '--compact', '--size', size, '-o', 'p.json', '--json'];
    const { bound, cost } = JSON.parse((await inProcess(compile, '', folder)).stdout);
    expect(bound.seconds).toBeLessThanOrEqual(cost.seconds * (1 + 1e-9));
    expect((await inProcess(['verify', 'p.json'], '', folder)).stdout).toContain('bound: certified');
    await inProcess(['convert', 'p.json', '--expand', '-o', 'full.json'], '', folder);
    expect((await inProcess(['verify', 'full.json', '--topo', topo], '', folder)).stdout).toMatch(/^correct/);
    expect(await inProcess(['run', 'p.json', '--size', '6000'], '', folder)).toMatchObject({ status: 0 });
  });
});

describe('compact plans that are not right', async () => {
  const made = (await inProcess(compile)).stdout;

  async function verdictOn(text: string, ...options: string[]) {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'plan.json'), text);
    const { status, stdout } = await inProcess(['verify', 'plan.json', '--json', ...options], '', folder);
    return { status, ...JSON.parse(stdout) };
  }

  it('get their verdict and the place', async () => {
    const other = await verdictOn(made.replace('"peer": 12', '"peer": 8'));
    expect(other).toMatchObject({ status: 1, ok: false, verdict: 'mismatched' });
    expect(other.findings[0].source).toMatchObject({ file: 'plan.json' });
    expect(await verdictOn(made, '--topo', 'torus:2x8')).toMatchObject({ status: 1, verdict: 'malformed' });
    expect(await verdictOn(made.replace('"shape":[4,4]', '"shape":[]'))).toMatchObject({
      status: 1,
      verdict: 'malformed',
    });
  });

  it('are no full plans, and full plans are no compact ones', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'plan.json'), made);
    const plain = await inProcess(['convert', 'plan.json', '-o', 'x.json'], '', folder);
    expect(plain.status).toBe(1);
    expect(plain.stderr).toContain('--expand');
    const few = await inProcess(
      ['convert', 'plan.json', '--expand', '--limit', 'operations=1000', '-o', 'x.json'],
      '',
      folder,
    );
    expect(few.stderr).toContain('more than the limit operations = 1000');
    await inProcess(['convert', 'plan.json', '--expand', '-o', 'full.json'], '', folder);
    expect((await inProcess(['convert', 'full.json', '--expand', '-o', 'x.json'], '', folder)).stderr).toContain(
      'nothing to expand',
    );
  });
});

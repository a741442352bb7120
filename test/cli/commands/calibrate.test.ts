/** `ccc calibrate` as people run it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { importPlan } from '../../../src/jobs/convert.ts';
import { simulate } from '../../../src/model/index.ts';
import { loadScheduleFile, resolveTopology } from '../../../src/read/index.ts';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { ccc } from '../run.ts';
import { Running } from '../running.ts';

/** Times of a chain over three hops with lanes that are slower than links: 3 (α + 2 o + n/B), and the launch. */
const hidden = { launch: 12e-6, overhead: 2e-6, bandwidth: 3e9, latency: 4e-6 };

function timesOf(sizes: readonly number[]): string {
  const { launch, overhead, bandwidth, latency } = hidden;
  const rows = sizes.map(
    (size) => `chain-broadcast,,${size},${launch + 3 * (latency + 2 * overhead + size / bandwidth)}`,
  );
  return `plan,protocol,size,seconds\n${rows.join('\n')}\n`;
}

const sizes = [1000, 8000, 64_000, 512_000, 4_096_000];
const machine = [
  '--topo',
  'line:4',
  '--fix',
  'overhead=2us',
  '--fix',
  'link1.latency=4us',
  '--fix',
  'link1.bandwidth=50GB/s',
];

function folderWith(name: string, text: string): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, name), text);
  return folder;
}

describe('ccc calibrate', () => {
  it('finds what was hidden, and writes a machine that has the measured times', async () => {
    const folder = folderWith('times.csv', timesOf(sizes));
    const asked = [
      'calibrate',
      'times.csv',
      ...machine,
      '-o',
      'found.yaml',
      '--picture',
      'fit.svg',
      '--date',
      '2024-04-03',
    ];
    const { status, stdout, stderr } = await inProcess(asked, '', folder);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\| launch +\| 12 us +\| calibrated +\|/);
    expect(stdout).toMatch(/\| bandwidth +\| 3 GB\/s +\| calibrated +\|/);
    const file = readFileSync(join(folder, 'found.yaml'), 'utf8');
    expect(file).toContain('launch: 12 us');
    expect(file).toContain('calibrated on 2024-04-03 from times.csv');
    expect(readFileSync(join(folder, 'fit.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    const topology = resolveTopology(`${join(folder, 'found.yaml')}:4`);
    const source = loadScheduleFile('chain-broadcast').text;
    const call = { root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, limits: defaultLimits } as const;
    const { plan } = await importPlan(source, { ...call, topology });
    const { seconds } = simulate(plan, Routes.of(topology), 512_000);
    expect(seconds / (12e-6 + 3 * (8e-6 + 512_000 / 3e9))).toBeCloseTo(1, 3);
  });

  it('prints one document', async () => {
    const folder = folderWith('times.csv', timesOf(sizes));
    const { stdout } = await inProcess(['calibrate', 'times.csv', ...machine, '--json'], '', folder);
    const document = JSON.parse(stdout);
    expect(document.parameters.find(({ name }: { name: string }) => name === 'launch').seconds).toBeCloseTo(12e-6, 8);
    expect(document.errors.fitted.median).toBeLessThan(0.001);
    expect(document.predictions).toHaveLength(sizes.length);
  });

  it('ends with the best so far when it is interrupted, and when the time is up', async () => {
    const plans = ['ring-allreduce', 'direct-allreduce', 'binary-tree-allreduce', 'rabenseifner-allreduce'];
    const rows = plans.flatMap((plan) => sizes.map((size) => `${plan},,${size},${1e-5 + size * 1e-9}`));
    const folder = folderWith('times.csv', `plan,protocol,size,seconds\n${rows.join('\n')}\n`);
    const asked = ['calibrate', 'times.csv', '--topo', 'full:16', '-o', 'found.yaml', '--progress'];
    const running = new Running(asked, folder);
    await running.says(/start 1 of 6/);
    running.interrupt();
    const { status, stdout, stderr } = await running.outcome();
    expect(status).toBe(3);
    expect(stderr).toContain('these are the best numbers so far');
    expect(stdout).toContain('| launch');
    const first = readFileSync(join(folder, 'found.yaml'), 'utf8');
    expect(resolveTopology(`${join(folder, 'found.yaml')}:16`).launch).toBeGreaterThan(0);
    const limited = ccc([...asked, '--time-limit', '1ms'], '', folder);
    expect(limited.status).toBe(3);
    expect(readFileSync(join(folder, 'found.yaml'), 'utf8').length / first.length).toBeCloseTo(1, 1);
  });

  it.each([
    ['no machine', ['calibrate', 'times.csv'], 2, 'which machine it was'],
    ['no data', ['calibrate', '--topo', 'line:4'], 2, 'give files of measured times'],
    ['too few configurations', ['calibrate', 'times.csv', '--topo', 'line:4'], 2, 'fix 2 of them'],
    [
      'a parameter that is none',
      ['calibrate', 'times.csv', '--topo', 'line:4', '--fit', 'speed'],
      2,
      "no parameter 'speed'",
    ],
    [
      'a value without its unit',
      ['calibrate', 'times.csv', '--topo', 'line:4', '--fix', 'launch=9'],
      2,
      'a duration with a unit',
    ],
    ['data to measure', ['calibrate', 'times.csv', '--probe'], 2, 'it takes no files'],
    ['all left out', ['calibrate', 'times.csv', '--topo', 'line:4', '--hold-out', '1'], 2, 'none would be fitted'],
    [
      'an algorithm that is none',
      ['calibrate', 'times.csv', '--topo', 'line:4', '--algorithm', 'rign'],
      2,
      "no algorithm 'rign'",
    ],
    ['a plan that is not there', ['calibrate', 'lost.csv', '--topo', 'line:4'], 2, 'lost.csv:2:1'],
    ['a plan that is wrong', ['calibrate', 'wrong.csv', '--topo', 'line:4'], 1, 'does not verify'],
    ['a machine of another size', ['calibrate', 'eight.csv', '--topo', 'line:4'], 2, 'for 8 ranks'],
    [
      'sizes of nothing',
      ['calibrate', 'nothing.csv', '--topo', 'line:4'],
      2,
      'of 1 measurement none is left to be fitted: 1 of no bytes',
    ],
    ['times without sense', ['calibrate', 'wild.csv', ...machine], 1, 'no configuration has three times'],
  ])('refuses a request with %s', async (_, asked, status, message) => {
    const folder = folderWith('times.csv', timesOf(sizes));
    writeFileSync(join(folder, 'lost.csv'), 'plan,protocol,size,seconds\nlost.xml,LL,8,1e-6\n');
    writeFileSync(join(folder, 'wrong.csv'), 'plan,protocol,size,seconds\nwrong.yaml,,8,1e-6\n');
    writeFileSync(join(folder, 'nothing.csv'), timesOf([0]));
    writeFileSync(
      join(folder, 'wild.csv'),
      'plan,protocol,size,seconds\nchain-broadcast,,8,1e-5\nchain-broadcast,,16,9\n',
    );
    const steps = 'steps:\n  - step:\n      - { copy: 0 -> 1, what: all }\n';
    writeFileSync(
      join(folder, 'wrong.yaml'),
      `format: ccc-schedule\nversion: 1\nname: half-broadcast\ncollective: broadcast\n${steps}`,
    );
    writeFileSync(join(folder, 'eight.csv'), 'plan,protocol,size,seconds\neight.json,,8,1e-6\n');
    if (asked.includes('eight.csv'))
      await inProcess(['convert', 'chain-broadcast', '--ranks', '8', '-o', 'eight.json'], '', folder);
    const found = await inProcess(asked, '', folder);
    expect(found.stderr).toContain(message);
    expect(found.status).toBe(status);
    expect(found.stderr).not.toMatch(/\n\s+at /);
  });
});

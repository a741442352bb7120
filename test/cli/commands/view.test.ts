/** `ccc view`: what it takes, what it refuses, and what its file holds. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatSeconds } from '../../../src/ir/units.ts';
import type { PageDocument } from '../../../src/view/index.ts';
import { PlanModel } from '../../../src/view/page/plan-model.ts';
import { exchange, type PlanJson } from '../../mscclpp/check/plans.ts';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

/** The data of a page. */
function dataOf(page: string): PageDocument {
  const [, text] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(text);
}

async function view(...args: readonly string[]): Promise<PageDocument> {
  const { status, stdout, stderr } = await inProcess(['view', ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return dataOf(stdout);
}

const folder = emptyFolder();
const planFile = join(folder, 'plan.json');
await inProcess(['compile', 'allgather', '--topo', 'sg2260x4', '-o', planFile]);
const planText = readFileSync(planFile, 'utf8');

describe('ccc view of MSCCL++ execution plans', () => {
  const file = (plan: PlanJson) => fileWith(JSON.stringify(plan), 'plan.json');

  it('draws what their times are made of: 1 MiB over a link each way, in turn, after a word', async () => {
    const { plans } = await view(file(exchange()), '--topo', 'full:2', '--size', '1MiB');
    expect(plans[0].verdict.verdict).toBe('correct');
    expect([plans[0].clock, plans[0].size]).toEqual(['seconds', 2 ** 20]);
    // α = 1 µs and β = 10 GB/s: the word, a chunk of half of it each way, its sum by γ = 50 GB/s, and that back.
    expect(plans[0].duration).toBeCloseTo(3e-6 + 2 ** 20 / 10e9 + 2 ** 19 / 50e9, 12);
    const model = new PlanModel(plans[0]);
    expect(model.rows.filter(({ kind }) => kind === 'link')).toHaveLength(2);
    const shown = await inProcess(['show', file(exchange()), '--topo', 'full:2', '--size', '1MiB']);
    expect(shown.stdout).toContain(`takes ${formatSeconds(plans[0].duration)} for 1 MiB`);
  });

  it('are drawn by steps without a machine, and beside their counterexample where they are wrong', async () => {
    const [good] = (await view(file(exchange()))).plans;
    expect([good.clock, good.clockReason]).toEqual(['steps', 'no machine']);
    const wrong = exchange();
    const put = wrong.gpus[0].threadblocks[0].ops.find(({ name }) => name === 'put');
    put?.src_buff?.forEach((chunk) => {
      chunk.index = 1 - chunk.index;
    });
    const [bad] = (await view(file(wrong), '--topo', 'full:2')).plans;
    expect(bad.verdict.verdict).not.toBe('correct');
    const told = bad.verdict.findings.flatMap(({ story }) => story);
    expect(told.length).toBeGreaterThan(0);
    for (const { operation } of told) expect(operation).toBeGreaterThanOrEqual(0);
  });

  it('whose signals do not pair up have their counterexample in words', async () => {
    const wrong = exchange();
    const [{ threadblocks }] = wrong.gpus;
    threadblocks[0].ops = threadblocks[0].ops.filter(({ name }) => name !== 'signal');
    const [{ verdict, timeline }] = (await view(file(wrong), '--topo', 'full:2')).plans;
    expect(verdict.verdict).not.toBe('correct');
    expect(verdict.findings[0].message).not.toBe('');
    expect(timeline.rows.length).toBeGreaterThanOrEqual(0);
  });
});

describe('ccc view', () => {
  it('draws a plan on the machine and at the size that it names', async () => {
    const { plans } = await view(planFile);
    const stated = JSON.parse(planText);
    expect(plans).toHaveLength(1);
    expect(plans[0].machine.name).toBe('sg2260x4');
    expect(plans[0].size).toBe(stated.size);
    expect(plans[0].duration).toBe(stated.cost.seconds);
    expect(plans[0].bound?.seconds).toBe(stated.bound.seconds);
    expect(plans[0].verdict.verdict).toBe('correct');
  });

  it('knows the lines of the shipped schedule that a plan was made of', async () => {
    const { plans } = await view(planFile);
    expect(plans[0].sources.map(({ name }) => name)).toEqual([expect.stringContaining('halved-ring-allgather.yaml')]);
  });

  it('tells operations by their lines in the plan where they are not those of the schedule it names', async () => {
    const other = planText.replace('"schedule":"halved-ring-allgather"', '"schedule":"ring-allgather"');
    const path = fileWith(other, 'other.json');
    const { plans } = await view(path);
    expect(plans[0].sources.map(({ name }) => name)).toEqual([path]);
  });

  it('writes a file that loads nothing: only its own script and style, by their hashes', async () => {
    const page = join(folder, 'plan.html');
    expect(await inProcess(['view', planFile, '-o', page])).toMatchObject({ status: 0, stdout: '' });
    const text = readFileSync(page, 'utf8');
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'$/,
    );
    expect(text.replace(/<script.*?<\/script>/gs, '').replace(/<style.*?<\/style>/s, '')).not.toMatch(
      /\b(?:src|href)=/,
    );
  });

  it('draws a schedule on a machine, and without one for as many ranks as are asked for', async () => {
    const [onRing] = (await view('ring-allreduce', '--topo', 'ring:6')).plans;
    expect([onRing.clock, onRing.collective.ranks, onRing.machine.real]).toEqual(['seconds', 6, true]);
    const [alone] = (await view('ring-allreduce', '--ranks', '5')).plans;
    expect([alone.clock, alone.collective.ranks, alone.machine.real]).toEqual(['steps', 5, false]);
  });

  it('draws an MSCCL algorithm, a compact plan and a schedule that is wrong', async () => {
    const xml = join(folder, 'ring.xml');
    await inProcess(['convert', 'ring-allreduce', '--ranks', '4', '--emit', 'msccl-xml', '-o', xml]);
    expect((await view(xml)).plans[0].collective).toMatchObject({ kind: 'allreduce', ranks: 4 });
    const compact = join(folder, 'compact.json');
    await inProcess(['compile', 'allgather', '--topo', 'torus:3x3', '--compact', '-o', compact]);
    const [grid] = (await view(compact)).plans;
    expect([grid.collective.ranks, grid.machine.layout, grid.clock]).toEqual([9, 'grid', 'seconds']);
    const ring = readFileSync(new URL('../../../schedules/ring-allgather.yaml', import.meta.url), 'utf8');
    const early = fileWith(ring.replace('r - s + 1', 'r - s').replace('name: ring', 'name: early'), 'early.yaml');
    const [wrong] = (await view(early, '--ranks', '4')).plans;
    expect(wrong.verdict.verdict).toBe('uninitialised');
    expect(wrong.verdict.findings[0].story[0].operation).toBeGreaterThanOrEqual(0);
  });

  it('draws what tune found: times over sizes, and its plans', async () => {
    const tuned = join(folder, 'tuned');
    const options = ['--topo', 'ring:4', '--sizes', '1KiB..1MiB', '--points', '3', '--engine', 'library'];
    const { stdout } = await inProcess(['tune', 'allgather', ...options, '-o', tuned, '--json']);
    writeFileSync(join(tuned, 'tune.json'), stdout);
    const { plans, tuning } = await view(tuned);
    const said = JSON.parse(stdout);
    expect(tuning?.sizes).toEqual(said.sizes.map(({ size }: { readonly size: number }) => size));
    expect(tuning?.ranges.map(({ plan }) => plan)).toEqual(plans.map(({ name }) => name));
    expect(tuning?.curves).toHaveLength(said.algorithms.length);
    expect((await view(join(tuned, 'tune.json'))).plans).toEqual([]);
  });

  it('draws a measured run beside the simulated one, if it is of this plan', async () => {
    const trace = join(folder, 'trace.json');
    const ran = await inProcess([
      'run',
      planFile,
      '--size',
      '64KiB',
      '--threads',
      '0',
      '--repetitions',
      '1',
      '--warmups',
      '0',
      '--trace',
      trace,
    ]);
    expect(ran.status).toBe(0);
    const [{ measured }] = (await view(planFile, '--measured', trace)).plans;
    expect(measured?.duration).toBeGreaterThan(0);
    const other = await inProcess(['view', 'ring-allgather', '--ranks', '4', '--measured', trace]);
    expect(other).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('is no trace of ring-allgather'),
    });
  });
});

describe('ccc view refuses', () => {
  const cases: readonly (readonly [what: string, args: readonly string[], status: number, message: RegExp])[] = [
    ['a plan cut in half', [fileWith(planText.slice(0, planText.length / 2), 'half.json')], 2, /half\.json:\d+:\d+: /],
    ['a machine with another number of chips', [planFile, '--topo', 'ring:5'], 1, /4 ranks, and ring:5 has 5 chips/],
    ['a file that is not there', [join(folder, 'nothing.json')], 2, /nothing\.json/],
    ['a folder without plans', [emptyFolder()], 2, /has no plans/],
    [
      'a tuning with fields of another kind',
      [fileWith('{"ok":true,"ranges":[{}],"sizes":[{}],"plans":[]}', 't.json')],
      2,
      /'collective' is not what ccc tune/,
    ],
    ['a tuning over numbers of ranks', [fileWith('{"ok":true,"topologies":[]}', 'm.json')], 2, /over numbers of ranks/],
    [
      'a plan with more operations than a page has room for',
      ['ring-allgather', '--ranks', '1500'],
      2,
      /the plan has \d+ operations; a page has room for 4000000/,
    ],
    ['a trace that is no trace', [planFile, '--measured', planFile], 2, /'traceEvents'/],
    ['ranks for what has its own', [planFile, '--ranks', '4'], 2, /--ranks is for schedules/],
    ['to serve what cannot change', ['-', '--serve'], 2, /standard input cannot change/],
    ['to serve and to write', [planFile, '--serve', '-o', 'x.html'], 2, /does not go with -o/],
    ['--topo with --ranks', ['ring-allgather', '--topo', 'ring:4', '--ranks', '4'], 2, /not both/],
  ];

  it.each(cases)('%s', async (_, args, status, message) => {
    const outcome = await inProcess(['view', ...args]);
    expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) });
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
  });
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

function fetched(port: string, path: string, host = `127.0.0.1:${port}`): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    }).on('error', reject);
  });
}

/** The first event that the page would hear. */
function changed(port: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/changes' }, (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        if (!part.includes('data:')) return;
        response.destroy();
        resolve(part);
      });
    }).on('error', reject);
  });
}

describe('ccc view --serve', () => {
  it('shows the page on this machine only, and anew when the file changes, errors too', async () => {
    const ring = readFileSync(new URL('../../../schedules/ring-allgather.yaml', import.meta.url), 'utf8');
    const file = fileWith(ring, 'mine.yaml');
    const bin = new URL('../../../bin/ccc.js', import.meta.url).pathname;
    const served = spawn(process.execPath, [bin, 'view', file, '--ranks', '3', '--serve'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const port = await new Promise<string>((resolve) => {
        served.stderr.setEncoding('utf8').on('data', (text: string) => {
          const [, found] = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(text) ?? [];
          if (found !== undefined) resolve(found);
        });
      });
      const page = await fetched(port, '/');
      expect(page.status).toBe(200);
      expect(page.text).toContain("connect-src 'self'");
      expect(dataOf(page.text).plans[0].name).toBe('ring-allgather');
      expect(await fetched(port, '/', 'evil.example')).toEqual({ status: 403, text: '' });
      expect((await fetched(port, '/../../etc/passwd')).status).toBe(404);
      const hears = changed(port);
      writeFileSync(file, ring.replace('name: ring-allgather', 'name: other-allgather'));
      expect(await hears).toBe('data: changed\n\n');
      expect(dataOf((await fetched(port, '/')).text).plans[0].name).toBe('other-allgather');
      const hearsAgain = changed(port);
      writeFileSync(file, ring.replace('steps:', 'stepps:'));
      await hearsAgain;
      expect(dataOf((await fetched(port, '/')).text).error).toMatch(/mine\.yaml:\d+:\d+: .*stepps/);
    } finally {
      const ended = new Promise((resolve) => served.once('close', resolve));
      served.kill('SIGTERM');
      await ended;
    }
  });
});

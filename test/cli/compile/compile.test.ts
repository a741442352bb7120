/** `ccc compile`: what goes where, what the reports say, and that the same inputs give the same bytes. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { fileWith, shell } from '../run.ts';

/** α and β of sg2260x4, and the time of its allgather in two iterations: 2α + 3M/8β. */
const alpha = 0.55e-6;
const beta = 64e9;
const size = 64 * 2 ** 20;
const seconds = 2 * alpha + (3 * size) / (8 * beta);

describe('the plan', async () => {
  const args = ['compile', 'allgather', '--topo', 'sg2260x4'];
  const { status, stdout, stderr } = await inProcess(args);

  it('is all that standard output has, and the report is on standard error', () => {
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'ccc-plan',
      version: 1,
      collective: { kind: 'allgather', ranks: 4, root: 0, op: 'sum', inPlace: false },
      bulks: 1,
      topology: { name: 'sg2260x4' },
      size,
      dtype: 'f32',
    });
    expect(stderr).toContain('394.3 µs for 64 MiB (model, not measured)');
    expect(stderr).toMatch(/^optimality +1\.0000$/m);
  });

  it('has the same bytes every time, on standard output and in a file', async () => {
    const folder = emptyFolder();
    const again = await inProcess([...args, '-o', 'plan.json'], '', folder);
    expect({ status: again.status, stdout: again.stdout, files: readdirSync(folder) }).toEqual({
      status: 0,
      stdout: '',
      files: ['plan.json'],
    });
    expect(readFileSync(join(folder, 'plan.json'), 'utf8')).toBe(stdout);
  });

  it('is said to have a rate only where it takes time', async () => {
    expect(stderr).toMatch(/^rate +170\.2 GB\/s algbw, 127\.6 GB\/s busbw$/m);
    const alone = await inProcess(['compile', 'allgather', '--topo', 'ring:1']);
    expect(alone.stderr).toMatch(/^simulated time +0 s for 64 MiB$/m);
    expect(alone.stderr).not.toContain('algbw');
  });

  it('is said to have no rate where no data move, and no bus bandwidth where nccl-tests defines none', async () => {
    const barrier = await inProcess(['compile', 'barrier', '--topo', 'ring:4']);
    expect(barrier.stderr).toMatch(/^simulated time +2\.001 µs/m);
    expect(barrier.stderr).not.toContain('algbw');
    const groups = await inProcess(['compile', 'allgather', '--topo', 'ring:4', '--group', '0,1', '--group', '2,3']);
    expect(groups.stderr).toMatch(/^rate +\S+ GB\/s algbw$/m);
  });

  it('is accepted by ccc verify', async () => {
    const verdict = await inProcess(['verify', '-', '--topo', 'sg2260x4'], stdout);
    expect(verdict.stdout).toMatch(/^correct: /);
    expect(verdict).toMatchObject({ status: 0, stderr: '' });
  });

  it('replaces an older file', async () => {
    const path = fileWith('older', 'plan.json');
    expect((await inProcess([...args, '-o', path])).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(stdout);
  });

  it('goes to pipes and devices as it is', () => {
    expect(shell('ccc compile allgather --topo sg2260x4 -o /dev/stdout 2>/dev/null | cat').stdout).toBe(stdout);
  });
});

describe('--json', async () => {
  const folder = emptyFolder();
  const command = ['compile', 'allgather', '--topo', 'sg2260x4', '--json', '--explain', '-o', 'p.json'];
  const { status, stdout } = await inProcess(command, '', folder);
  const document = JSON.parse(stdout);

  it('has cost, bound, proof and candidates, and leaves the plan to -o', () => {
    expect(status).toBe(0);
    expect(document).toMatchObject({
      ok: true,
      topology: 'sg2260x4',
      size,
      steps: 2,
      bulks: 1,
      origin: { engine: 'library', schedule: 'halved-ring-allgather' },
      verification: { verdict: 'correct', inflight: 2, smallestInflight: 0 },
      stoppedEarly: false,
    });
    expect(JSON.parse(readFileSync(join(folder, 'p.json'), 'utf8')).format).toBe('ccc-plan');
  });

  it('has the times and rates of the closed form', () => {
    expect(document.cost.seconds).toBeCloseTo(seconds, 12);
    expect(document.cost.algorithmBandwidth / (size / seconds)).toBeCloseTo(1, 9);
    // nccl-tests: the bus bandwidth of an allgather is (N − 1)/N of the rate.
    expect(document.cost.busBandwidth / ((0.75 * size) / seconds)).toBeCloseTo(1, 9);
    expect(document.bound.seconds).toBeLessThanOrEqual(document.cost.seconds);
    expect(document.bound.optimality).toBeCloseTo(document.bound.seconds / seconds, 9);
  });

  it('lists the candidates, best first', () => {
    const times = document.candidates.map((candidate: { seconds: number }) => candidate.seconds);
    expect(times.length).toBeGreaterThan(5);
    expect(times).toEqual([...times].sort((a: number, b: number) => a - b));
    expect(document.candidates[0]).toMatchObject({ name: 'halved-ring-allgather', status: 'chosen' });
  });
});

describe('the report', async () => {
  const { stderr } = await inProcess(['compile', 'allreduce', '--topo', 'routed-line', '--engine', 'library']);

  it('has a line for every rung and keeps to 100 columns', () => {
    const lines = stderr.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(100);
    for (const rung of ['well formed: ', 'matched: ', 'initialised: ', 'no deadlock ', 'no data race ', 'result: '])
      expect(lines.filter((line) => line.slice('certified bound  '.length).startsWith(rung))).toHaveLength(1);
  });

  it('shows the order of a ring, its stretch and that of the order of the ranks', () => {
    // Ranks 0 … 3 sit at 0, 3, 1, 5 of a line: neighbours in rank order are 3, 2, 4 and 5 links apart, 14/4 on average;
    // in the best order the ring goes up and down the line once, 10/4.
    expect(stderr).toMatch(/^ring order +0 1 3 2\n +stretch 2\.5; in the order of rank numbers it would be 3\.5$/m);
  });

  it('says what the time is made of', async () => {
    // Two messages around a ring of four, of a whole shard of 1 MiB and then of half of one, at 40 GB/s: 3/2 MiB are 39.3 µs.
    const { stderr: text } = await inProcess([
      'compile',
      'allgather',
      '--topo',
      'ring:4',
      '--link',
      '1us,40GB/s',
      '--size',
      '4MiB',
    ]);
    expect(text).toMatch(/^critical path +2 consecutive messages: 2 µs latency, 39\.32 µs bytes$/m);
  });

  it('says when more bulks gain nothing, and only when they were tried', async () => {
    expect(stderr).toContain(', 1 bulk (more are not faster)\n');
    expect((await inProcess(['compile', 'allgather', '--topo', 'ring:2', '--bulks', '1'])).stderr).toContain(
      ', 1 bulk\n',
    );
    expect((await inProcess(['compile', 'broadcast', '--topo', 'line:4'])).stderr).toMatch(/, \d+ bulks$/m);
  });

  it('has a row for every candidate with --explain, and says what could not be used', async () => {
    const request = ['compile', 'allgather', '--topo', 'ring:5', '--explain'];
    const explained = (await inProcess(request)).stderr;
    const { candidates } = JSON.parse((await inProcess([...request, '--json', '-o', 'p.json'])).stdout);
    for (const { name } of candidates)
      expect(explained.replace(/\s+/g, ' ')).toContain(` ${name} `.replace(/- /g, '-'));
    // 5 ranks: 4 steps of a ring at α = 1 µs; (N − 1)/N of M at 10 GB/s.
    const ring = candidates.find(({ name }: { name: string }) => name === 'ring-allgather');
    expect([ring.steps, ring.latency, 1 / ring.secondsPerByte]).toEqual([
      4,
      expect.closeTo(4e-6, 12),
      expect.closeTo(12.5e9, 0),
    ]);
    expect(explained).toContain('not evaluated:\n');
    expect(explained).toMatch(/^ {2}recursive-doubling-allgather: works only .* not for 5 ranks$/m);
  });

  it('keeps to 80 columns with --explain, and puts apart whose pipeline nobody looked at', () => {
    const line = "process.stderr.columns = 80; process.argv = ['node', 'ccc', ...process.argv.slice(1)];";
    const main = new URL('../../../bin/ccc.js', import.meta.url).href;
    const asked = ['compile', 'allreduce', '--topo', 'ring:5', '--explain', '-o', 'p.json'];
    const { stderr } = spawnSync(process.execPath, ['-e', `${line} import('${main}')`, ...asked], {
      encoding: 'utf8',
      cwd: emptyFolder(),
    });
    const [best, open] = stderr.slice(stderr.indexOf('candidates, best first')).split(' with 1 bulk, ');
    const widths = stderr.split('\n').map((text) => [...text].length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
    // 64 MiB in that time.
    expect(best).toMatch(/^ {2}bidirectional-ring-allreduce +6\.446 ms {2}10\.41 GB\/s {2}0\.9996 {2}chosen$/m);
    expect(open).toMatch(/^ {2}direct-allreduce .* about [\d.]+ ms$/m);
    const times = [...open.matchAll(/about ([\d.]+) ms/g)].map(([, time]) => Number(time));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('says why each candidate was not chosen, by the formulas of the textbooks', async () => {
    // On 4 chips in a ring, β = 64 GB/s, α = 0.55 µs: 2α + 3M/8β both ways at once, 3α + 3M/4β one way round.
    const [few, one] = [2 * 0.55e-6 + (3 * 2 ** 26) / (8 * 64e9), 3 * 0.55e-6 + (3 * 2 ** 26) / (4 * 64e9)];
    const request = ['compile', 'allgather', '--topo', 'sg2260x4', '--explain', '--json', '-o', 'p.json'];
    const reasons = async (...more: string[]): Promise<Map<string, string>> => {
      const { candidates } = JSON.parse((await inProcess([...request, ...more])).stdout);
      return new Map(candidates.map(({ name, reason }: { name: string; reason: string }) => [name, reason]));
    };
    const byTime = await reasons();
    expect(byTime.get('halved-ring-allgather')).toBe('chosen');
    expect(byTime.get('list-steps-allgather')).toMatch(/^equally good; textbook/);
    expect(one / few).toBeCloseTo(2, 2);
    expect(byTime.get('ring-allgather')).toBe('2 times: bytes take 2 times as long');
    expect(byTime.get('packed trees')).toMatch(/^\+0\.14 %: 550 ns more latency$/);
    const byLatency = await reasons('--objective', 'latency');
    expect(byLatency.get('bidirectional-ring-allgather')).toBe('equally good, but slower at this size');
    expect(byLatency.get('ring-allgather')).toBe('+50 % in latency');
  });

  it('says of each of several groups which candidate it chose', async () => {
    const request = [
      'compile',
      'allgather',
      '--topo',
      'ring:6',
      '--group',
      '0,1,2',
      '--group',
      '3,4,5',
      '--size',
      '4KiB',
    ];
    const rows = (await inProcess([...request, '--explain'])).stderr
      .split('\n')
      .filter((line) => / \(group .* chosen$/.test(line));
    expect(rows.map((row) => /\(group ([\d,]+)\)/.exec(row)?.[1])).toEqual(['0,1,2', '3,4,5']);
  });

  it('says a reason once for all candidates that have it', async () => {
    const request = ['compile', 'allreduce', '--topo', 'dgx1', '--without', 'link:0-1'];
    const document = JSON.parse((await inProcess([...request, '--explain', '--json', '-o', 'p.json'])).stdout);
    const reasons = document.dismissed.map(({ reason }: { reason: string }) => reason);
    const repeated = reasons.find((reason: string, at: number) => reasons.indexOf(reason) !== at);
    const said = (await inProcess([...request, '--explain'])).stderr.replaceAll(/\s+/g, ' ');
    expect(said.split(repeated)).toHaveLength(2);
  });
});

describe('--time-limit', () => {
  it('ends the search with the best so far', async () => {
    const { status, stdout, stderr } = await inProcess([
      'compile',
      'allreduce',
      '--topo',
      'torus:4x4',
      '--time-limit',
      '0ms',
    ]);
    expect(status).toBe(3);
    expect(stderr).toContain('the search was ended; this is the ');
    expect((await inProcess(['verify', '-'], stdout)).status).toBe(0);
  });
});

describe('edges of what is legal', () => {
  const compiled = async (...args: string[]) => JSON.parse((await inProcess(['compile', ...args, '--json'])).stdout);

  it('is no time for no bytes but the latencies', async () => {
    expect((await compiled('allgather', '--topo', 'ring:4', '--size', '0')).cost.seconds).toBeCloseTo(2e-6, 15);
  });

  it('is one rank, a few bytes, and amounts with a fraction of a unit', async () => {
    expect(await compiled('allreduce', '--topo', 'ring:1')).toMatchObject({ ok: true, cost: { seconds: 0 } });
    expect((await compiled('allreduce', '--topo', 'ring:8', '--size', '1')).ok).toBe(true);
    expect((await compiled('allreduce', '--topo', 'ring:4', '--size', '1.1GB')).size).toBe(1_100_000_000);
  });

  it('is any root, in place, any operator', async () => {
    const args = ['--topo', 'ring:5', '--root', '3', '--op', 'xor', '--dtype', 'i32', '--in-place'];
    expect((await compiled('reduce', ...args)).collective).toMatchObject({ root: 3, op: 'xor', inPlace: true });
  });

  it('is a machine without a chip, which has a rank less', async () => {
    expect((await compiled('allgather', '--topo', 'full:5', '--without', 'chip:2')).collective.ranks).toBe(4);
  });

  it('is a machine without a link, beside what the whole one takes', async () => {
    const { cost, intact } = await compiled(
      'allgather',
      '--topo',
      'ring:4',
      '--without',
      'link:0-1',
      '--size',
      '64MiB',
    );
    expect(intact).toMatchObject({ topology: 'ring:4', effort: 'quick' });
    // A rank of the ring takes 48 MiB in over two links of 10 GB/s; the end of the line over one.
    expect(intact.seconds).toBeGreaterThan((24 * 2 ** 20) / 1e10);
    expect(intact.slowdown).toBeCloseTo(2, 1);
    expect(intact.slowdown).toBeCloseTo(cost.seconds / intact.seconds, 12);
    expect((await compiled('allgather', '--topo', 'ring:4')).intact).toBeUndefined();
  });

  it('is a custom collective, defined by its schedule', async () => {
    const args = ['custom', '--topo', 'ring:4', '--algorithm', 'reduce-exchange-broadcast-custom'];
    expect(await compiled(...args)).toMatchObject({ ok: true, collective: { kind: 'custom' } });
  });
});

describe('a custom collective of one’s own', () => {
  /** Each rank gets what both neighbours have, on its left and on its right. */
  const halo = fileWith(
    `format: ccc-schedule
version: 1
name: halo-custom
ring: true
collective:
  kind: custom
  input: 1
  output: 2
  results:
    - { for: r in ranks, rank: r, chunk: 0, is: [ { rank: (r - 1) % N, chunk: 0 } ] }
    - { for: r in ranks, rank: r, chunk: 1, is: [ { rank: (r + 1) % N, chunk: 0 } ] }
steps:
  - step:
      - { for: r in ranks, copy: r -> (r + 1) % N, what: input chunk 0, into: output chunk 0 }
      - { for: r in ranks, copy: r -> (r - 1) % N, what: input chunk 0, into: output chunk 1 }
`,
    'halo.yaml',
  );

  it('is held against a bound of its own', async () => {
    const args = ['compile', 'custom', '--algorithm', halo, '--topo', 'ring:4', '--size', '2MB', '--json'];
    const { cost, bound } = JSON.parse((await inProcess([...args, '--link', '1us,10GB/s', '-o', 'plan.json'])).stdout);
    // Half of M comes in over each of a chip's two links: α + M/(2β), and nothing can be faster.
    expect(cost.seconds).toBeCloseTo(101e-6, 15);
    expect(bound.seconds).toBeCloseTo(101e-6, 15);
    expect(bound.optimality).toBeCloseTo(1, 9);
  });

  it('keeps its ranks where they are, though another order of the ring were shorter', async () => {
    const { status, stderr } = await inProcess([
      'compile',
      'custom',
      '--algorithm',
      halo,
      '--topo',
      'routed-line',
      '-o',
      'plan.json',
    ]);
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/3\.5\s+links\s+apart\s+on\s+average/),
    });
  });

  it('is not compared with schedules that want something else', async () => {
    const { engines } = JSON.parse((await inProcess(['optimize', halo, '--topo', 'ring:4', '--json'])).stdout);
    expect(engines ?? null).toBeNull();
  });
});

describe('files of one’s own', () => {
  const folder = emptyFolder();
  writeFileSync(
    join(folder, 'mine.yaml'),
    'format: ccc-schedule\nversion: 1\nname: mine-broadcast\ncollective: broadcast\nsteps:\n  - step:\n      - for: r in 1 .. N-1\n        copy: 0 -> r\n        what: all\n',
  );
  writeFileSync(
    join(folder, 'pair.yaml'),
    'format: ccc-topology\nversion: 1\nname: pair\nchips: 2\nlinks:\n  - { duplex: 0 <-> 1, latency: 1 us, bandwidth: 1 GB/s, occupancy: blocking }\n',
  );

  it('are used where they are named', async () => {
    const args = ['compile', 'broadcast', '--topo', './pair.yaml', '--algorithm', 'mine.yaml', '--size', '1MB'];
    const { status, stdout } = await inProcess([...args, '--json'], '', folder);
    expect(status).toBe(0);
    // α + M/β
    expect(JSON.parse(stdout).cost.seconds).toBeCloseTo(1e-6 + 1e-3, 12);
  });

  it('may come from standard input', async () => {
    const text = readFileSync(join(folder, 'mine.yaml'), 'utf8');
    expect(
      (await inProcess(['compile', 'broadcast', '--topo', 'ring:2', '--algorithm', '-', '--json'], text)).status,
    ).toBe(0);
  });
});

describe('readers and disks that go away', () => {
  it('ends quietly when the reader has seen enough', () => {
    const { stdout, stderr } = shell(
      '(ccc compile allreduce --topo ring:32 --algorithm ring --bulks 1; echo "exit $?" >&2) 2>errors | head -n 1; cat errors',
    );
    expect(stdout).toBe('{\nexit 0\n');
    expect(stderr).toBe('');
  });

  it('does not need anybody to read the report', () => {
    const { status, stdout } = shell('ccc compile allgather --topo ring:4 2>&-');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).format).toBe('ccc-plan');
  });
});

describe('the effort', () => {
  const broken = ['compile', 'allgather', '--topo', 'dgx1', '--without', 'link:0-1', '--json'];
  const effortOf = async (args: readonly string[]): Promise<string> =>
    JSON.parse((await inProcess(args)).stdout).effort;

  it('is quick on a machine that has lost something, unless more is asked for', async () => {
    expect(await effortOf(broken)).toBe('quick');
    expect(await effortOf([...broken, '--effort', 'full'])).toBe('full');
    expect(await effortOf([...broken, '--engine', 'list'])).toBe('full');
    expect(await effortOf([...broken, '--objective', 'latency'])).toBe('full');
    expect(await effortOf(['compile', 'allgather', '--topo', 'ring:4', '--json'])).toBe('full');
  });

  it('is in the report where it is quick', async () => {
    const { stderr } = await inProcess(broken.slice(0, -1));
    expect(stderr).toMatch(/^effort +quick: only the most promising candidates/m);
    expect((await inProcess([...broken.slice(0, -1), '--effort', 'full'])).stderr).not.toMatch(/^effort/m);
  });

  it('has to be one of two', async () => {
    const { status, stderr } = await inProcess([...broken.slice(0, -1), '--effort', 'ful']);
    expect(status).toBe(2);
    expect(stderr).toContain("'ful' is no effort; ");
    expect(stderr).toContain('full');
  });
});

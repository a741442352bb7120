import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import type { RanksJob } from '../../../src/session/verify/ranks-job.ts';
import { inProcess } from '../in-process.ts';

/** The built module: workers run what is built. */
const built = (name: string): string => new URL(`../../../dist/session/${name}.js`, import.meta.url).href;
const { verifyAll }: typeof import('../../../src/session/verify/jobs.ts') = await import(built('verify/jobs'));
await import(built('node-platform'));

const request: RanksJob['request'] = {
  ...{
    root: 0,
    op: 'sum' as const,
    ordered: false,
    inPlace: false,
    parameters: {},
    bitwise: false,
    limits: defaultLimits,
  },
};

function jobs(name: string, first: number, last: number, limits = defaultLimits): readonly RanksJob[] {
  const schedule = loadScheduleFile(name).text;
  const range = { first, last };
  return Array.from({ length: last - first + 1 }, (_, i) => {
    return { schedule, ranks: first + i, range, request: { ...request, limits } };
  });
}

describe('a range of ranks', () => {
  it('has the same outcomes, in order, from workers and from one process', async () => {
    const work = [...jobs('recursive-doubling-allgather', 1, 9), ...jobs('ring-allreduce', 2, 6)];
    const counts: number[] = [];
    const parallel = await verifyAll(work, (done) => counts.push(done), 0);
    expect(parallel).toEqual(await verifyAll(work, () => {}, Number.POSITIVE_INFINITY));
    const ranks = parallel.map((outcome) =>
      outcome.kind === 'skipped' ? -outcome.ranks : outcome.verdict.collective.ranks,
    );
    expect(ranks).toEqual([1, 2, -3, 4, -5, -6, -7, 8, -9, 2, 3, 4, 5, 6]);
    expect(counts).toEqual(work.map((_, at) => at + 1));
  });

  it('ends with the error of the smallest number of ranks that has one', async () => {
    // A ring allgather on N ranks has N (N − 1) messages: 5 · 4 are the first above 19.
    const work = jobs('ring-allgather', 2, 12, { ...defaultLimits, operations: 19 });
    const inProcess = verifyAll(work, () => {}, Number.POSITIVE_INFINITY);
    await expect(inProcess).rejects.toMatchObject({ name: 'CccError', code: 'limit' });
    const message = await inProcess.catch((error: Error) => error.message);
    await expect(verifyAll(work, () => {}, 0)).rejects.toMatchObject({ code: 'limit', message });
  });

  // Out of place a ring allgather on N ranks has N copies, N (N − 1) sends and as many receives: 6, 15, 28, 45, 66 from N = 2 on.
  const hundred = { ...defaultLimits, rangeOperations: 100 };

  it.each([0, Number.POSITIVE_INFINITY])(
    'ends with the number that reaches the limit of operations (%d)',
    async (patience) => {
      const outcomes = await verifyAll(jobs('ring-allgather', 2, 40, hundred), () => {}, patience);
      expect(outcomes.map(({ operations }) => operations)).toEqual([6, 15, 28, 45, 66]);
    },
  );

  it('says what the limit left out, and ends with 3', async () => {
    const args = ['verify', 'ring-allgather', '--ranks', '2..40', '--limit', 'rangeOperations=100'];
    const { status, stdout, stderr } = await inProcess(args);
    expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('not verified for N = 7 … 40:') });
    expect(stdout).toContain('verified for N = 2 … 6\n');
    const json = await inProcess([...args, '--json']);
    const { ok, verdict, ranks, unfinished } = JSON.parse(json.stdout);
    expect({ status: json.status, ok, verdict, ranks }).toEqual({
      status: 3,
      ok: false,
      verdict: 'correct',
      ranks: [2, 3, 4, 5, 6],
    });
    expect(unfinished).toMatchObject({ first: 7, last: 40 });
  });

  it.each(['1..1000000000', '1..1000000', '65537', '4..9007199254740993'])(
    'is not begun beyond the limit on ranks: %s',
    async (ranks) => {
      const { status, stdout, stderr } = await inProcess(['verify', 'ring-allgather', '--ranks', ranks]);
      expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
      expect(stderr).toContain('the limit ranks = 65536');
    },
  );

  it('is told in one report', async () => {
    const { status, stdout, stderr } = await inProcess(['verify', 'recursive-doubling-allgather', '--ranks', '1..9']);
    expect(status).toBe(0);
    expect(stdout).toContain('verified for N = 1, 2, 4, 8\n');
    expect(stderr).toContain('not verified for N = 3, 5 … 7, 9:');
  });
});

describe('ccc verify --all', () => {
  it('verifies every shipped schedule', async () => {
    const { status, stdout, stderr } = await inProcess(['verify', '--all', '--ranks', '1..4', '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { ok, schedules } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(schedules.map(({ name }: { name: string }) => name)).toEqual(listShipped('schedules'));
  });

  it('says what a limit of work left out, and ends with 3', async () => {
    const { status, stdout } = await inProcess([
      'verify',
      '--all',
      '--ranks',
      '2..9',
      '--limit',
      'rangeOperations=2000',
    ]);
    expect(status).toBe(3);
    const lines = stdout.trimEnd().split('\n');
    const started = lines.filter((line) => line.startsWith('correct: ')).length;
    const left = lines.filter((line) => / is not verified for N = \d/.test(line));
    expect(started).toBeGreaterThan(0);
    expect(started + left.length).toBeGreaterThanOrEqual(listShipped('schedules').length);
  });

  it('is not begun beyond the limit on ranks', async () => {
    expect((await inProcess(['verify', '--all', '--ranks', '1..100000000'])).status).toBe(3);
  });

  it('says so when something is wrong for one of them', async () => {
    // Exchanges of one message each way deadlock without buffers.
    const { status, stdout } = await inProcess(['verify', '--all', '--ranks', '2', '--inflight', '0']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^correct: ring-allgather/m);
    expect(stdout).toMatch(/^deadlock: recursive-doubling-barrier/m);
  });

  it.each([[['verify']], [['verify', 'ring-allgather', '--all']]])('or one file: %j', async (args) => {
    const { status, stderr } = await inProcess(args);
    expect(status).toBe(2);
    expect(stderr).toContain('expected one file, or --all');
  });
});

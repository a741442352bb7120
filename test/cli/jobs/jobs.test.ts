/** Commands that run for long, ended before they are done: what they have found by then is printed, and is right. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/emit/index.ts';
import { searchDefaults } from '../../../src/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { searchPlan } from '../../../src/search/compile.ts';
import { collectiveOf } from '../../collectives.ts';
import { emptyFolder } from '../../temporary.ts';
import { ccc } from '../run.ts';
import { Running } from '../running.ts';

/** As `ccc compile allgather` asks. */
const compileRequest = {
  collective: collectiveOf('allgather', 4),
  size: 64 * 2 ** 20,
  ...searchDefaults,
} as const;

/** A frontier of which no solver finds the first point at once. */
const hardFrontier = ['pareto', 'alltoall', '--topo', 'mi250', '--progress'];

/** A plan of which no solver has the first one soon. */
const hardModel = [
  ...['compile', 'alltoall', '--topo', 'mi250', '--engine', 'exact', '--progress'],
  ...['--chunks', '3', '--set', 'steps=32', '--set', 'rounds=32'],
];

describe('Ctrl-C', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('prints the points of the frontier found so far (%s)', async (signal) => {
    const running = new Running(['pareto', 'allreduce', '--topo', 'dgx1', '--progress', '--json']);
    await running.says(/points: ([2-9]|1\d)\b/);
    running.interrupt(signal);
    const { status, stdout, stderr } = await running.outcome();
    expect(status).toBe(3);
    const { points, ...rest } = JSON.parse(stdout);
    // The first two of the frontier: one chunk to all in two steps, and two in three rounds.
    expect(points.slice(0, 2)).toMatchObject([
      { chunks: 1, steps: 2, rounds: 2, status: 'feasible' },
      { chunks: 2, steps: 2, rounds: 3, status: 'feasible' },
    ]);
    expect(rest).toMatchObject({ complete: false, stoppedEarly: true });
    expect(stderr).toContain('the search was ended');
  });

  it('prints the sizes tuned so far, and writes their plans', async () => {
    const folder = emptyFolder();
    const running = new Running(['tune', 'alltoall', '--topo', 'torus:6x6', '--progress', '-o', 'plans'], folder);
    await running.says(/torus:6x6: \d+ plans/);
    running.interrupt();
    const { status, stdout } = await running.outcome();
    expect(status).toBe(3);
    expect(stdout).toContain('alltoall on torus:6x6, 1 KiB to 1 GiB');
    expect(stdout).toContain('Stopped early');
    const files = readdirSync(join(folder, 'plans'));
    expect(files).toContain('alltoall.svg');
    const plan = files.find((file) => file.endsWith('.json')) ?? '';
    expect(ccc(['verify', join(folder, 'plans', plan)]).status).toBe(0);
  });

  it('prints the topologies tuned so far', async () => {
    const family = ['--topo', 'ring:N', '--ranks', '2..16'];
    const running = new Running(['tune', 'allreduce', ...family, '--progress', '--json']);
    await running.says(/topology [3-9] of 15/);
    running.interrupt();
    const { status, stdout } = await running.outcome();
    expect(status).toBe(3);
    const { topologies, stoppedEarly } = JSON.parse(stdout);
    expect(stoppedEarly).toBe(true);
    expect(topologies.length).toBeLessThan(15);
    expect(topologies.slice(0, 2)).toMatchObject([{ topology: 'ring:2' }, { topology: 'ring:3' }]);
  });

  it('writes the best that became of a schedule', async () => {
    const folder = emptyFolder();
    const command = ['optimize', 'ring-allreduce', '--topo', 'torus:6x6', '--progress', '-o', 'plan.json'];
    const running = new Running(command, folder);
    await running.says(/after 1 improvements/);
    running.interrupt();
    const { status, stderr } = await running.outcome();
    expect(status).toBe(3);
    expect(stderr).toContain('times as fast');
    expect(ccc(['verify', join(folder, 'plan.json')]).status).toBe(0);
  });

  it('writes the best plan so far', async () => {
    const running = new Running(['compile', 'allreduce', '--topo', 'torus:6x6', '--progress']);
    await running.says(/1 candidates evaluated/);
    running.interrupt();
    const { status, stdout, stderr } = await running.outcome();
    expect(status).toBe(3);
    expect(stderr).toContain('the search was ended; this is the ');
    expect(ccc(['verify', '-'], stdout).status).toBe(0);
  });

  it('leaves the model that the solver is at', async () => {
    const folder = emptyFolder();
    const running = new Running([...hardFrontier, '--dump-model', 'model.mps'], folder);
    await running.says(/HiGHS/);
    running.interrupt();
    const { status, stdout, stderr } = await running.outcome();
    expect(status).toBe(3);
    expect(stdout).toContain('alltoall on mi250');
    expect(stdout).toContain('Stopped early');
    expect(stderr).toContain('model.mps has the model of alltoall');
    expect(readFileSync(join(folder, 'model.mps'), 'utf8')).toMatch(/^NAME ccc\nROWS\n[\s\S]*\nENDATA\n$/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends a search that has nothing yet, and says so (%s)', async (signal) => {
    const running = new Running(hardModel);
    await running.says(/HiGHS/);
    running.interrupt(signal);
    const { status, stdout, stderr } = await running.outcome();
    expect(status).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('nothing was found before the search was ended');
  });

  it('pressed again ends at once, whatever the solver is at', async () => {
    const running = new Running(hardModel);
    await running.says(/HiGHS/);
    running.interrupt();
    await running.says(/Ctrl-C again/);
    running.interrupt();
    const { status, stdout } = await running.outcome();
    expect(status).toBe(130);
    expect(stdout).toBe('');
  });
});

describe('--time-limit', () => {
  it('ends a solver that is in the middle of a call', () => {
    const { status, stdout, stderr } = ccc([...hardFrontier, '--time-limit', '4s']);
    expect(status).toBe(3);
    expect(stdout).toContain('alltoall on mi250');
    expect(stderr).toContain('the search was ended');
  });

  it('is not over before there is a first plan', () => {
    const { status, stdout } = ccc(['compile', 'allgather', '--topo', 'torus:6x6', '--time-limit', '1ms']);
    expect(status).toBe(3);
    expect(ccc(['verify', '-'], stdout).status).toBe(0);
  });
});

describe('a search that ends with nothing', () => {
  it('says that it was the time, not the machine', () => {
    const { status, stderr } = ccc([
      'compile',
      'allgather',
      '--topo',
      'a100:4',
      '--engine',
      'exact',
      '--time-limit',
      '0s',
    ]);
    expect(status).toBe(3);
    expect(stderr).toContain('nothing was found within the time limit of 0 s');
  });
});

describe('a job in a worker', () => {
  it('fails as it would have failed here', () => {
    const { status, stdout, stderr } = ccc(['pareto', 'scan', '--topo', 'ring:4', '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'no-plan' } });
    expect(stderr).toContain('there is no scan in moves');
  });

  it('shows the line of the file that is wrong', () => {
    const { status, stderr } = ccc(['optimize', '-', '--topo', 'ring:4'], 'name: broken\ncollective: [\n');
    expect(status).toBe(2);
    expect(stderr).toMatch(/<stdin>:\d+:\d+: /);
    expect(stderr).toContain('^');
  });

  it('finds what it would have found here, to the byte', () => {
    const topology = resolveTopology('torus:5x5');
    const { collective } = compileRequest;
    const { bundle } = searchPlan({ ...compileRequest, topology, collective: { ...collective, ranks: 25 } });
    const { stdout } = ccc(['compile', 'allgather', '--topo', 'torus:5x5']);
    expect(stdout).toBe([...json.emit(bundle)].join(''));
  });

  it('takes a machine from standard input', () => {
    const machine = readFileSync(new URL('../../../topologies/dgx1.yaml', import.meta.url), 'utf8');
    const { status, stdout } = ccc(['compile', 'allgather', '--topo', '-', '--time-limit', '1ms'], machine);
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ format: 'ccc-plan' });
  });
});

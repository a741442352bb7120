/**
 * Exact schedules: the instances of Cai et al. (PPoPP 2021) on DGX-1 and some on larger machines, each in a process of its own, as
 * CPU seconds of the whole process. `tsx bench/exact.ts [--json]`; it needs a build (`npm run build`).
 */
import { spawnSync } from 'node:child_process';

const ccc = new URL('../bin/ccc.js', import.meta.url).pathname;

/** Topology, collective, C, S, R; whether there is such a schedule. */
type Instance = readonly [string, string, number, number, number, boolean];

const instances: readonly Instance[] = [
  ...(['1 2 2', '2 3 3', '3 4 4', '4 5 5', '5 6 6', '6 7 7', '2 2 3', '6 3 7'] as const).map(on('allgather')),
  ...(['6 7 7', '6 3 7'] as const).map(on('gather')),
  ...(['6 3 7', '6 7 7'] as const).map(on('scatter')),
  ...(['2 2 2', '6 3 3', '12 4 4', '18 5 5', '6 3 5'] as const).map(on('broadcast')),
  ...(['1 2 2', '2 2 3', '6 3 7'] as const).map(on('reducescatter')),
  ...(['1 3 3', '1 2 3', '3 2 8', '3 8 8'] as const).map(on('alltoall')),
  ...(['8 4 4', '16 4 6', '48 6 14', '48 14 14'] as const).map(on('allreduce')),
  ['dgx1', 'allgather', 3, 2, 4, false],
  ['dgx1', 'allgather', 1, 1, 1, false],
  ['dgx1', 'alltoall', 1, 2, 2, false],
  ['ring:16', 'allgather', 2, 15, 15, true],
  ['hypercube:4', 'allgather', 4, 15, 15, true],
  ['torus:4x4', 'allgather', 1, 4, 4, true],
  ['full:32', 'allgather', 1, 1, 1, true],
];

function on(collective: string): (shape: string) => Instance {
  return (shape) => {
    const [chunks, steps, rounds] = shape.split(' ').map(Number);
    return ['dgx1', collective, chunks, steps, rounds, true];
  };
}

interface Row {
  readonly instance: string;
  readonly expected: boolean;
  /** Undefined where the command failed for another reason than that there is none. */
  readonly found: boolean | undefined;
  readonly cpuSeconds: number;
}

function measure([topo, collective, chunks, steps, rounds, expected]: Instance): Row {
  const shape = ['--chunks', String(chunks), '--set', `steps=${steps}`, '--set', `rounds=${rounds}`];
  const request = [
    'compile',
    collective,
    '--topo',
    topo,
    '--engine',
    'exact',
    '--bulks',
    '1',
    ...shape,
    '-o',
    '/dev/null',
  ];
  const run = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$0" "$@" 2>/dev/null', process.execPath, ccc, ...request],
    {
      encoding: 'utf8',
    },
  );
  const [user = 0, system = 0] = run.stderr.trim().split(/\s+/).map(Number);
  return {
    instance: `${topo} ${collective} (${chunks}, ${steps}, ${rounds})`,
    expected,
    found: run.status === 0 ? true : run.status === 1 ? false : undefined,
    cpuSeconds: user + system,
  };
}

const rows = instances.map(measure);
const total = rows.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
if (process.argv.includes('--json')) console.log(JSON.stringify({ rows, total }, null, 2));
else {
  for (const { instance, expected, found, cpuSeconds } of rows) {
    const verdict = found === undefined ? 'failed' : found ? 'found' : 'none';
    console.log(
      `${instance.padEnd(40)} ${verdict.padEnd(6)} ${cpuSeconds.toFixed(2)} s${found === expected ? '' : '  UNEXPECTED'}`,
    );
  }
  console.log(`${'all together'.padEnd(47)} ${total.toFixed(2)} s`);
}

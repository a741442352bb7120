/**
 * Exact schedules: the instances of Cai et al. (PPoPP 2021) on DGX-1, some on larger machines, and whole frontiers; each in a process
 * of its own, as CPU seconds of the whole process. `tsx bench/exact.ts [--json]`; it needs a build (`npm run build`).
 *
 * Beside them, the CPU seconds that SCCL 2021 (on Z3) took on a machine of two cores. Read them as sizes: it was another one.
 */
import { spawnSync } from 'node:child_process';

const ccc = new URL('../bin/ccc.js', import.meta.url).pathname;

/** What SCCL did: CPU seconds, or that it ended without an answer or with a wrong one; undefined where it was not tried. */
type Sccl = number | 'none in 300 s' | 'wrongly infeasible' | undefined;

/** Topology, collective, C, S, R; whether there is such a schedule. */
type Instance = readonly [string, string, number, number, number, boolean, Sccl];

const instances: readonly Instance[] = [
  ['dgx1', 'allgather', 1, 2, 2, true, 0.4],
  ['dgx1', 'allgather', 2, 3, 3, true, 0.6],
  ['dgx1', 'allgather', 3, 4, 4, true, 1.2],
  ['dgx1', 'allgather', 4, 5, 5, true, 3.5],
  ['dgx1', 'allgather', 5, 6, 6, true, 9.1],
  ['dgx1', 'allgather', 6, 7, 7, true, 18],
  ['dgx1', 'allgather', 2, 2, 3, true, 0.75],
  ['dgx1', 'allgather', 6, 3, 7, true, 29],
  ['dgx1', 'allgather', 3, 2, 4, false, 0.7],
  ['dgx1', 'allgather', 1, 1, 1, false, 0.3],
  ['dgx1', 'gather', 6, 7, 7, true, 5.7],
  ['dgx1', 'gather', 6, 3, 7, true, 4.1],
  ['dgx1', 'scatter', 6, 3, 7, true, 33],
  ['dgx1', 'scatter', 6, 7, 7, true, 'none in 300 s'],
  ['dgx1', 'broadcast', 2, 2, 2, true, 0.2],
  ['dgx1', 'broadcast', 6, 3, 3, true, 0.3],
  ['dgx1', 'broadcast', 12, 4, 4, true, 0.7],
  ['dgx1', 'broadcast', 18, 5, 5, true, 9.8],
  ['dgx1', 'broadcast', 6, 3, 5, true, 0.3],
  ['dgx1', 'reducescatter', 1, 2, 2, true, 0.3],
  ['dgx1', 'reducescatter', 2, 2, 3, true, 0.5],
  ['dgx1', 'reducescatter', 6, 3, 7, true, 28],
  ['dgx1', 'alltoall', 1, 2, 2, false, 1.4],
  ['dgx1', 'alltoall', 1, 3, 3, true, 6.7],
  ['dgx1', 'alltoall', 1, 2, 3, true, 7],
  ['dgx1', 'alltoall', 3, 2, 8, true, 88],
  ['dgx1', 'alltoall', 3, 8, 8, true, 'none in 300 s'],
  ['dgx1', 'alltoall', 3, 7, 7, false, undefined],
  ['dgx1', 'allreduce', 8, 4, 4, true, 'wrongly infeasible'],
  ['dgx1', 'allreduce', 16, 4, 6, true, 'wrongly infeasible'],
  ['dgx1', 'allreduce', 48, 6, 14, true, undefined],
  ['dgx1', 'allreduce', 48, 14, 14, true, undefined],
  ['ring:16', 'allgather', 2, 15, 15, true, 'none in 300 s'],
  ['hypercube:4', 'allgather', 1, 4, 4, true, 51],
  ['hypercube:4', 'allgather', 4, 15, 15, true, 'none in 300 s'],
  ['torus:4x4', 'allgather', 1, 4, 4, true, 47],
  ['full:32', 'allgather', 1, 1, 1, true, 'none in 300 s'],
  // Partial sums: no reducescatter and allgather, nor reduce and broadcast, has these shapes.
  ['line:3', 'allreduce', 2, 3, 3, true, undefined],
  ['line:4', 'allreduce', 2, 4, 4, true, undefined],
  ['line:4', 'allreduce', 2, 3, 3, false, undefined],
  ['ring:5', 'allreduce', 2, 3, 3, true, undefined],
];

/** Topologies whose whole frontier of allgather is walked. */
const frontiers = ['dgx1', 'sg2260x4', 'sg2260x8', 'sg2260-cards', 'a100', 'h100', 'hypercube:3', 'torus:4x4'];

interface Row {
  readonly what: string;
  readonly verdict: string;
  readonly expected: string;
  readonly cpuSeconds: number;
  readonly sccl?: Sccl;
}

/** CPU seconds of a command of ccc, and how it ended. */
function timed(request: readonly string[]) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" 2>/dev/null';
  const run = spawnSync('bash', ['-c', script, process.execPath, ccc, ...request], { encoding: 'utf8' });
  const [user = 0, system = 0] = run.stderr.trim().split(/\s+/).map(Number);
  return { status: run.status, stdout: run.stdout, cpuSeconds: user + system };
}

function instanceRow([topo, collective, chunks, steps, rounds, exists, sccl]: Instance): Row {
  const shape = ['--chunks', String(chunks), '--set', `steps=${steps}`, '--set', `rounds=${rounds}`];
  const request = ['compile', collective, '--topo', topo, '--engine', 'exact', '--bulks', '1', ...shape];
  const { status, cpuSeconds } = timed([...request, '-o', '/dev/null']);
  return {
    what: `${topo} ${collective} (${chunks}, ${steps}, ${rounds})`,
    expected: exists ? 'found' : 'none',
    verdict: status === 0 ? 'found' : status === 1 ? 'none' : 'failed',
    cpuSeconds,
    sccl,
  };
}

function frontierRow(topo: string): Row {
  const { status, stdout, cpuSeconds } = timed(['pareto', 'allgather', '--topo', topo, '--json']);
  const { complete } = status === 0 ? JSON.parse(stdout) : { complete: false };
  const verdict = complete === true ? 'whole' : 'open';
  return { what: `${topo} allgather frontier`, expected: 'whole', verdict, cpuSeconds };
}

const rows = [...instances.map(instanceRow), ...frontiers.map(frontierRow)];
const total = rows.filter(({ what }) => what.startsWith('dgx1')).reduce((sum, row) => sum + row.cpuSeconds, 0);
if (process.argv.includes('--json')) console.log(JSON.stringify({ rows, total }, null, 2));
else {
  for (const { what, expected, verdict, cpuSeconds, sccl } of rows) {
    const beside = sccl === undefined ? '' : typeof sccl === 'number' ? `${sccl} s` : sccl;
    const wrong = verdict === expected ? '' : '  UNEXPECTED';
    console.log(`${what.padEnd(38)} ${verdict.padEnd(6)} ${cpuSeconds.toFixed(2).padStart(6)} s   ${beside}${wrong}`);
  }
  console.log(`${'all of dgx1 together'.padEnd(45)} ${total.toFixed(2).padStart(6)} s`);
}

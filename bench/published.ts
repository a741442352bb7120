/**
 * `npm run bench:published [-- --json]`: machines that others have published figures for. Allgather in steps of one chunk (TACOS), and allgather
 * bandwidth of very large messages (ForestColl). CPU seconds are of whole processes; the other tools' are the figures
 * measured on a machine of this class.
 */
import { measure } from './measure.ts';

interface Row {
  readonly what: string;
  readonly reached: string;
  readonly target: string;
  readonly met: boolean;
  readonly cpuSeconds: number;
  readonly theirSeconds: number;
  readonly plan: string;
}

/** α = 0.5 µs, 50 GiB/s, chunks of 1 MiB: a step takes 20.03125 µs. */
const stepSeconds = 0.5e-6 + 2 ** 20 / (50 * 2 ** 30);
const chunkBytes = 2 ** 20;

/** Topology, ranks, chunks per rank, lower bound in steps, seconds of TACOS. */
const steps: readonly (readonly [string, number, number, number, number])[] = [
  ['ring:4', 4, 1, 2, 0.00002],
  ['ring:16', 16, 1, 8, 0.0002],
  ['ring:64', 64, 1, 32, 0.01],
  ['ring:16', 16, 4, 30, 0.002],
  ['ring:64', 64, 4, 126, 0.153],
  ['mesh:8x8', 64, 1, 32, 0.009],
  ['mesh:16x16', 256, 1, 128, 0.67],
  ['mesh:32x32', 1024, 1, 512, 73],
  ['torus:4x4', 16, 1, 4, 0.0002],
  ['torus:8x8', 64, 1, 16, 0.006],
  ['torus:16x16', 256, 1, 64, 0.46],
  ['torus:32x32', 1024, 1, 256, 52],
  ['torus:8x8', 64, 4, 63, 0.08],
  ['torus:16x16', 256, 4, 255, 8.4],
  ['torus:4x4x4', 64, 1, 11, 0.005],
  ['torus:8x8x8', 512, 1, 86, 3.2],
  ['hypercube:3', 8, 1, 3, 0.00004],
  ['hypercube:4', 16, 1, 4, 0.00016],
  ['hypercube:6', 64, 1, 11, 0.005],
];

/** Topology (with links of its own or 50 GB/s), algbw in GB/s of very large messages, seconds of ForestColl. */
const bandwidths: readonly (readonly [string, readonly string[], number, number])[] = [
  ['a100:2', [], 346.67, 3.7],
  ['a100:4', [], 266.67, 26],
  ['a100:16', [], 0, 60],
  ['torus:4x4', ['--link', '0.5us,50GB/s'], 213.33, 0.5],
  ['torus:8x8', ['--link', '0.5us,50GB/s'], 203.17, 40],
  ['mesh:8x8', ['--link', '0.5us,50GB/s'], 101.59, 40],
  ['ring:64', ['--link', '0.5us,50GB/s'], 101.59, 40],
  ['hypercube:6', ['--link', '0.5us,50GB/s'], 304.76, 39],
  ['dgx1', [], 171.43, 0.05],
];

function inSteps([topology, ranks, chunks, bound, theirSeconds]: (typeof steps)[number]): Row {
  const size = `${ranks * chunks * chunkBytes}B`;
  const link = ['--link', '0.5us,50GiB/s,blocking'];
  const args = [
    'bin/ccc.js',
    'compile',
    'allgather',
    '--topo',
    topology,
    ...link,
    '--size',
    size,
    '--chunks',
    `${chunks}`,
  ];
  const { cpuSeconds, output } = measure([...args, '--bulks', '1', '--json'], 1);
  const { cost, name } = JSON.parse(output);
  const reached = cost.seconds / stepSeconds;
  return {
    what: `allgather on ${topology}, ${chunks} chunk${chunks === 1 ? '' : 's'} per rank`,
    reached: `${reached.toFixed(2)} steps`,
    target: `${bound} steps`,
    met: reached <= bound * (1 + 1e-9),
    cpuSeconds,
    theirSeconds,
    plan: name,
  };
}

function inBandwidth([topology, link, published, theirSeconds]: (typeof bandwidths)[number]): Row {
  const args = ['bin/ccc.js', 'compile', 'allgather', '--topo', topology, ...link, '--size', '1TiB', '--json'];
  const { cpuSeconds, output } = measure(args, 1);
  const { cost, bound, name } = JSON.parse(output);
  const algbw = (seconds: number): number => 2 ** 40 / seconds / 1e9;
  return {
    what: `allgather on ${topology}, 1 TiB`,
    reached: `${algbw(cost.seconds).toFixed(2)} GB/s, optimality ${bound.optimality.toFixed(4)}`,
    target: `${published === 0 ? algbw(bound.seconds).toFixed(2) : published} GB/s`,
    met: bound.optimality > 0.99,
    cpuSeconds,
    theirSeconds,
    plan: name,
  };
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const chosen = ([topology]: readonly [string, ...unknown[]]): boolean =>
  wanted.length === 0 || wanted.includes(topology);
const rows: Row[] = [];
for (const make of [
  ...steps.filter(chosen).map((row) => () => inSteps(row)),
  ...bandwidths.filter(chosen).map((row) => () => inBandwidth(row)),
]) {
  const row = make();
  rows.push(row);
  if (process.argv.includes('--json')) continue;
  const verdict = row.met ? 'reached' : 'NOT reached';
  process.stdout.write(
    `${row.what}: ${row.reached}, target ${row.target} ${verdict}; ${row.cpuSeconds.toFixed(2)} s CPU (theirs ${row.theirSeconds} s); ${row.plan}\n`,
  );
}
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);

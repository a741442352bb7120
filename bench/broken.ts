/**
 * `npm run bench:broken [-- --json] [-- --full] [-- --all] [-- --sample N] [-- --seed S] [-- topology …]`: how long a new plan takes when a link breaks or
 * a chip is lost, on shipped machines up to 64 ranks, by the quick search or the full one; `--all` is for all collectives instead of four, `--sample` for
 * that many machines, losses, collectives and sizes drawn from all there are. Seconds are of whole processes, on the wall and of CPU; optimality is
 * against the bound of the machine that is left.
 */
import { parseArgs } from 'node:util';
import { drawn, type Loss } from './broken-sample.ts';
import { measure } from './measure.ts';

/** Machines, and what each can do without. */
const machines: Readonly<Record<string, readonly string[]>> = {
  sg2260x4: ['link:0-1', 'chip:1'],
  sg2260x8: ['link:0-1', 'chip:1'],
  'sg2260-cards': ['link:0-1', 'chip:1'],
  dgx1: ['link:0-1', 'chip:1'],
  'dgx1-cluster': ['link:0-1', 'chip:1'],
  dgx2: ['chip:1'],
  'a100:2': ['link:0-switch0', 'chip:1'],
  'h100:2': ['link:0-switch0', 'chip:1'],
  mi250: ['link:0-1', 'chip:1'],
  'ring:16': ['link:0-1', 'chip:1'],
  'ring:64': ['link:0-1', 'chip:1'],
  'torus:4x4': ['link:0-1', 'chip:1'],
  'torus:8x8': ['link:0-1', 'chip:1'],
  'torus:4x4x4': ['link:0-1', 'chip:1'],
  'mesh:8x8': ['link:0-1', 'chip:1'],
  'hypercube:6': ['link:0-1', 'chip:1'],
  'full:32': ['link:0-1', 'chip:1'],
  fattree: ['link:switch0-switch4', 'chip:1'],
  dragonfly: ['link:switch0-switch1', 'chip:1'],
};
const usual = ['allgather', 'allreduce', 'alltoall', 'reduce'] as const;
const others = ['reducescatter', 'broadcast', 'scatter', 'gather', 'scan', 'exscan'] as const;
/** What a new plan may take. */
const targetSeconds = 1;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});
const collectives = options.all ? [...usual, ...others] : usual;

interface Row {
  readonly what: string;
  readonly collective: string;
  readonly optimality: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly plan: string;
}

function* listed(): Iterable<Loss> {
  for (const [topology, parts] of Object.entries(machines)) {
    for (const without of parts) {
      for (const collective of collectives) yield { topology, without, collective, size: '64MiB' };
    }
  }
}

function measured({ topology, without, collective, size }: Loss): Row {
  const effort = options.full ? 'full' : 'quick';
  const machine = ['--topo', topology, '--without', without];
  const args = ['bin/ccc.js', 'compile', collective, ...machine, '--size', size, '--effort', effort, '--json'];
  const { wallSeconds, cpuSeconds, output } = measure(args, 1);
  const { bound, name } = JSON.parse(output);
  return {
    what: `${collective} of ${size} on ${topology} --without ${without}`,
    collective,
    optimality: bound.optimality,
    wallSeconds,
    cpuSeconds,
    plan: name,
  };
}

function print({ what, optimality, wallSeconds, cpuSeconds, plan }: Row): void {
  const verdict = wallSeconds < targetSeconds ? '' : `, not under ${targetSeconds} s`;
  process.stdout.write(
    `${what}: ${wallSeconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)${verdict}; optimality ${optimality.toFixed(3)}; ${plan}\n`,
  );
}

function summarize(rows: readonly Row[]): void {
  for (const collective of [...usual, ...others]) {
    const logarithms = rows.filter((row) => row.collective === collective).map((row) => Math.log(row.optimality));
    if (logarithms.length === 0) continue;
    const mean = Math.exp(logarithms.reduce((sum, value) => sum + value, 0) / logarithms.length);
    process.stdout.write(
      `${collective}: ${mean.toFixed(3)} of the bound, as the geometric mean of ${logarithms.length} rows\n`,
    );
  }
  const count = (seconds: (row: Row) => number): number => rows.filter((row) => seconds(row) < targetSeconds).length;
  const onWall = count(({ wallSeconds }) => wallSeconds);
  const ofCpu = count(({ cpuSeconds }) => cpuSeconds);
  process.stdout.write(`under ${targetSeconds} s: ${onWall} of ${rows.length} rows, of CPU time ${ofCpu}\n`);
}

const [sample, seed] = [options.sample, options.seed].map(Number);
if (!Number.isInteger(sample) || !Number.isInteger(seed)) throw new Error('--sample and --seed are whole numbers');
const losses = sample > 0 ? drawn(sample, seed) : listed();
const rows: Row[] = [];
for (const loss of losses) {
  if (wanted.length > 0 && !wanted.includes(loss.topology)) continue;
  const row = measured(loss);
  rows.push(row);
  if (!options.json) print(row);
}
if (options.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else summarize(rows);

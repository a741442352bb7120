/**
 * `npm run bench:broken [-- --json] [-- --full] [-- --all] [-- topology …]`: how long a new plan takes when a link breaks or a chip is lost, on shipped
 * machines up to 64 ranks, by the quick search or the full one; `--all` is for all collectives instead of four. Seconds are of whole processes, on the
 * wall and of CPU; optimality is against the bound of the machine that is left.
 */
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
const collectives = process.argv.includes('--all') ? [...usual, ...others] : usual;
const effort = process.argv.includes('--full') ? 'full' : 'quick';
/** What a new plan may take. */
const targetSeconds = 1;

interface Row {
  readonly what: string;
  readonly optimality: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly plan: string;
}

function measured(topology: string, without: string, collective: string): Row {
  const args = [
    'bin/ccc.js',
    'compile',
    collective,
    '--topo',
    topology,
    '--without',
    without,
    '--size',
    '64MiB',
    '--effort',
    effort,
    '--json',
  ];
  const { wallSeconds, cpuSeconds, output } = measure(args, 1);
  const { bound, name } = JSON.parse(output);
  return {
    what: `${collective} on ${topology} --without ${without}`,
    optimality: bound.optimality,
    wallSeconds,
    cpuSeconds,
    plan: name,
  };
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const asJson = process.argv.includes('--json');
const rows: Row[] = [];
for (const [topology, parts] of Object.entries(machines)) {
  if (wanted.length > 0 && !wanted.includes(topology)) continue;
  for (const without of parts) {
    for (const collective of collectives) {
      const row = measured(topology, without, collective);
      rows.push(row);
      if (asJson) continue;
      const verdict = row.wallSeconds < targetSeconds ? '' : `, not under ${targetSeconds} s`;
      process.stdout.write(
        `${row.what}: ${row.wallSeconds.toFixed(2)} s (${row.cpuSeconds.toFixed(2)} s CPU)${verdict}; optimality ${row.optimality.toFixed(3)}; ${row.plan}\n`,
      );
    }
  }
}
if (asJson) {
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
} else {
  for (const collective of collectives) {
    const logarithms = rows
      .filter(({ what }) => what.startsWith(`${collective} `))
      .map(({ optimality }) => Math.log(optimality));
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

/**
 * `npm run bench [-- --json] [-- --long]`: what ccc reaches, as one table. CPU seconds are of whole processes, medians of several
 * runs; `ratio` compares with a bare Node start in the same run, since machines differ and are noisy.
 */
import { existsSync } from 'node:fs';
import { measure } from './measure.ts';

interface Row {
  readonly what: string;
  readonly cpuSeconds: number;
  readonly ratio: number;
  readonly peakMiB: number;
  readonly result: string;
  readonly target: string;
}

const rows: Row[] = [];
const bare = measure(['-e', ''], 9);

function row(
  what: string,
  args: readonly string[],
  runs: number,
  target: string,
  result: (output: string) => string,
): void {
  const { cpuSeconds, peakMiB, output } = measure(args, runs);
  rows.push({ what, cpuSeconds, ratio: cpuSeconds / bare.cpuSeconds, peakMiB, result: result(output), target });
}

row('node -e ""', ['-e', ''], 9, '', () => '');
row('ccc --help', ['bin/ccc.js', '--help'], 9, '< 0.15 s', () => '');
row(
  'ccc compile allgather --topo sg2260x4 --size 64MiB',
  ['bin/ccc.js', 'compile', 'allgather', '--topo', 'sg2260x4', '--size', '64MiB', '--json'],
  9,
  '< 0.35 s, ≤ 394.3 µs, ≥ 0.997',
  (output) => {
    const { cost, bound, name } = JSON.parse(output);
    return `${(cost.seconds * 1e6).toFixed(1)} µs, optimality ${bound.optimality.toFixed(4)}, ${name}`;
  },
);
for (const ranks of [64, 128, 256, 512]) {
  row(
    `prove and simulate ring allreduce, ${ranks} ranks`,
    ['--import', 'tsx', 'bench/ring-allreduce.ts', String(ranks)],
    3,
    ranks === 256 ? 'verify + simulate < 5 s, < 1 GiB' : '',
    (output) => {
      const r = JSON.parse(output);
      const parts = ['elaborate', 'lower', 'verify', 'simulate'].map((part) => `${part} ${r[part].toFixed(2)} s`);
      return `${r.operations} operations, ${r.verdict}: ${parts.join(', ')}`;
    },
  );
}

const provers = ['ring 50', 'ring 160', 'ring 512', 'ring 512 strict', 'lanes 512'];
// Ten million operations take most of a minute and some gigabytes.
if (process.argv.includes('--long')) provers.push('ring 1600');
for (const plan of provers) {
  const args = ['--import', 'tsx', 'bench/verify-plans.ts', ...plan.split(' ')];
  row(`verify ${plan}`, args, 1, plan.endsWith(' 512') ? 'verify < 3 s, < 512 MiB' : '', (output) => {
    const { operations, verify, verdict } = JSON.parse(output);
    const each = ((verify / operations) * 1e6).toFixed(2);
    return `${operations} operations, ${verdict}: verify ${verify.toFixed(2)} s, ${each} µs each`;
  });
}
const real = new URL('../../shared/corpus/msccl-xml/rccl-all-reduce-ring-ll.xml', import.meta.url).pathname;
if (existsSync(real)) {
  row(
    'verify rccl-all-reduce-ring-ll.xml',
    ['bin/ccc.js', 'verify', real],
    3,
    '< 1 s',
    (output) => output.split('\n')[0],
  );
}

if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
} else {
  for (const r of rows) {
    const target = r.target === '' ? '' : `  (target ${r.target})`;
    process.stdout.write(
      `${r.what}\n  ${r.cpuSeconds.toFixed(3)} s CPU, ${r.ratio.toFixed(1)} × bare node, ${r.peakMiB.toFixed(0)} MiB${target}\n`,
    );
    if (r.result !== '') process.stdout.write(`  ${r.result}\n`);
  }
}

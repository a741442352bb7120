/**
 * `npm run bench:compact [-- --json] [-- topology …]`: how near to their bounds compact plans come at three sizes, and what making and proving
 * them takes, the large machines in 64 MiB. CPU seconds are of whole processes.
 */
import { measure } from './measure.ts';

const sizes = ['1KiB', '1MiB', '1GiB'] as const;
const machines: Readonly<Record<string, readonly string[]>> = {
  'ring:64': sizes,
  'torus:16x16': sizes,
  'hypercube:8': sizes,
  'torus:32x32': sizes,
  'torus:200x200': ['64MiB'],
  'torus:1000x1000': ['64MiB'],
};
const collectives = ['allgather', 'reducescatter', 'allreduce', 'alltoall'] as const;
/** Machines on which items of an alltoall go over so many links that the proof needs a higher limit. */
const limits: Readonly<Record<string, readonly string[]>> = { 'torus:1000x1000': ['--limit', 'slots=1006000000'] };

interface Row {
  readonly what: string;
  readonly seconds: number;
  readonly optimality: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

function measured(topology: string, collective: string, size: string): Row {
  const args = ['bin/ccc.js', 'compile', collective, '--topo', topology, '--size', size, '--compact', '--json'];
  const limit = collective === 'alltoall' ? (limits[topology] ?? []) : [];
  const { cpuSeconds, peakMiB, output } = measure([...args, ...limit, '-o', '/dev/null'], 1);
  const { bound, cost } = JSON.parse(output);
  const what = `${collective} on ${topology}, ${size}`;
  return { what, seconds: cost.seconds, optimality: bound.optimality, cpuSeconds, peakMiB };
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const asJson = process.argv.includes('--json');
const rows: Row[] = [];
for (const [topology, choices] of Object.entries(machines)) {
  if (wanted.length > 0 && !wanted.includes(topology)) continue;
  for (const collective of collectives) {
    for (const size of choices) {
      const row = measured(topology, collective, size);
      rows.push(row);
      if (asJson) continue;
      const { what, seconds, optimality, cpuSeconds, peakMiB } = row;
      console.log(
        `${what.padEnd(42)} ${(seconds * 1e6).toFixed(1).padStart(10)} µs  ${optimality.toFixed(3)}  ${cpuSeconds.toFixed(2).padStart(6)} s  ${peakMiB.toFixed(0).padStart(5)} MiB`,
      );
    }
  }
}
if (asJson) console.log(JSON.stringify(rows));

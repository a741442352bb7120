/**
 * `tsx bench/sg2260.ts [--json] [topology …]`: what the collectives of SCCL (its calls but send and recv; a barrier is an allreduce of
 * one element there), reducescatter and scan reach on four SG2260 chips, with buffers near the links and in DDR, 1 KiB … 1 GiB: time,
 * optimality, and the pipeline of bulks as docs/pipelining.md defines it. CPU seconds are those of whole processes (`npm run build` first).
 */
import { formatBytes, formatSeconds } from '../src/ir/units.ts';
import { measure } from './measure.ts';

const kinds = [
  ...['allgather', 'allreduce', 'alltoall', 'broadcast', 'gather', 'reduce', 'scatter'],
  ...['barrier', 'reducescatter', 'scan'],
];
const sizes = [2 ** 10, 2 ** 15, 2 ** 20, 2 ** 23, 2 ** 26, 2 ** 30];

interface Row {
  readonly topology: string;
  readonly collective: string;
  readonly size: number;
  readonly seconds: number;
  readonly optimality: number;
  readonly bulks: number;
  /** Of pipelines only. */
  readonly interval?: number;
  readonly fill?: number;
  readonly gain?: number;
  readonly binding?: string;
  readonly cpuSeconds: number;
}

function rowOf(topology: string, collective: string, size: number): Row {
  const sized = collective === 'barrier' ? [] : ['--size', String(size)];
  const { cpuSeconds, output } = measure(
    ['bin/ccc.js', 'compile', collective, '--topo', topology, ...sized, '--json'],
    1,
  );
  const { cost, bound, pipeline, bulks } = JSON.parse(output);
  return {
    ...{ topology, collective, size, seconds: cost.seconds, optimality: bound.optimality, bulks },
    ...{ interval: pipeline?.interval, fill: pipeline?.fill, gain: pipeline?.gain, binding: pipeline?.binding?.name },
    cpuSeconds,
  };
}

function textOf({ topology, collective, size, seconds, optimality, bulks, cpuSeconds, ...pipeline }: Row): string {
  const { interval, fill, gain, binding } = pipeline;
  const full = interval === undefined ? '' : `, II ${formatSeconds(interval)} (${binding ?? 'waits'})`;
  const filled = fill === undefined ? '' : `, fill ${formatSeconds(fill)}`;
  const gained = gain === undefined ? '' : `, gain ${gain.toFixed(3)}`;
  const what = `${topology} ${collective} ${formatBytes(size)}`;
  return `${what}: ${formatSeconds(seconds)}, optimality ${optimality.toFixed(3)}, k ${bulks}${full}${filled}${gained}; ${cpuSeconds.toFixed(2)} s CPU\n`;
}

const words = process.argv.slice(2);
const named = words.filter((word) => word !== '--json');
const rows: Row[] = [];
for (const topology of named.length > 0 ? named : ['sg2260x4', 'sg2260x4-ddr']) {
  for (const kind of kinds) {
    for (const size of kind === 'barrier' ? [0] : sizes) {
      const row = rowOf(topology, kind, size);
      rows.push(row);
      if (!words.includes('--json')) process.stdout.write(textOf(row));
    }
  }
}
if (words.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);

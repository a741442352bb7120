/** `tsx bench/tune.ts [topology …]`: CPU time of `ccc tune` over 21 sizes for each collective, whole processes. */
import { measure } from './measure.ts';

const kinds = [
  'allgather',
  'allreduce',
  'alltoall',
  'broadcast',
  'gather',
  'reduce',
  'reducescatter',
  'scan',
  'scatter',
];
const topologies = process.argv.length > 2 ? process.argv.slice(2) : ['sg2260x4'];
for (const topology of topologies) {
  for (const kind of kinds) {
    const { cpuSeconds, peakMiB, output } = measure(['bin/ccc.js', 'tune', kind, '--topo', topology, '--json'], 1);
    const { plans, sizes } = JSON.parse(output);
    const least = Math.min(...sizes.map((row: { optimality: number }) => row.optimality)).toFixed(3);
    const used = `${plans.length} plans, optimality ${least} or more`;
    process.stdout.write(
      `tune ${kind} on ${topology}: ${cpuSeconds.toFixed(2)} s CPU, ${peakMiB.toFixed(0)} MiB; ${used}\n`,
    );
  }
}

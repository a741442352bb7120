/**
 * `tsx bench/optimize.ts [topology …]`: what `ccc optimize` makes of every schedule that comes with ccc and fits the machine, for 1 MiB and
 * 64 MiB: time before and after, the bound, and CPU time. Nothing may come back slower or unproved.
 */

import { CccError, resolveTopology, verifyPlan } from '../src/index.ts';
import { defaultLimits } from '../src/ir/limits.ts';
import { formatBytes, formatSeconds } from '../src/ir/units.ts';
import { type OptimizeResult, optimize } from '../src/optimize/index.ts';
import { listShipped, loadScheduleFile } from '../src/read/index.ts';

const topologies = process.argv.length > 2 ? process.argv.slice(2) : ['sg2260x4', 'dgx1', 'torus:4x4', 'mi250'];
const sizes = [2 ** 20, 2 ** 26];

interface Row {
  readonly name: string;
  readonly result: OptimizeResult;
  readonly cpuSeconds: number;
}

/** Undefined where the schedule is not for this machine. */
async function optimized(name: string, topo: string, size: number): Promise<Row | undefined> {
  const common = {
    op: 'sum',
    ordered: false,
    inPlace: false,
    parameters: {},
    dtype: 'f32',
    limits: defaultLimits,
  } as const;
  const topology = resolveTopology(topo);
  const start = process.cpuUsage();
  try {
    const result = await optimize(loadScheduleFile(name).text, { ...common, root: 0, topology, size, solver: 'auto' });
    const { user, system } = process.cpuUsage(start);
    return { name, result, cpuSeconds: (user + system) / 1e6 };
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function reportRow({ name, result, cpuSeconds }: Row): void {
  const { before, seconds, bound, improvements } = result;
  const share = (time: number): string => (bound.seconds / time).toFixed(3);
  const done = improvements.map(({ what }) => what).join('; ') || 'nothing';
  process.stdout.write(
    `  ${name}: ${formatSeconds(before.seconds)} (${share(before.seconds)}) → ${formatSeconds(seconds)} (${share(seconds)}), ` +
      `${(before.seconds / seconds).toFixed(2)} times as fast, ${cpuSeconds.toFixed(1)} s CPU: ${done}\n`,
  );
}

/** Geometric means. */
function reportAll(rows: readonly Row[]): void {
  const optimality = (time: (result: OptimizeResult) => number): string => {
    const sum = rows.reduce((all, { result }) => all + Math.log(result.bound.seconds / time(result)), 0);
    return Math.exp(sum / rows.length).toFixed(3);
  };
  const cpuSeconds = rows.reduce((sum, row) => sum + row.cpuSeconds, 0);
  process.stdout.write(
    `  ${rows.length} schedules: optimality ${optimality(({ before }) => before.seconds)} before, ` +
      `${optimality(({ seconds }) => seconds)} after; ${cpuSeconds.toFixed(1)} s CPU\n`,
  );
}

for (const topo of topologies) {
  for (const size of sizes) {
    const rows: Row[] = [];
    process.stdout.write(`\n${topo}, ${formatBytes(size)}\n`);
    for (const name of listShipped('schedules')) {
      const row = name.endsWith('-barrier') ? undefined : await optimized(name, topo, size);
      if (row === undefined) continue;
      const { bundle, before, seconds } = row.result;
      const { verdict } = verifyPlan(bundle.proved.plan, { topology: resolveTopology(topo) });
      if (verdict !== 'correct' || seconds > before.seconds)
        throw new Error(`${name} on ${topo} came back ${verdict}, ${seconds} s`);
      rows.push(row);
      reportRow(row);
    }
    reportAll(rows);
  }
}

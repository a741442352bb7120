/**
 * `npm run bench:grid [-- --json] [-- --solver none] [-- topology …]`: how near to their bounds plans come, over collectives × machines ×
 * sizes. Prints the geometric mean of optimality (certified bound / simulated time) for each size and over all, the worst ten, and the CPU
 * time of every compile. Rounds by linear programming are part of it, as they are of `ccc compile`.
 */

import { searchDefaults, searchPlan } from '../src/index.ts';
import type { CollectiveKind } from '../src/ir/collective.ts';
import { optimality } from '../src/ir/report.ts';
import { ranksOf } from '../src/ir/topology.ts';
import { resolveTopology } from '../src/read/index.ts';
import { mayGainInRounds, withRounds } from '../src/search/in-rounds.ts';
import { loadSolver } from '../src/solver/index.ts';

const kinds: readonly CollectiveKind[] = [
  'allgather',
  'reducescatter',
  'allreduce',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'alltoall',
];
const sizes = { '1 KiB': 2 ** 10, '1 MiB': 2 ** 20, '1 GiB': 2 ** 30 } as const;
/** Shipped machines at sizes up to 64 ranks. */
const machines: readonly string[] = [
  'sg2260x4',
  'sg2260x4-ddr',
  'sg2260x8',
  'sg2260-cards',
  'dgx1',
  'dgx1-cluster',
  'dgx2',
  'a100',
  'a100:2',
  'h100:2',
  'mi250',
  'ring:5',
  'ring:16',
  'ring:64',
  'torus:4x4',
  'torus:3x5',
  'torus:8x8',
  'torus:4x4x4',
  'mesh:4x4',
  'mesh:8x8',
  'hypercube:4',
  'hypercube:6',
  'full:8',
  'full:32',
  'switch:8',
  'switch:64',
  'line:8',
  'tree',
  'fattree',
  'fattree3',
  'dragonfly',
  'routed-ring:8',
];

interface Cell {
  readonly kind: CollectiveKind;
  readonly topology: string;
  readonly size: string;
  readonly optimality: number;
  readonly engine: string;
  readonly plan: string;
  readonly bound: string;
  readonly cpuSeconds: number;
}

const solver = process.argv.includes('none') ? undefined : await loadSolver('auto');

function price(kind: CollectiveKind, name: string, size: keyof typeof sizes): Cell {
  const began = process.cpuUsage();
  const topology = resolveTopology(name);
  const collective = {
    kind,
    ranks: ranksOf(topology),
    chunks: 1,
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: false,
  } as const;
  const request = { ...searchDefaults, collective, topology, size: sizes[size] };
  const found = searchPlan(request);
  const { bundle } =
    solver !== undefined && mayGainInRounds(found, request) ? withRounds(found, request, solver) : found;
  const { user, system } = process.cpuUsage(began);
  return {
    kind,
    topology: name,
    size,
    optimality: optimality(bundle.bound.seconds, bundle.cost.seconds),
    engine: bundle.origin?.engine ?? '',
    plan: bundle.proved.plan.name,
    bound: bundle.bound.certificates[0]?.kind ?? 'none',
    cpuSeconds: (user + system) / 1e6,
  };
}

function geometricMean(cells: readonly Cell[]): number {
  return Math.exp(cells.reduce((sum, cell) => sum + Math.log(cell.optimality), 0) / cells.length);
}

function describe(cell: Cell): string {
  const what = `${cell.kind} on ${cell.topology}, ${cell.size}`;
  return `  ${cell.optimality.toFixed(3)}  ${what.padEnd(42)} ${cell.plan} (${cell.engine}; bound: ${cell.bound}; ${cell.cpuSeconds.toFixed(1)} s)`;
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-') && argument !== 'none');
const cells: Cell[] = [];
for (const topology of wanted.length > 0 ? wanted : machines) {
  for (const kind of kinds) {
    for (const size of ['1 KiB', '1 MiB', '1 GiB'] as const) {
      cells.push(price(kind, topology, size));
      if (process.stderr.isTTY) process.stderr.write(`\r${cells.length} compiled, ${topology} `.padEnd(60));
    }
  }
}
if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(cells, null, 2)}\n`);
} else {
  const worst = [...cells].sort((a, b) => a.optimality - b.optimality);
  const slowest = [...cells].sort((a, b) => b.cpuSeconds - a.cpuSeconds);
  const lines = [
    `${cells.length} compiles, geometric mean of optimality ${geometricMean(cells).toFixed(4)}`,
    ...Object.keys(sizes).map((size) => `  ${size}: ${geometricMean(cells.filter((c) => c.size === size)).toFixed(4)}`),
    ...kinds.map((kind) => `  ${kind}: ${geometricMean(cells.filter((c) => c.kind === kind)).toFixed(4)}`),
    `worst ${Math.min(10, worst.length)}:`,
    ...worst.slice(0, process.argv.includes('--all') ? undefined : 10).map(describe),
    `slowest five, CPU seconds:`,
    ...slowest.slice(0, 5).map(describe),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

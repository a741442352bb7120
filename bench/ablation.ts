/**
 * `npm run bench:ablation [-- --sample N] [-- --seed S] [-- --ranks R] [-- --by engine|way] [-- --effort quick|full] [-- --kinds K,…] [-- --families F,…] [-- --json] [-- --plain]`: what each
 * engine earns. Requests are drawn (machines of `topologies/` with random parameters, whole and broken, and random graphs); each is compiled, then compiled again
 * without the engine that had the best plan. Prints what the geometric mean of optimality loses by each engine, over all rows and by family of machines.
 * `--by way` leaves out one way of an engine instead, as its plans are called; `--plain` leaves nothing out, to compare two versions row by row.
 */
import { parseArgs } from 'node:util';
import {
  type CollectiveKind,
  type CompileRequest,
  optimality,
  searchDefaults,
  searchPlan,
  type Topology,
} from '../src/index.ts';
import type { Effort } from '../src/ir/effort.ts';
import { Random } from '../src/ir/random.ts';
import { ranksOf } from '../src/ir/topology.ts';
import { drawnFrom, type Family, randomGraph, shippedFamilies } from './drawn-machines.ts';

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string', default: '150' },
    seed: { type: 'string', default: '20' },
    ranks: { type: 'string', default: '32' },
    by: { type: 'string', default: 'engine' },
    effort: { type: 'string', default: 'full' },
    kinds: { type: 'string' },
    families: { type: 'string' },
    json: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
  },
});
const [sample, seed, mostRanks] = [options.sample, options.seed, options.ranks].map(Number);
if (![sample, seed, mostRanks].every(Number.isInteger))
  throw new Error('--sample, --seed and --ranks are whole numbers');
if (options.by !== 'engine' && options.by !== 'way') throw new Error('--by is engine or way');
const effort: Effort = options.effort === 'quick' ? 'quick' : 'full';

const allKinds: readonly CollectiveKind[] = [
  'allgather',
  'reducescatter',
  'allreduce',
  'alltoall',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'scan',
];
const kinds =
  options.kinds === undefined ? allKinds : allKinds.filter((kind) => options.kinds?.split(',').includes(kind));
const families =
  options.families === undefined
    ? shippedFamilies
    : shippedFamilies.filter(([name]) => options.families?.split(',').includes(name));
const smallest = 10;
const largest = 30;

interface Request {
  readonly family: string;
  readonly topology: Topology;
  readonly kind: CollectiveKind;
  readonly root: number;
  readonly size: number;
}

interface Row {
  readonly what: string;
  readonly family: string;
  readonly optimality: number;
  readonly engine: string;
  readonly plan: string;
  readonly cpuSeconds: number;
  /** Of the best plan that is not the engine's, or not made in that way; 0 where there is none. */
  readonly without: number;
}

/** Of every four machines two are whole, one has lost a link or a chip, and one is a graph. */
function drawn(random: Random, index: number): Request | undefined {
  const [family, name]: Family = families[random.below(families.length)];
  const isGraph = index % 4 === 3;
  const loss = index % 4 === 2 ? (random.below(3) === 0 ? 'chip' : 'link') : 'none';
  const topology = isGraph ? randomGraph(random) : drawnFrom(name(random), random, loss)?.topology;
  if (topology === undefined || ranksOf(topology) > mostRanks) return undefined;
  return {
    family: isGraph ? 'graphs' : family,
    topology,
    kind: kinds[random.below(kinds.length)],
    root: random.below(ranksOf(topology)),
    size: 2 ** (smallest + random.below(largest - smallest + 1)),
  };
}

/** One way of an engine: what its plans are called, without numbers and kinds. */
function wayOf(name: string): string {
  return name
    .replace(/, sized$/, '')
    .replaceAll(/\d+/g, '#')
    .replaceAll(new RegExp(allKinds.join('|'), 'g'), '*');
}

function compiled({ topology, kind, root, size }: Request, admits?: CompileRequest['admits']) {
  const ranks = ranksOf(topology);
  const collective = { kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false } as const;
  return searchPlan({ ...searchDefaults, collective, topology, size, effort, admits });
}

function measured(request: Request): Row {
  const began = process.cpuUsage();
  const { bundle, candidates } = compiled(request);
  const { user } = process.cpuUsage(began);
  const [{ name, engine }] = candidates;
  const best = optimality(bundle.bound.seconds, bundle.cost.seconds);
  const { topology, kind, size, family } = request;
  return {
    what: `${kind} of ${size} on ${topology.name}`,
    family,
    optimality: best,
    engine,
    plan: name,
    cpuSeconds: user / 1e6,
    without: options.plain ? best : without(request, name, engine),
  };
}

function without(request: Request, best: string, winner: string): number {
  const isSame = (name: string, engine: string): boolean =>
    engine === winner && (options.by === 'engine' || wayOf(name) === wayOf(best));
  try {
    const { bundle } = compiled(request, ({ name, origin }) => !isSame(name, origin.engine));
    return optimality(bundle.bound.seconds, bundle.cost.seconds);
  } catch {
    return 0;
  }
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function grouped(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function summary(rows: readonly Row[]): string {
  const lines = [
    `${rows.length} rows, geometric mean of optimality ${geometricMean(rows.map((row) => row.optimality)).toFixed(4)}`,
  ];
  const nameOf = ({ engine, plan }: Row): string => (options.by === 'engine' ? engine : `${engine}: ${wayOf(plan)}`);
  const losers = grouped(rows, nameOf);
  const lossOver = (some: readonly Row[], name: string): number =>
    1 - geometricMean(some.map((row) => (nameOf(row) === name && row.without > 0 ? row.without / row.optimality : 1)));
  const ordered = [...losers.keys()].sort((a, b) => lossOver(rows, b) - lossOver(rows, a));
  for (const name of ordered) {
    const best = losers.get(name) ?? [];
    const alone = best.filter((row) => row.without === 0).length;
    lines.push(
      `${name}: without it ${percent(lossOver(rows, name))} less; best in ${best.length} rows, by ${percent(lossOver(best, name))} there` +
        (alone > 0 ? `, the only one in ${alone}` : ''),
    );
    for (const [family, some] of grouped(rows, (row) => row.family)) {
      const loss = lossOver(some, name);
      if (loss > 0.01) lines.push(`  ${percent(loss)} on ${family} (${some.length} rows)`);
    }
  }
  return lines.join('\n');
}

const random = new Random(seed);
const rows: Row[] = [];
while (rows.length < sample) {
  const request = drawn(random, rows.length);
  if (request === undefined) continue;
  const row = measured(request);
  rows.push(row);
  if (options.json) process.stdout.write(`${JSON.stringify(row)}\n`);
  else if (process.stderr.isTTY) process.stderr.write(`\r${rows.length} of ${sample} `);
}
if (!options.json) process.stdout.write(`${summary(rows)}\n`);

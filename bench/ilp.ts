/**
 * `npm run bench:ilp [-- --sample N] [-- --seed S] [-- --json]`: what rounds by linear programming earn (docs/ilp.md). Requests of 5 to 16
 * ranks and 64 KiB to 4 MiB are drawn: machines of `topologies/`, whole and broken, and random graphs. Each is compiled, and then the stage is
 * run on what was found. Prints the rows that get faster, and how many of each collective do and by how much in geometric mean.
 */
import { parseArgs } from 'node:util';
import { type CollectiveKind, type CompileRequest, searchDefaults, searchPlan, type Topology } from '../src/index.ts';
import { Random } from '../src/ir/random.ts';
import { ranksOf } from '../src/ir/topology.ts';
import { mayGainInRounds, withRounds } from '../src/search/in-rounds.ts';
import { loadSolver } from '../src/solver/index.ts';
import { drawnFrom, randomGraph, shippedFamilies } from './drawn-machines.ts';
import { drawnKinds } from './drawn-requests.ts';

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '47' },
    json: { type: 'boolean', default: false },
  },
});
const [sample, seed] = [options.sample, options.seed].map(Number);

const kinds = drawnKinds.filter((kind) => kind !== 'exscan');
const [fewestRanks, mostRanks] = [5, 16];

interface Row {
  readonly what: string;
  readonly kind: CollectiveKind;
  /** Of the best plan before and after, over their bound. */
  readonly before: number;
  readonly after: number;
  readonly gain: number;
  readonly compileCpu: number;
  readonly stageCpu: number;
}

/** Of every three machines one is whole, one has lost a link or a chip, and one is a graph. */
function drawnMachine(random: Random, index: number): Topology | undefined {
  if (index % 3 === 0) return randomGraph(random);
  const loss = index % 3 === 1 ? (random.below(3) === 0 ? 'chip' : 'link') : 'none';
  const [, name] = shippedFamilies[random.below(shippedFamilies.length)];
  return drawnFrom(name(random), random, loss)?.topology;
}

function drawnRequests(): CompileRequest[] {
  const random = new Random(seed);
  const requests: CompileRequest[] = [];
  for (let index = 0; requests.length < sample; index++) {
    const topology = drawnMachine(random, index);
    if (topology === undefined || ranksOf(topology) < fewestRanks || ranksOf(topology) > mostRanks) continue;
    const ranks = ranksOf(topology);
    const kind = kinds[random.below(kinds.length)];
    const root = random.below(ranks);
    const collective = { kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false } as const;
    requests.push({ ...searchDefaults, collective, topology, size: 2 ** (16 + random.below(7)) });
  }
  return requests;
}

const solver = await loadSolver('auto');

function rowOf(request: CompileRequest): Row {
  const { collective, topology, size } = request;
  const cpu = (): number => process.cpuUsage().user / 1e6;
  const start = cpu();
  const found = searchPlan(request);
  const middle = cpu();
  const best = mayGainInRounds(found, request) ? withRounds(found, request, solver) : found;
  const end = cpu();
  const seconds = (result: typeof found): number => result.bundle.cost.seconds;
  const bound = best.bundle.bound.seconds;
  return {
    what: `${collective.kind} ${topology.name} ${size / 1024} KiB`,
    kind: collective.kind,
    before: bound / seconds(found),
    after: bound / seconds(best),
    gain: seconds(found) / seconds(best),
    compileCpu: middle - start,
    stageCpu: end - middle,
  };
}

const rows: Row[] = [];
for (const request of drawnRequests()) {
  const row = rowOf(request);
  rows.push(row);
  if (options.json) process.stdout.write(`${JSON.stringify(row)}\n`);
  else if (row.gain > 1)
    process.stdout.write(
      `${row.what}: optimality ${row.before.toFixed(3)} → ${row.after.toFixed(3)}, ${row.gain.toFixed(3)} times as fast; ` +
        `${row.compileCpu.toFixed(1)} + ${row.stageCpu.toFixed(1)} s CPU\n`,
    );
}

const geometricMean = (values: readonly number[]): string =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / Math.max(1, values.length)).toFixed(3);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

if (!options.json) {
  process.stdout.write('\n| collective | rows | faster | by, geometric mean |\n| --- | --- | --- | --- |\n');
  for (const kind of [undefined, ...kinds]) {
    const own = rows.filter((row) => kind === undefined || row.kind === kind);
    const faster = own.filter(({ gain }) => gain > 1).map(({ gain }) => gain);
    process.stdout.write(`| ${kind ?? 'all'} | ${own.length} | ${faster.length} | ${geometricMean(faster)} |\n`);
  }
  const most = Math.max(...rows.map(({ compileCpu, stageCpu }) => compileCpu + stageCpu));
  process.stdout.write(
    `optimality of all rows ${geometricMean(rows.map(({ before }) => before))} → ${geometricMean(rows.map(({ after }) => after))}; ` +
      `CPU ${sum(rows.map(({ compileCpu }) => compileCpu)).toFixed(0)} + ${sum(rows.map(({ stageCpu }) => stageCpu)).toFixed(0)} s, ` +
      `at most ${most.toFixed(1)} s a row\n`,
  );
}

/**
 * `npm run bench:fidelity -- FOLDER [CLUSTER [ROW]]`: how near predicted times come to measured ones, on public data that is not part of ccc (docs/fidelity.md). FOLDER holds
 * the folders `examples/scripts/sc24-csv` and `examples/xml` of dailiuyao/msccl_tools_lyd, branch algorithm-lyd-tmp. Nothing is fetched.
 */
import '../src/host/node.ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Calibration,
  type Configuration,
  calibrate,
  errorsOf,
  type Prediction,
  splitOf,
  subjectsOf,
  valueText,
} from '../src/calibrate/index.ts';
import { CccError } from '../src/ir/diagnostic.ts';
import { defaultLimits } from '../src/ir/limits.ts';
import { Routes } from '../src/ir/routes.ts';
import { type Topology, withProtocol } from '../src/ir/topology.ts';
import type { Seconds } from '../src/ir/units.ts';
import { simulate } from '../src/model/index.ts';
import { resolveTopology } from '../src/read/index.ts';
import type { Measurement } from '../src/read/measurements/index.ts';

interface Cluster {
  readonly name: string;
  readonly csv: string;
  /** Topology file beside this one, and GPUs of one box. */
  readonly topology: string;
  readonly gpusPerBox: number;
  readonly boxes: number;
  readonly fitted: number;
  plan(row: Row): string;
  /** The machine as ccc has it, for times without any fitting. */
  readonly shipped?: () => Topology;
}

type Row = Readonly<Record<string, string>>;

const h100 = (boxes: number): Cluster => ({
  name: `H100 cluster, ${boxes} boxes`,
  csv: 'aws/4-3-mega-dataset.csv',
  topology: 'h100-cluster',
  gpusPerBox: 8,
  boxes,
  fitted: 5,
  plan: (row) => `aws-test/32nic/${fileOf(row)}`,
  shipped: () => withPlugin(withProtocol(resolveTopology(`h100:${boxes}`), 'Simple')),
});

const clusters: readonly Cluster[] = [
  h100(4),
  h100(2),
  {
    name: 'A100 cluster, 4 boxes',
    csv: 'polaris/mega-dataset-polaris.csv',
    topology: 'a100-cluster',
    gpusPerBox: 4,
    boxes: 4,
    fitted: 5,
    plan: (row) => `${row.algorithm.replace('-', '_')}/${fileOf(row)}`,
  },
];

/** What NCCL's network plugin for this cloud says of itself. */
const pluginLatency: Seconds = 75e-6;

/** A machine whose network plugin has a latency of its own, which holds the connection as well. */
function withPlugin(topology: Topology): Topology {
  const links = topology.links.map((link) => {
    const { lane } = link;
    if (lane?.buffered !== true) return link;
    // A route between boxes takes two of these links.
    const latency = (lane.latency ?? link.latency) + pluginLatency / 2;
    return { ...link, latency, lane: { ...lane, latency, gap: pluginLatency } };
  });
  return { ...topology, links };
}

/** MiB of a connection's buffer, of which the slices of `Simple` are those that ccc takes. */
const bufferSize = '4';
/** Longer algorithms are left out, so that the whole takes minutes. */
const mostBytes = 2_000_000;

function fileOf({ algorithm, num_nodes, num_gpus, num_channels, num_chunks }: Row): string {
  return `allreduce_${algorithm}_node${num_nodes}_gpu${num_gpus}_mcl${num_channels}_mck${num_chunks}_gan0.xml`;
}

function rowsOf(folder: string, { csv }: Cluster): readonly Row[] {
  const [head, ...lines] = readFileSync(join(folder, 'examples/scripts/sc24-csv', csv), 'utf8')
    .trim()
    .split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.trim().split(',');
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  });
}

async function configurationsOf(folder: string, cluster: Cluster): Promise<readonly Configuration[]> {
  const topology = resolveTopology(
    `${new URL(`./fidelity/${cluster.topology}.yaml`, import.meta.url).pathname}:${cluster.boxes}`,
  );
  const byPlan = new Map<string, Measurement[]>();
  const left = new Set<string>();
  for (const row of rowsOf(folder, cluster)) {
    if (row.buffer_size !== bufferSize || Number(row.num_nodes) !== cluster.boxes) continue;
    const path = join(folder, 'examples/xml/xml_lyd', cluster.plan(row));
    if (!existsSync(path) || statSync(path).size === 0 || statSync(path).size > mostBytes) {
      left.add(path);
      continue;
    }
    const place = { source: { name: cluster.csv, text: '' }, start: 0, end: 0 };
    const seconds = Number(row.ip_time) * 1e-6;
    if (!(seconds > 0)) continue;
    const known = byPlan.get(path) ?? [];
    byPlan.set(path, known);
    const said = { plan: path, protocol: 'Simple', counted: 'message', inPlace: true, place } as const;
    known.push({ ...said, size: Number(row.message_size), seconds });
  }
  const configurations: Configuration[] = [];
  const wrong: string[] = [];
  for (const measurements of byPlan.values()) {
    const table = { measurements, collective: undefined, date: undefined, notes: [] };
    const request = {
      plan: undefined,
      protocol: undefined,
      unverified: false,
      limits: defaultLimits,
      machine: () => topology,
    };
    try {
      const subjects = await subjectsOf([{ table, planFile: (name) => name }], request);
      configurations.push(...subjects.configurations);
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'unproved') throw error;
      wrong.push(measurements[0].plan?.split('/').at(-1) ?? '');
    }
  }
  console.log(
    `${configurations.length} configurations; ${left.size} not there or too long; not proved: ${wrong.join(', ') || 'none'}`,
  );
  return configurations;
}

function row(name: string, predictions: readonly Prediction[]): void {
  const { points, median, p90, rankCorrelation, meanRegret } = errorsOf(predictions);
  const percent = (part: number | undefined): string => (part === undefined ? '–' : `${(100 * part).toFixed(1)} %`);
  console.log(
    `| ${name} | ${points} | ${percent(median)} | ${percent(p90)} | ${rankCorrelation?.toFixed(3) ?? '–'} | ${percent(meanRegret)} |`,
  );
}

async function fittedTo(fitted: readonly Configuration[], left: readonly Configuration[]): Promise<Calibration> {
  const fix = new Map<string, number>();
  return calibrate({ fitted, left, fit: undefined, fix, shouldStop: () => false, onProgress: () => {} });
}

/** Tells of one row, and prints it. */
type Judge = (configurations: readonly Configuration[], cluster: Cluster) => void | Promise<void>;

function shippedAlone(configurations: readonly Configuration[], { shipped }: Cluster): void {
  if (shipped === undefined) return;
  const routes = Routes.of(shipped());
  const predictions = configurations.flatMap((configuration) =>
    configuration.times.map(({ size, seconds }): Prediction => {
      const predicted = simulate(configuration.plan, routes, size).seconds;
      return { configuration, size, measured: seconds, predicted };
    }),
  );
  row('shipped constants only', predictions);
}

const drawn =
  (seed: number): Judge =>
  async (configurations, cluster) => {
    const { fitted, left } = splitOf(configurations, configurations.length - cluster.fitted, seed);
    const found = await fittedTo(fitted, left);
    const unseen = found.unseen ?? [];
    row(`${fitted.length} fitted (seed ${seed}), ${left.length} judged`, unseen);
    row('the same, all in one race', [...unseen, ...found.own]);
    row('the same by links alone, fitted', found.plain ?? []);
    row('the same by a + bM for each, fitted', found.floor);
    const texts = found.parameters.map(
      ({ parameter, value, knowledge }) =>
        `${parameter.name} ${valueText(parameter.unit, value)}${knowledge === 'calibrated' ? '' : ` (${knowledge})`}`,
    );
    console.error(texts.join(', '));
  };

async function fifths(configurations: readonly Configuration[]): Promise<void> {
  row('a fifth left out at a time', (await fittedTo(configurations, [])).unseen ?? []);
}

async function acrossKinds(configurations: readonly Configuration[]): Promise<void> {
  const isRing = ({ name }: Configuration): boolean => name.includes('_ring_');
  const [trees, rings] = [configurations.filter((each) => !isRing(each)), configurations.filter(isRing)];
  const { unseen } = await fittedTo(trees, rings);
  row(`trees → rings: ${trees.length} fitted, ${rings.length} judged`, unseen ?? []);
}

const judges: ReadonlyMap<string, Judge> = new Map([
  ['shipped', shippedAlone],
  ...[0, 1, 2].map((seed) => [`seed-${seed}`, drawn(seed)] as const),
  ['fifths', fifths],
  ['trees', acrossKinds],
]);

async function judge(folder: string, cluster: Cluster, wanted: string | undefined): Promise<void> {
  console.log(`\n## ${cluster.name}, buffers of ${bufferSize} MiB\n`);
  const configurations = await configurationsOf(folder, cluster);
  console.log('\n| | times | median | p90 | rank corr. | mean regret |\n| --- | --- | --- | --- | --- | --- |');
  for (const [name, each] of judges) if (wanted === undefined || name === wanted) await each(configurations, cluster);
}

const [folder, only = '', wanted] = process.argv.slice(2);
if (folder === undefined || !existsSync(join(folder, 'examples/scripts/sc24-csv'))) {
  const names = clusters.map(({ name }) => `'${name}'`).join(', ');
  console.error(
    `usage: npm run bench:fidelity -- FOLDER [CLUSTER [${[...judges.keys()].join('|')}]], with examples/scripts/sc24-csv and examples/xml of the public data in it; clusters, by how they begin: ${names}`,
  );
  process.exitCode = 2;
} else {
  for (const cluster of clusters) if (cluster.name.startsWith(only)) await judge(folder, cluster, wanted);
}

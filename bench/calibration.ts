/**
 * `npm run bench:calibration [-- --machines N] [-- --seed S] [-- --noise PERCENT]`: how near a calibration comes on boxes that are drawn. Their times come from numbers
 * that nobody tells it and from effects that its model does not have. Six of 48 configurations are fitted, the others judged. Beside each row stand
 * the model with the true numbers, which no fit can be expected to pass, and who knows the times without noise: no model has less regret.
 */
import '../src/host/node.ts';
import { parseArgs } from 'node:util';
import { type Configuration, calibrate, errorsOf, type Prediction, splitOf } from '../src/calibrate/index.ts';
import { defaultLimits } from '../src/ir/limits.ts';
import type { Plan } from '../src/ir/plan.ts';
import { Random } from '../src/ir/random.ts';
import { Routes } from '../src/ir/routes.ts';
import { type Topology, withTiming } from '../src/ir/topology.ts';
import { importPlan } from '../src/jobs/convert.ts';
import { simulate } from '../src/model/index.ts';
import { loadScheduleFile, resolveTopology } from '../src/read/index.ts';

const { values: options } = parseArgs({
  options: {
    machines: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    noise: { type: 'string', default: '2' },
  },
});

const ranks = 8;
const fitted = 6;
const sizes = Array.from({ length: 9 }, (_, index) => 4 ** index * 4096);
const algorithms: readonly (readonly [string, readonly number[]])[] = [
  ['ring-allreduce', [8, 32]],
  ['bidirectional-ring-allreduce', [16, 64]],
  ['double-binary-tree-allreduce', [2, 32]],
  ['binary-tree-allreduce', [1, 16]],
  ['full-mesh-allreduce', [8, 32]],
  ['rabenseifner-allreduce', [8, 32]],
  ['recursive-doubling-allreduce', [1, 8]],
  ['reduce-broadcast-allreduce', [1, 8]],
];

type Range = readonly [least: number, most: number];

/** Numbers of a protocol, or what they are between. */
interface Drawn {
  readonly launch: Range;
  readonly overhead: Range;
  readonly bandwidth: Range;
  readonly visible: number;
  readonly slice: number;
  readonly inflight: number;
}

const protocols: Readonly<Record<string, Drawn>> = {
  LL: { launch: [3e-6, 9e-6], overhead: [5e-7, 2e-6], bandwidth: [2e9, 6e9], visible: 1, slice: 2 ** 14, inflight: 8 },
  LL128: {
    launch: [4e-6, 1e-5],
    overhead: [6e-7, 2e-6],
    bandwidth: [1e10, 3e10],
    visible: 1,
    slice: 30_720,
    inflight: 8,
  },
  Simple: {
    launch: [6e-6, 2e-5],
    overhead: [1e-6, 4e-6],
    bandwidth: [1e10, 4e10],
    visible: 0.5,
    slice: 2 ** 20,
    inflight: 2,
  },
};

async function plans(): Promise<readonly Plan[]> {
  const found: Plan[] = [];
  for (const [name, chunkCounts] of algorithms) {
    for (const chunks of chunkCounts) {
      const asked = { root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, ranks, chunks } as const;
      const { plan } = await importPlan(loadScheduleFile(name).text, { ...asked, limits: defaultLimits });
      found.push({ ...plan, name: `${name} ${chunks}` });
    }
  }
  return found;
}

function uniform(random: Random): number {
  return random.next() / 2 ** 32;
}

/** Of mean 0 and deviation 1 (Box and Muller, 1958). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - uniform(random))) * Math.cos(2 * Math.PI * uniform(random));
}

/** What a box takes: its numbers, and what no model of lanes has. */
interface Box {
  readonly known: Topology;
  readonly seconds: (plan: Plan, protocol: string, size: number) => number;
  /** The part of them that the model has. */
  readonly modelled: (plan: Plan, protocol: string, size: number) => number;
}

function boxOf(random: Random): Box {
  const known = resolveTopology(random.below(2) === 0 ? `full:${ranks}` : 'h100:1');
  const between = (least: number, most: number): number => least * (most / least) ** uniform(random);
  const [slower, later] = [between(0.4, 1.2), between(0.5, 4)];
  const links = known.links.map((link) => ({
    ...link,
    bandwidth: link.bandwidth * slower,
    latency: link.latency * later,
  }));
  const [perLane, sag, local, visible, cut] = [
    between(2e-8, 2e-7),
    between(1, 1.2),
    between(2, 8),
    between(0.5, 1),
    between(0.5, 2),
  ];
  const machines = new Map(
    Object.entries(protocols).map(([name, { launch, overhead, bandwidth, visible: seen, slice, inflight }]) => {
      const [o, b] = [between(...overhead), between(...bandwidth)];
      const lane = {
        overhead: o,
        bandwidth: b,
        visible: seen * visible,
        slice: Math.round(slice * cut),
        local: { overhead: o / 2, bandwidth: local * b },
      };
      return [name, Routes.of(withTiming({ ...known, links }, { launch: between(...launch), inflight, lane }))];
    }),
  );
  const own = new Map<string, number>();
  const modelled: Box['modelled'] = (plan, protocol, size) => {
    const routes = machines.get(protocol);
    if (routes === undefined) throw new Error(`no ${protocol}`);
    return simulate(plan, routes, size).seconds;
  };
  return {
    known,
    modelled,
    seconds: (plan, protocol, size) => {
      const key = `${plan.name} ${protocol}`;
      const factor = own.get(key) ?? Math.exp(0.03 * normal(random));
      own.set(key, factor);
      const lanes = perLane * (plan.laneId.length / ranks);
      return (modelled(plan, protocol, size) * factor + lanes) * (size > 2 ** 26 ? sag : 1);
    },
  };
}

function percent(part: number | undefined): string {
  return part === undefined ? '–' : `${(100 * part).toFixed(1)} %`;
}

async function judged(seed: number, all: readonly Plan[], noise: number): Promise<void> {
  const random = new Random(seed);
  const { known, seconds, modelled } = boxOf(random);
  const quiet = new Map<Configuration, ReadonlyMap<number, number>>();
  const configurations = all.flatMap((plan) =>
    Object.keys(protocols).map((protocol): Configuration => {
      const exact = new Map(sizes.map((size) => [size, seconds(plan, protocol, size)]));
      const times = sizes.map((size) => ({ size, seconds: (exact.get(size) ?? 0) * Math.exp(noise * normal(random)) }));
      const name = `${plan.name} ${protocol}`;
      const configuration = { name, plan, topology: known, collective: plan.collective.kind, ranks, protocol, times };
      quiet.set(configuration, exact);
      return configuration;
    }),
  );
  const split = splitOf(configurations, configurations.length - fitted, seed);
  const request = { fit: undefined, fix: new Map(), shouldStop: () => false, onProgress: () => {} };
  const { user } = process.cpuUsage();
  const { unseen = [] } = await calibrate({ ...split, ...request });
  const cpu = (process.cpuUsage().user - user) / 1e6;
  const { median, p90, rankCorrelation, medianRegret } = errorsOf(unseen);
  const knowing = errorsOf(
    unseen.map((each): Prediction => ({ ...each, predicted: quiet.get(each.configuration)?.get(each.size) ?? 0 })),
  );
  const truth = errorsOf(
    unseen.map((each): Prediction => {
      const { plan, protocol = '' } = each.configuration;
      return { ...each, predicted: modelled(plan, protocol, each.size) };
    }),
  );
  const cells = [known.name, percent(median), percent(p90), rankCorrelation?.toFixed(3), percent(medianRegret)];
  const numbers = [percent(truth.median), percent(truth.p90), truth.rankCorrelation?.toFixed(3)];
  const best = [...numbers, knowing.rankCorrelation?.toFixed(3), percent(knowing.medianRegret)];
  console.log(`| ${seed} ${cells.join(' | ')} | ${best.join(' | ')} | ${cpu.toFixed(1)} s |`);
}

console.log(
  '| box | median | p90 | rank correlation | median regret | true numbers: median | p90 | rank correlation | of who knows: rank correlation | median regret | CPU |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
const all = await plans();
for (let index = 0; index < Number(options.machines); index++) {
  await judged(Number(options.seed) + index, all, Number(options.noise) / 100);
}

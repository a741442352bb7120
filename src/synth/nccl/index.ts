/**
 * The NCCL engine: the algorithms that NCCL would run, for comparison. Rings in channels (`nccl-ring`), and double
 * binary trees of boxes whose ranks form chains (`nccl-tree`), either read from a graph file (`NCCL_GRAPH_DUMP_FILE`)
 * or found as NCCL's own search would on the machine's links. Limits: boxes of equal size; NVLS and CollNet are not
 * modelled.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { ranksOf } from '../../ir/topology.ts';
import {
  chunkUnit,
  inChannels,
  loadScheduleFile,
  type NcclGraphs,
  nearestNames,
  type ScheduleRequest,
} from '../../read/index.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { maxMessages } from '../limits.ts';
import { ringChannels } from './channels.ts';

/** The names for `--algorithm`. */
export const ncclAlgorithms = ['nccl-ring', 'nccl-tree'] as const;
type NcclAlgorithm = (typeof ncclAlgorithms)[number];

/** The schedule that each channel runs; other collectives are pairwise in NCCL. NCCL's slices are bulks here. */
const schedules: Readonly<Record<NcclAlgorithm, Partial<Readonly<Record<CollectiveKind, string>>>>> = {
  'nccl-ring': {
    allgather: 'ring-allgather',
    reducescatter: 'ring-reducescatter',
    allreduce: 'ring-allreduce',
    broadcast: 'chain-broadcast',
    reduce: 'chain-reduce',
  },
  'nccl-tree': { allreduce: 'double-binary-tree-allreduce' },
};

/** The schedule that one channel of an algorithm runs; undefined if NCCL has none for the collective. */
export function ncclScheduleFor(name: NcclAlgorithm, kind: CollectiveKind): string | undefined {
  return schedules[name][kind];
}

export const ncclEngine: Engine = {
  name: 'nccl',
  about: "NCCL's rings and double binary trees in channels, to compare with (nccl-ring, nccl-tree)",
  onRequest: true,
  propose,
};

/** The order in which the channels of one algorithm visit the ranks. */
interface Channels {
  readonly orders: readonly (readonly number[])[];
  /** Parameters of the schedule. */
  readonly parameters: Readonly<Record<string, number>>;
}

function* propose(problem: Problem): Iterable<Proposal> {
  const { algorithm, collective, ncclGraphs, parameters } = problem;
  const unknown = Object.keys(parameters).find((name) => name !== 'box');
  if (unknown !== undefined)
    throw new CccError('unknown-name', `the engine nccl has no parameter '${unknown}'; it has box`);
  // If a graph file is given, `algorithm` is its name, and it contains both rings and trees.
  const named = ncclAlgorithms.filter((name) => name === algorithm);
  const wanted = named.length === 0 && (algorithm === undefined || ncclGraphs !== undefined) ? ncclAlgorithms : named;
  if (wanted.length === 0) {
    const known = nearestNames(algorithm ?? '', ncclAlgorithms);
    throw new CccError('unknown-name', `the engine nccl has no '${algorithm}'; ${known}`);
  }
  for (const name of wanted) {
    const schedule = ncclScheduleFor(name, collective.kind);
    if (schedule === undefined) {
      yield dismissed(name, `NCCL has none for ${collective.kind}`);
      continue;
    }
    const channels = ncclGraphs === undefined ? searched(name, problem) : fromGraphs(name, problem, ncclGraphs);
    yield typeof channels === 'string' ? dismissed(name, channels) : proposal(name, schedule, channels, problem);
  }
}

/** Boxes as the topology declares them, or of the requested size. */
function searched(name: NcclAlgorithm, { routes, parameters: { box } }: Problem): Channels | string {
  const ranks = ranksOf(routes.topology);
  if (box !== undefined && (box < 1 || ranks % box !== 0)) return `boxes of ${box} do not divide ${ranks} ranks`;
  const { groups } = routes.topology;
  const areDeclared = box === undefined && groups.reduce((sum, { length }) => sum + length, 0) >= ranks;
  const boxes = areDeclared ? groups : inBoxes(ranks, box ?? ranks);
  if (boxes.some(({ length }) => length !== boxes[0].length)) return 'boxes have different numbers of ranks';
  return { orders: ringChannels(routes, boxes), parameters: name === 'nccl-tree' ? { box: boxes[0].length } : {} };
}

function inBoxes(ranks: number, size: number): readonly (readonly number[])[] {
  return Array.from({ length: ranks / size }, (_, box) => Array.from({ length: size }, (_unused, i) => box * size + i));
}

/** Every box uses the channels of the file, which describes one host; all hosts are assumed equal. */
function fromGraphs(name: NcclAlgorithm, { routes, parameters }: Problem, graphs: NcclGraphs): Channels | string {
  const ranks = ranksOf(routes.topology);
  const { gpus, rings, trees } = graphs;
  if (parameters.box !== undefined && parameters.box !== gpus)
    return `the file has boxes of ${gpus}, not of ${parameters.box}`;
  if (ranks % gpus !== 0) return `the file is of a host with ${gpus} GPUs, which do not divide ${ranks} ranks`;
  const orders = name === 'nccl-ring' ? rings : trees?.orders;
  if (orders === undefined) return 'the file has no channels of that kind';
  const boxes = inBoxes(ranks, gpus);
  return {
    orders: orders.map((order) => boxes.flatMap((box) => order.map((place) => box[place]))),
    parameters: name === 'nccl-tree' && trees !== undefined ? { box: gpus, pattern: trees.pattern } : {},
  };
}

function proposal(name: NcclAlgorithm, schedule: string, channels: Channels, problem: Problem): Proposal {
  const { collective, limits, chunks } = problem;
  const { ranks, root, op, ordered, inPlace } = collective;
  const { orders, parameters } = channels;
  const file = loadScheduleFile(schedule);
  const request: ScheduleRequest = { ranks, root, op, ordered, inPlace, parameters, limits };
  if (ordered) return dismissed(name, 'needs an operator that commutes');
  const unit = chunkUnit(file, request) * orders.length;
  if (chunks !== undefined && chunks % unit !== 0) {
    return dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  }
  const messages = orders.length * (name === 'nccl-ring' ? ringMessages(collective.kind, ranks) : 4 * ranks);
  if (messages > maxMessages)
    return dismissed(name, `${messages} messages are more than are priced to compare (${maxMessages})`);
  const ofOne = (chunks ?? unit) / orders.length;
  const candidate: Candidate = {
    name,
    origin: { engine: ncclEngine.name, schedule: name, channels: orders.length },
    build: (multiple) => ({ ...inChannels(file, { ...request, chunks: ofOne * multiple }, orders), name }),
  };
  return { kind: 'candidate', candidate };
}

function ringMessages(kind: CollectiveKind, ranks: number): number {
  if (kind === 'allreduce') return 2 * ranks * (ranks - 1);
  return kind === 'broadcast' || kind === 'reduce' ? ranks : ranks * (ranks - 1);
}

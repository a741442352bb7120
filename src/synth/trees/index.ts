/**
 * The trees engine: packs spanning trees into a machine's capacities, for the maximum throughput of any plan (Edmonds
 * 1973; ForestColl: Zhao et al. 2024). Steps: maximum rate by Dinkelbach's method (rate.ts), capacities in trees
 * (scale.ts), removal of switches by edge splitting (remove-switches.ts), packing (pack.ts), schedule (schedule.ts).
 * Polynomial, dominated by maximum flows; for long messages, since trees may be deep.
 */
import { type Collective, collectiveFacts, combinesInRankOrder } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { arcBetween } from '../arcs.ts';
import { assembleSchedule, type Derivation, type DerivedPart, derivationsOf, minChunksPerShard } from '../derive.ts';
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { sharesOf } from '../shares.ts';
import { bidirectionalTrees } from './bidirectional-trees.ts';
import { capacitiesOf } from './capacities.ts';
import type { Tree } from './pack.ts';
import { packed, type TreePacking } from './packing.ts';
import { type ArcsOf, chunksOf, treeSchedule } from './schedule.ts';

/**
 * Estimated share of the bound that trees reach for short and long messages (kept low enough for long ones that quick
 * searches try cheaper engines first), and the work per packed edge.
 */
const promised = { short: 0.3, long: 0.85, workOfEdge: 3 } as const;

export const treesEngine: Engine = {
  name: 'trees',
  searches: true,
  holdsBack: true,
  estimate: (problem) => ({
    boundShare: isShort(problem) ? promised.short : promised.long,
    ...workFor(problem.collective),
  }),
  about: 'spanning trees packed into the capacities of the links: the greatest throughput possible',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes, algorithm, byName = false, shouldStop } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(isSpreading));
  if (algorithm !== undefined || derivations.length === 0 || collective.ranks === 1) return;
  if (problem.effort === 'quick' && !byName && isShort(problem)) {
    return yield dismissed(treesEngine.name, 'throughput hardly matters to so short a message');
  }
  if (!byName && collective.ranks > maxRanksFor.flows) {
    const reason = `packing trees of more than ${maxRanksFor.flows} ranks takes too long; --engine trees tries it`;
    return yield dismissed(treesEngine.name, reason);
  }
  if (combinesInRankOrder(collective)) return yield dismissed(treesEngine.name, 'needs an operator that commutes');
  const packings = new PackedTrees(problem);
  for (const derivation of derivations) {
    yield packedProposal(problem, derivation, (part, root) => packings.of(part, root));
  }
  if (collective.kind !== 'allreduce') return;
  // On machines where some chips have few links, the same trees upwards and downwards carry more. All trees share one
  // message, whatever their roots.
  const found = bidirectionalTrees(routes.topology, shouldStop);
  const bothWays = typeof found === 'string' ? found : found.map((tree) => ({ ...tree, root: collective.root }));
  const [, upAndDown] = derivations;
  yield packedProposal(problem, { ...upAndDown, name: 'both ways' }, () => bothWays);
}

function workFor({ kind, ranks }: Collective): { readonly work?: number } {
  return collectiveFacts[kind].rooted ? {} : { work: promised.workOfEdge * ranks ** 2 };
}

/**
 * Whether the message is short for trees: the latency of the farthest route exceeds twice the mean time of the bytes
 * over the links of a chip; or, behind switches, two such latencies plus the bytes take as long as the incumbent, since
 * trees of depth 1 there are textbook algorithms.
 */
function isShort({ routes, size, incumbent = Number.POSITIVE_INFINITY }: Problem): boolean {
  const { nodes, chips, links } = routes.topology;
  const entering = nodes.map(() => 0);
  for (const { to, bandwidth } of links) entering[to] += bandwidth;
  const perByte = chips.reduce((sum, chip) => sum + 1 / entering[chip], 0) / chips.length;
  const latencies = chips.map((_, rank) => (rank === 0 ? 0 : (routes.between(0, rank)?.latency ?? 0)));
  const [farthest, bytesTime] = [Math.max(...latencies), size * perByte];
  return farthest > 2 * bytesTime || (nodes.length > chips.length && 2 * farthest + bytesTime >= incumbent);
}

function isSpreading({ kind }: DerivedPart): boolean {
  return kind === 'allgather' || kind === 'broadcast';
}

/** The schedule of the trees that are found for each part of a derivation. */
function packedProposal(
  problem: Problem,
  derivation: Derivation,
  treesFor: (part: DerivedPart, root: number) => readonly Tree[] | string,
): Proposal {
  const { collective, chunks, routes } = problem;
  const name = derivation.name === '' ? 'packed trees' : `packed trees, ${derivation.name}`;
  const root = collectiveFacts[collective.kind].rooted ? collective.root : centreOf(routes);
  const treesOf = new Map<DerivedPart, readonly Tree[]>();
  for (const part of derivation.parts) {
    const trees = treesFor(part, root);
    if (typeof trees === 'string') return dismissed(name, trees);
    treesOf.set(part, trees);
  }
  const unit = minChunksPerShard(collective, derivation, [...treesOf.values()].map(chunksOf));
  // Trees of unequal shards get any number of chunks, approximately in proportion.
  if (chunks !== undefined && sharesOf(collective.counts) === undefined && chunks % unit !== 0) {
    return dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  }
  const build = (multiple: number): Schedule => {
    const target = { ...collective, chunks: (chunks ?? unit) * multiple };
    let channels = 0;
    const made = (move: Collective, part: DerivedPart): Schedule => {
      const trees = treesOf.get(part) ?? [];
      const arcs: ArcsOf = (from, to, channel) =>
        part.reversed ? arcBetween(routes, to, from, channel) : arcBetween(routes, from, to, channel);
      // The number of channels that a part can use per connection: one for each batch of trees.
      const firstChannel = channels;
      channels += trees.length;
      return treeSchedule(name, trees, move, arcs, firstChannel);
    };
    return assembleSchedule(target, derivation, made, root);
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: 'trees', schedule: name }, build } };
}

/** The rank with the least eccentricity in links. */
function centreOf(routes: Routes): number {
  const ranks = [...routes.topology.chips.keys()];
  const farthest = ranks.map((from) => Math.max(...ranks.map((to) => (to === from ? 0 : routes.hops(from, to)))));
  return farthest.indexOf(Math.min(...farthest));
}

/** Trees on the machine and on its transpose; one packing serves both if the capacities are equal. */
class PackedTrees {
  private readonly problem: Problem;
  private readonly isDuplex: boolean;
  private readonly known = new Map<string, TreePacking | string>();

  constructor(problem: Problem) {
    this.problem = problem;
    const { nodes, capacity } = capacitiesOf(problem.routes.topology);
    this.isDuplex = capacity.every(
      (amount, edge) => amount === capacity[(edge % nodes) * nodes + Math.floor(edge / nodes)],
    );
  }

  /** The trees for a part of a derivation, or why there are none. */
  of({ kind, reversed }: DerivedPart, root: number): readonly Tree[] | string {
    const { collective, routes, parameters, effort, shouldStop } = this.problem;
    const key = `${kind} ${reversed && !this.isDuplex}`;
    const packing =
      this.known.get(key) ??
      packed({
        topology: reversed ? transpose(routes.topology) : routes.topology,
        kind,
        root,
        shares: sharesOf(collective.counts),
        trees: numberOfTrees(parameters),
        effort,
        shouldStop,
      });
    this.known.set(key, packing);
    return typeof packing === 'string' ? packing : amongWays(packing.trees, routes, reversed);
  }
}

/**
 * The number of trees per root that the user set.
 * @throws CccError 'range' for anything but an integer ≥ 1
 */
function numberOfTrees({ trees: wanted }: Problem['parameters']): number | undefined {
  if (wanted === undefined || (Number.isSafeInteger(wanted) && wanted >= 1)) return wanted;
  throw new CccError('range', `trees must be a whole number from 1, not ${wanted}`);
}

/**
 * Splits batches of trees such that every one of the equivalent routes between two ranks, which channels use in turn,
 * gets some trees.
 */
function amongWays(all: readonly Tree[], routes: Routes, reversed: boolean): Tree[] {
  return all.flatMap((tree) => {
    const choices = tree.edges.map(({ from, to }) => (reversed ? routes.choices(to, from) : routes.choices(from, to)));
    const ways = Math.min(tree.amount, Math.max(1, ...choices));
    return Array.from({ length: ways }, (_, way) => ({ ...tree, amount: Math.floor((tree.amount + way) / ways) }));
  });
}

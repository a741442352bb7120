/**
 * Trees along the routes that messages take. Packings whose switches were split off promise what any routes could carry; a message takes the
 * route of least latency, and that may keep a link busy for longer. Here each tree in turn is laid anew where links are least busy, a link
 * being the dearer the busier it is (exponential prices: Plotkin, Shmoys and Tardos 1995), so that the busiest one is soon as little busy as
 * it can be.
 */

import { cheapestArborescence } from '../../cost/index.ts';
import { type Effort, partOfWork, type ShouldStop } from '../../ir/effort.ts';
import { tolerance } from '../limits.ts';
import type { TreeEdge } from './batch.ts';
import type { Tree } from './pack.ts';
import type { SharedTrees } from './packing.ts';
import type { PathFlow } from './path-flows.ts';
import { numbersOfTrees } from './scale.ts';
import type { Load } from './timing.ts';
import type { Ways } from './ways.ts';

/** Trees, and for how long they keep the busiest link or port busy: seconds for each byte that a root spreads. */
export interface RoutedTrees {
  readonly packing: SharedTrees;
  readonly perByte: number;
}

/** What is to be spread over which ways. */
export interface RoutedRequest {
  readonly ranks: number;
  readonly roots: readonly number[];
  readonly ways: Ways;
  /** Nodes of the machine that are chips: messages that pass one might as well stop there. */
  readonly chips: ReadonlySet<number>;
  /** Numbers of trees for each root that may be used. */
  readonly allowed: (trees: number) => boolean;
  /**
   * Whether messages over several links take turns in slots of the time that the shortest of them keeps a link busy: whatever is busy for a
   * part of a slot counts as busy for all of it. Messages that wait for several links at once then find them free together.
   */
  readonly inSlots: boolean;
  readonly effort: Effort;
  readonly shouldStop?: ShouldStop | undefined;
}

/** How steeply prices rise, from one pass over all trees to the next. */
const steepness: readonly number[] = [8, 8, 16, 16, 32, 32, 64, 64, 128, 128];
/** Times that differ by less than this part of themselves are equal. */
const sameTime = 1e-9;
/** Loads of ways that are looked at, in all. */
const mostWork = 1.6e7;

/** One way of a message between two ranks. */
interface Hop {
  readonly from: number;
  readonly to: number;
  readonly way: number;
  /** Resources are numbered from 0 here. */
  readonly loads: readonly Load[];
}

/**
 * Trees in the number that keeps links least busy: the fewest that come near to it, and the most, which follow each other more closely.
 *
 * @returns nothing where there is no time for a single tree of each root, or some rank cannot be reached
 */
export function routedTrees(request: RoutedRequest): readonly RoutedTrees[] {
  const { ranks, roots, allowed, effort, shouldStop } = request;
  const hops = hopsOf(request);
  const perTree = steepness.length * (hops.reduce((sum, { loads }) => sum + loads.length, 0) + ranks * ranks);
  const tried: { readonly laid: readonly LaidTree[]; readonly perByte: number }[] = [];
  let work = 0;
  for (const trees of numbersOfTrees) {
    work += trees * roots.length * perTree;
    if (work > mostWork * partOfWork[effort] || shouldStop?.() === true) break;
    if (!allowed(trees)) continue;
    const found = new Laying(request, hops, trees).run();
    if (found === undefined) return [];
    tried.push(found);
  }
  const least = tried.reduce((best, { perByte }) => Math.min(best, perByte), Number.POSITIVE_INFINITY);
  const good = tried.filter(({ perByte }) => perByte <= least * (1 + tolerance));
  return [...new Set([...good.slice(0, 1), ...good.slice(-1)])].map(({ laid, perByte }) => {
    return { packing: packingOf(laid, hops, request), perByte };
  });
}

/** For how long given trees keep the busiest link or port busy: seconds for each byte that a root spreads. */
export function busiestOf(
  trees: readonly Tree[],
  loadsOf: (edge: TreeEdge, amount: number) => readonly Load[],
): number {
  const amounts = new Map<number, number>();
  for (const { root, amount } of trees) amounts.set(root, (amounts.get(root) ?? 0) + amount);
  const busy = new Map<number, number>();
  for (const { root, amount, edges } of trees) {
    for (const edge of edges) {
      for (const { resource, time } of loadsOf(edge, amount)) {
        busy.set(resource, (busy.get(resource) ?? 0) + (time * amount) / (amounts.get(root) ?? 1));
      }
    }
  }
  return Math.max(0, ...busy.values());
}

function hopsOf({ ranks, ways, chips, inSlots }: RoutedRequest): readonly Hop[] {
  const hops: Hop[] = [];
  const numberOf = new Map<number, number>();
  const numbered = (resource: number): number => {
    const number = numberOf.get(resource) ?? numberOf.size;
    numberOf.set(resource, number);
    return number;
  };
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) {
      if (from === to) continue;
      for (let way = 0; way < ways.choices(from, to); way++) {
        const loads = ways.loads(from, to, way).map(({ resource, time }) => ({ resource: numbered(resource), time }));
        const passesChip = ways.stations(from, to, way).some((node) => chips.has(node));
        if (loads.length > 0 && !passesChip) hops.push({ from, to, way, loads });
      }
    }
  }
  return inSlots ? slotted(hops) : hops;
}

function slotted(hops: readonly Hop[]): readonly Hop[] {
  const slot = hops.reduce(
    (least, { loads }) => Math.min(least, ...loads.map(({ time }) => time)),
    Number.POSITIVE_INFINITY,
  );
  const whole = (time: number) => Math.ceil((time / slot) * (1 - sameTime)) * slot;
  return hops.map((hop) => ({
    ...hop,
    loads: hop.loads.map(({ resource, time }) => ({ resource, time: whole(time) })),
  }));
}

/** A tree as the hops that it consists of. */
interface LaidTree {
  readonly root: number;
  readonly hops: readonly number[];
}

/** So many trees for each root. */
class Laying {
  private readonly request: RoutedRequest;
  private readonly hops: readonly Hop[];
  private readonly trees: number;
  /** By link or port: seconds for a byte of each tree. */
  private readonly busy: Float64Array;

  constructor(request: RoutedRequest, hops: readonly Hop[], trees: number) {
    this.request = request;
    this.hops = hops;
    this.trees = trees;
    const resources = hops.reduce((most, { loads }) => Math.max(most, ...loads.map(({ resource }) => resource + 1)), 0);
    this.busy = new Float64Array(resources);
  }

  run(): { readonly laid: readonly LaidTree[]; readonly perByte: number } | undefined {
    const { roots } = this.request;
    const laid: LaidTree[] = [];
    let best: readonly LaidTree[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (const [pass, steep] of steepness.entries()) {
      for (let index = 0; index < this.trees * roots.length; index++) {
        if (pass > 0) this.load(laid[index], -1);
        const tree = this.cheapest(roots[index % roots.length], steep);
        if (tree === undefined) return undefined;
        laid[index] = tree;
        this.load(tree, 1);
      }
      const busiest = this.busiest();
      if (busiest >= least) continue;
      least = busiest;
      best = laid.slice();
    }
    return { laid: best, perByte: least / this.trees };
  }

  /** A link costs as long as a message keeps it busy, times its price. */
  private cheapest(root: number, steep: number): LaidTree | undefined {
    const { ranks } = this.request;
    const top = this.busiest();
    const prices = this.busy.map((busy) => (top === 0 ? 1 : Math.exp(steep * (busy / top - 1))));
    const cost = new Float64Array(ranks * ranks).fill(Number.POSITIVE_INFINITY);
    const hopOf = new Int32Array(ranks * ranks);
    for (const [index, { from, to, loads }] of this.hops.entries()) {
      let price = 0;
      for (const { resource, time } of loads) price += time * prices[resource];
      const edge = from * ranks + to;
      if (price >= cost[edge]) continue;
      cost[edge] = price;
      hopOf[edge] = index;
    }
    const before = cheapestArborescence(ranks, root, cost);
    const hops: number[] = [];
    for (let rank = 0; rank < ranks; rank++) {
      if (rank === root) continue;
      if (before[rank] === -1) return undefined;
      hops.push(hopOf[before[rank] * ranks + rank]);
    }
    return { root, hops };
  }

  private load({ hops }: LaidTree, sign: 1 | -1): void {
    for (const hop of hops) {
      for (const { resource, time } of this.hops[hop].loads) this.busy[resource] += sign * time;
    }
  }

  private busiest(): number {
    return this.busy.reduce((most, each) => Math.max(most, each), 0);
  }
}

/** Equal trees of a root are one with an amount, but for those in slots, whose messages are to be alike. */
function packingOf(
  laid: readonly LaidTree[],
  hops: readonly Hop[],
  { ranks, ways, inSlots }: RoutedRequest,
): SharedTrees {
  const trees = new Map<string, { readonly tree: LaidTree; amount: number }>();
  const used = new Map<number, number>();
  for (const [index, tree] of laid.entries()) {
    const key = inSlots ? `${index}` : `${tree.root}: ${tree.hops.join()}`;
    const known = trees.get(key) ?? { tree, amount: 0 };
    known.amount++;
    trees.set(key, known);
    for (const hop of tree.hops) used.set(hop, (used.get(hop) ?? 0) + 1);
  }
  const flows = new Map<string, PathFlow[]>();
  for (const [hop, amount] of used) {
    const { from, to, way } = hops[hop];
    const between = flows.get(`${from} ${to}`) ?? [];
    between.push({ through: ways.stations(from, to, way), amount });
    flows.set(`${from} ${to}`, between);
  }
  return {
    trees: [...trees.values()].map(({ tree, amount }) => {
      return { root: tree.root, amount, edges: inOrder(tree, hops, ranks) };
    }),
    switchesOf: (from, to) => flows.get(`${from} ${to}`) ?? [],
  };
}

/** Edges from the root on. */
function inOrder({ root, hops }: LaidTree, all: readonly Hop[], ranks: number): readonly TreeEdge[] {
  const below = Array.from({ length: ranks }, (): number[] => []);
  for (const hop of hops) below[all[hop].from].push(all[hop].to);
  const edges: TreeEdge[] = [];
  const reached = [{ rank: root, depth: 0 }];
  for (const { rank, depth } of reached) {
    for (const to of below[rank]) {
      edges.push({ from: rank, to, depth: depth + 1 });
      reached.push({ rank: to, depth: depth + 1 });
    }
  }
  return edges;
}

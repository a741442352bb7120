/**
 * Trees up which packets of a reduction take less time: with reductions shared evenly among chips, and of little height. A packing
 * fills links, whatever chips have to reduce; but while the busiest chip reduces, all wait. Trees are changed edge by edge, by
 * simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983).
 */
import { partOfWork } from '../../ir/effort.ts';
import { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Seconds, sumError } from '../../ir/units.ts';
import { directArcs } from '../arcs.ts';
import type { Problem } from '../engine.ts';
import { relativeTolerance } from '../limits.ts';
import type { Tree } from '../trees/pack.ts';

/** Changes that are tried, as long as they look at no more ranks than this. */
const mostTries = 200_000;
const mostLooks = 50_000_000;
/** A change that costs this part of the time is taken in one of e cases at the end; at first one that costs as much as is not told apart. */
const lastHeat = 0.0005;

/**
 * @param trees with edges from their roots to the leaves, over single links turned round, or both ways
 * @param linkTime seconds for each byte of the message for which any link may be busy
 */
export function balancedTrees(
  trees: readonly Tree[],
  linkTime: Seconds,
  isTwoWay: boolean,
  { routes, size, seed, effort = 'full' }: Problem,
): readonly Tree[] {
  const changing = new ChangingTrees(trees, linkTime, isTwoWay, routes);
  const random = new Random(seed);
  const latency = Math.max(...directArcs(routes).map((arc) => arc.latency));
  /** What packets take if there are as many as they should be (packets.ts); while trees change, every chip and leaf counts somewhat. */
  const seconds = (isSmooth: boolean): Seconds => {
    const height = changing.height(isSmooth) * (isTwoWay ? 2 : 1);
    const perByte = linkTime + changing.reduceTime(isSmooth);
    return (Math.sqrt(Math.max(0, height - 1) * latency) + Math.sqrt(perByte * size)) ** 2;
  };
  let best = { trees: changing.trees(), seconds: seconds(false) };
  let now = seconds(true);
  const looks = routes.topology.chips.length * trees.length;
  const number = Math.floor(partOfWork[effort] * Math.min(mostTries, mostLooks / looks));
  for (let attempt = 0; attempt < number; attempt++) {
    const undoing = changing.change(random);
    const then = undoing.length === 0 ? now : seconds(true);
    const warmth = relativeTolerance * (lastHeat / relativeTolerance) ** (attempt / number);
    if (then > now && random.below(2 ** 32) / 2 ** 32 > Math.exp((now - then) / (now * warmth))) {
      for (const move of undoing) changing.turn(move);
      continue;
    }
    now = then;
    const exact = seconds(false);
    if (exact < best.seconds * (1 - sumError)) best = { trees: changing.trees(), seconds: exact };
  }
  return best.trees;
}

/** Another parent for a rank in one of the trees. */
interface Move {
  readonly tree: number;
  readonly rank: number;
  readonly to: number;
}

/** Spanning trees that change edge by edge: what packets up them ask of chips and links. */
class ChangingTrees {
  private readonly packed: readonly Tree[];
  private readonly isTwoWay: boolean;
  /** Of each tree and rank, to whom it sends, −1 for the root. */
  private readonly parent: readonly Int32Array[];
  private readonly depth: readonly Int32Array[];
  /** Of each rank, to whom it has links. */
  private readonly near: readonly number[][];
  /** Parts of a packet that a link still has room for, by `keyOf` its ranks. */
  private readonly room = new Map<number, number>();
  /** Parts of a packet that each rank reduces, and what one of them takes there. */
  private readonly reduced: Float64Array;
  private readonly secondsOfPart: Float64Array;

  constructor(trees: readonly Tree[], linkTime: Seconds, isTwoWay: boolean, routes: Routes) {
    const { nodes, chips } = routes.topology;
    this.packed = trees;
    this.isTwoWay = isTwoWay;
    const whole = trees.reduce((sum, { amount }) => sum + amount, 0);
    this.reduced = new Float64Array(chips.length);
    const throughputs = chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY);
    this.secondsOfPart = Float64Array.from(throughputs, (throughput) => 1 / throughput / whole);
    this.near = chips.map(() => []);
    for (const { from, to, bandwidth } of directArcs(routes)) {
      this.near[from].push(to);
      const key = this.keyOf(from, to);
      const parts = Math.floor(linkTime * bandwidth * whole * (1 + sumError));
      this.room.set(key, Math.min(this.room.get(key) ?? parts, parts));
    }
    this.parent = trees.map(() => new Int32Array(chips.length).fill(-1));
    this.depth = trees.map(() => new Int32Array(chips.length));
    for (const [tree, { edges }] of trees.entries()) {
      for (const { from, to } of edges) this.join(tree, to, from, 1);
      this.measure(tree);
    }
  }

  /** Changes something at random, unless that leaves no trees. @returns what takes it back */
  change(random: Random): readonly Move[] {
    return this.drawn(random)
      .map((move) => this.turn(move))
      .toReversed();
  }

  /** @returns what takes it back */
  turn({ tree, rank, to }: Move): Move {
    const from = this.parent[tree][rank];
    this.join(tree, rank, from, -1);
    this.join(tree, rank, to, 1);
    this.measure(tree);
    return { tree, rank, to: from };
  }

  /** Another parent for some rank in some tree, or exchanged with that in another one; for a root of connections a neighbour in its place. */
  private drawn(random: Random): readonly Move[] {
    const tree = random.below(this.packed.length);
    const rank = random.below(this.reduced.length);
    const from = this.parent[tree][rank];
    const to = this.near[rank][random.below(this.near[rank].length)];
    const move = { tree, rank, to };
    if (from < 0) {
      const isNext = this.isTwoWay && this.parent[tree][to] === rank;
      return isNext ? [{ tree, rank: to, to: from }, move] : [];
    }
    if (to === from || this.isAbove(tree, rank, to)) return [];
    const { amount } = this.packed[tree];
    if ((this.room.get(this.keyOf(rank, to)) ?? 0) >= amount) return [move];
    const other = this.packed.findIndex((each, t) => each.amount === amount && this.parent[t][rank] === to);
    return other < 0 || this.isAbove(other, rank, from) ? [] : [move, { tree: other, rank, to: from }];
  }

  /** Seconds of reductions for each byte of the message, of the busiest chip or, smoothly, of all. */
  reduceTime(isSmooth: boolean): Seconds {
    return greatest([this.reduced.map((parts, rank) => parts * this.secondsOfPart[rank])], isSmooth);
  }

  /** Steps from the deepest leaf to the root, or, smoothly, of all ranks. */
  height(isSmooth: boolean): number {
    return greatest(this.depth, isSmooth);
  }

  /** As they are now, with edges in the order of their depths. */
  trees(): readonly Tree[] {
    return this.packed.map(({ amount }, tree) => {
      const [parent, depth] = [this.parent[tree], this.depth[tree]];
      const root = parent.indexOf(-1);
      const ranks = [...parent.keys()].filter((rank) => parent[rank] >= 0).sort((a, b) => depth[a] - depth[b]);
      return { root, amount, edges: ranks.map((rank) => ({ from: parent[rank], to: rank, depth: depth[rank] })) };
    });
  }

  /** Puts a rank below a parent, or (−1) takes it from there. */
  private join(tree: number, rank: number, parent: number, times: 1 | -1): void {
    this.parent[tree][rank] = parent;
    if (parent < 0) return;
    const parts = this.packed[tree].amount * times;
    this.reduced[parent] += parts;
    const key = this.keyOf(rank, parent);
    this.room.set(key, (this.room.get(key) ?? 0) - parts);
  }

  /** Of a link, or of a connection where results come back. */
  private keyOf(source: number, destination: number): number {
    const ranks = this.reduced.length;
    if (!this.isTwoWay) return source * ranks + destination;
    return Math.min(source, destination) * ranks + Math.max(source, destination);
  }

  /** Whether a rank is on the way from another, or that one itself. */
  private isAbove(tree: number, rank: number, other: number): boolean {
    const parent = this.parent[tree];
    for (let at = other; at >= 0; at = parent[at]) if (at === rank) return true;
    return false;
  }

  private measure(tree: number): void {
    const [depth, parent] = [this.depth[tree], this.parent[tree]];
    depth.fill(-1);
    const measured = (rank: number): number => {
      if (depth[rank] < 0) depth[rank] = parent[rank] < 0 ? 0 : measured(parent[rank]) + 1;
      return depth[rank];
    };
    for (const rank of parent.keys()) measured(rank);
  }
}

/** The greatest of all, or the root of the sum of their eighth powers: hardly more, but the second greatest shows, too. */
function greatest(rows: readonly ArrayLike<number>[], isSmooth: boolean): number {
  let found = 0;
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) found = isSmooth ? found + eighthPower(row[at]) : Math.max(found, row[at]);
  }
  return isSmooth ? eighthRoot(found) : found;
}

function eighthPower(x: number): number {
  const fourth = x * x * (x * x);
  return fourth * fourth;
}

function eighthRoot(x: number): number {
  return Math.sqrt(Math.sqrt(Math.sqrt(x)));
}

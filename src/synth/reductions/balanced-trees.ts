/**
 * Improves packed trees for pipelined reductions: spreads the reductions evenly among chips and keeps trees low. A tree packing fills the
 * links but ignores what each chip has to reduce, and in lock step all chips wait for the one that reduces longest.
 *
 * The trees are changed edge by edge by simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983), within a limited number of
 * steps; a step takes time proportional to the ranks times the trees.
 */
import { partOfWork } from '../../ir/effort.ts';
import { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Seconds, sumError } from '../../ir/units.ts';
import { directArcs } from '../arcs.ts';
import type { Problem } from '../engine.ts';
import { relativeTolerance } from '../limits.ts';
import type { Tree } from '../trees/pack.ts';

/** Maximum number of annealing steps, and of tree entries (ranks × trees) visited by all of them, at full effort. */
const mostTries = 200_000;
const mostLooks = 50_000_000;
/**
 * Final temperature, as a fraction of the current time: a change that slows the trees down by this fraction is accepted with probability
 * 1/e. The initial temperature is `relativeTolerance`.
 */
const lastHeat = 0.0005;

/**
 * Returns the best trees found, at worst the given ones.
 * @param trees spanning trees whose edges lead from root to leaves: over links of the transposed machine, or over pairs of opposite links
 * if `isTwoWay`
 * @param linkTime seconds per byte of the message for which each link may be busy
 * @param isTwoWay whether results come back down the same trees (allreduce)
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
  /**
   * Time with the best number of packets (packets.ts). The smooth variant, which guides the annealing, counts every chip and rank a little
   * instead of the worst alone.
   */
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

/** Gives a rank another parent in one of the trees. */
interface Move {
  readonly tree: number;
  readonly rank: number;
  readonly to: number;
}

/** Spanning trees under change, with the loads that packets put on chips and links. */
class ChangingTrees {
  private readonly packed: readonly Tree[];
  private readonly isTwoWay: boolean;
  /** By tree and rank: the parent, to which the rank sends; −1 for the root. */
  private readonly parent: readonly Int32Array[];
  private readonly depth: readonly Int32Array[];
  /** By rank: the ranks to which it has links. */
  private readonly near: readonly number[][];
  /** By link (see `keyOf`): how many more parts of a packet it can carry within `linkTime`. */
  private readonly room = new Map<number, number>();
  /** By rank: parts of a packet that it reduces, and the seconds per byte of the message that one part takes. */
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

  /**
   * Makes a random change; makes none if the one drawn would not leave trees.
   * @returns the moves that undo it
   */
  change(random: Random): readonly Move[] {
    return this.drawn(random)
      .map((move) => this.turn(move))
      .toReversed();
  }

  /**
   * Makes a move.
   * @returns the move that undoes it
   */
  turn({ tree, rank, to }: Move): Move {
    const from = this.parent[tree][rank];
    this.join(tree, rank, from, -1);
    this.join(tree, rank, to, 1);
    this.measure(tree);
    return { tree, rank, to: from };
  }

  /**
   * Draws a random change: a new parent for a rank in one tree; if the link to it has no room, an exchange of parents with another tree of
   * the same amount. For the root of a tree that is used both ways, a child takes the root's place.
   */
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

  /** Reduction time of the busiest chip, in seconds per byte of the message; with `isSmooth` a smooth maximum over all chips (`greatest`). */
  reduceTime(isSmooth: boolean): Seconds {
    return greatest([this.reduced.map((parts, rank) => parts * this.secondsOfPart[rank])], isSmooth);
  }

  /** Height in steps, from the deepest leaf to the root; with `isSmooth` a smooth maximum over all ranks (`greatest`). */
  height(isSmooth: boolean): number {
    return greatest(this.depth, isSmooth);
  }

  /** A copy of the current trees, with edges in order of depth. */
  trees(): readonly Tree[] {
    return this.packed.map(({ amount }, tree) => {
      const [parent, depth] = [this.parent[tree], this.depth[tree]];
      const root = parent.indexOf(-1);
      const ranks = [...parent.keys()].filter((rank) => parent[rank] >= 0).sort((a, b) => depth[a] - depth[b]);
      return { root, amount, edges: ranks.map((rank) => ({ from: parent[rank], to: rank, depth: depth[rank] })) };
    });
  }

  /** Attaches a rank to a parent (`times` 1) or detaches it (−1), and updates the loads. */
  private join(tree: number, rank: number, parent: number, times: 1 | -1): void {
    this.parent[tree][rank] = parent;
    if (parent < 0) return;
    const parts = this.packed[tree].amount * times;
    this.reduced[parent] += parts;
    const key = this.keyOf(rank, parent);
    this.room.set(key, (this.room.get(key) ?? 0) - parts);
  }

  /** The key of a link; for trees used both ways, of the pair of opposite links. */
  private keyOf(source: number, destination: number): number {
    const ranks = this.reduced.length;
    if (!this.isTwoWay) return source * ranks + destination;
    return Math.min(source, destination) * ranks + Math.max(source, destination);
  }

  /** Whether a rank is an ancestor of another, or the same rank. */
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

/** The maximum; with `isSmooth` the 8-norm, which is slightly more than the maximum but reacts to the second largest value as well. */
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

/**
 * The in-tree of an allgather by distance, the same for every rank: in step d each rank receives the shards of all
 * ranks at distance d, in one message per generator. The number of consecutive messages is the diameter, the minimum of
 * any allgather. The shards of a layer are distributed over the generators as evenly as shortest paths allow, so that
 * links are busy nearly all the time.
 */
import { byGroup } from '../../ir/column.ts';
import type { Generator, InTree } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { rounding } from '../../ir/units.ts';

/**
 * @param generators must generate the group
 * @param chunks C ≥ 1: chunks of a shard may arrive over different generators
 * @throws Error if the generators do not reach every rank
 */
export function layeredInTree(group: TranslationGroup, generators: readonly Generator[], chunks: number): InTree {
  const layers = layersOf(group, generators);
  const items = (group.order - 1) * chunks;
  const [shard, chunk] = [new Int32Array(items), new Int32Array(items)];
  const firstRow = new Int32Array(layers.count * generators.length + 1);
  const share = new LoadShare(generators);
  for (let step = 0; step < layers.count; step++) {
    const ranks = layers.ranks.subarray(layers.first[step], layers.first[step + 1]);
    const kinds = share.layer(ranks, layers.routes, chunks);
    const firstCell = step * generators.length;
    for (let g = 0; g < generators.length; g++) {
      firstRow[firstCell + g + 1] = firstRow[firstCell + g] + kinds.reduce((sum, { counts }) => sum + counts[g], 0);
    }
    handOut(ranks, layers.routes, kinds, firstRow.slice(firstCell, firstCell + generators.length), { shard, chunk });
  }
  return { stepCount: layers.count, firstRow, shard, chunk };
}

/**
 * Assigns the chunks of a layer to generators, in the numbers that each kind has.
 * @param next the next free row of each generator, advanced
 */
function handOut(
  ranks: Int32Array,
  ways: Int32Array,
  kinds: readonly Kind[],
  next: Int32Array,
  { shard, chunk }: Pick<InTree, 'shard' | 'chunk'>,
): void {
  const byWays = indexed(kinds);
  const chunks = shard.length / (ways.length - 1);
  for (const rank of ranks) {
    const kind = byWays[ways[rank]];
    for (let c = 0; c < chunks; c++) {
      while (kind.counts[kind.next] === 0) kind.next++;
      kind.counts[kind.next]--;
      const row = next[kind.next]++;
      shard[row] = rank;
      chunk[row] = c;
    }
  }
}

/** Ranks by distance to rank 0 in links, without rank 0. */
interface Layers {
  readonly count: number;
  /** Ranks at distance d + 1, ascending: `ranks[first[d] … first[d + 1] − 1]`. */
  readonly first: Int32Array;
  readonly ranks: Int32Array;
  /** By rank, a bit set: bit g if generator g leads from the rank one link nearer to rank 0. */
  readonly routes: Int32Array;
}

/** Breadth-first search from rank 0 against the direction of the links. */
function layersOf(group: TranslationGroup, generators: readonly Generator[]): Layers {
  if (generators.length > 31) throw new Error('layers are found for up to 31 generators');
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const distance = new Int32Array(group.order).fill(-1);
  const ways = new Int32Array(group.order);
  const found = new Int32Array(group.order);
  distance[0] = 0;
  let count = 1;
  for (let at = 0; at < count; at++) {
    const rank = found[at];
    const farther = distance[rank] + 1;
    for (let g = 0; g < back.length; g++) {
      const behind = back[g](rank);
      if (distance[behind] === -1) {
        distance[behind] = farther;
        found[count++] = behind;
      }
      if (distance[behind] === farther) ways[behind] |= 1 << g;
    }
  }
  if (count < group.order) throw new Error('the generators do not reach every rank');
  const width = distance[found[count - 1]];
  const { first, rows } = byGroup(distance, width + 1);
  return { count: width, first: first.subarray(1), ranks: rows, routes: ways };
}

/** Chunks of one layer that can arrive over the same set of generators, and how many each generator delivers. */
interface Kind {
  /** Bit g is set for generator g. */
  readonly ways: number;
  readonly counts: Int32Array;
  /** The generator to which the next chunk is assigned. */
  next: number;
}

/** Balances the layers over generators, as nearly as shortest paths allow. */
class LoadShare {
  /** Time per chunk on each generator, in arbitrary units. */
  private readonly cost: readonly number[];
  /** Per generator: its load in this layer, and in all layers so far. */
  private readonly load: Float64Array;
  private readonly total: Float64Array;

  constructor(generators: readonly Generator[]) {
    const fastest = Math.max(...generators.map(({ bandwidth }) => bandwidth));
    this.cost = generators.map(({ bandwidth }) => fastest / bandwidth);
    this.load = new Float64Array(generators.length);
    this.total = new Float64Array(generators.length);
  }

  /** How many chunks of a layer's ranks each generator delivers. */
  layer(ranks: Int32Array, ways: Int32Array, chunks: number): readonly Kind[] {
    const kinds = kindsOf(ranks, ways, chunks, this.cost.length);
    this.load.fill(0);
    for (const kind of kinds) this.fill(kind);
    while (this.improve(kinds));
    this.load.forEach((load, g) => {
      this.total[g] += load;
    });
    return kinds;
  }

  /** Greedy start: gives the chunks of a kind one by one to the generator that would finish first. */
  private fill({ ways, counts }: Kind): void {
    const first = firstBit(ways);
    const chunks = counts[first];
    counts[first] = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      let best = first;
      for (let g = first + 1; g < counts.length; g++) if ((ways & (1 << g)) !== 0 && this.isBetter(g, best)) best = g;
      counts[best]++;
      this.load[best] += this.cost[best];
    }
  }

  private isBetter(a: number, b: number): boolean {
    const difference = this.load[a] + this.cost[a] - this.load[b] - this.cost[b];
    return difference < -rounding || (difference <= rounding && this.total[a] < this.total[b] - rounding);
  }

  /**
   * Moves chunks off the most loaded generator along a shortest augmenting chain of generators that each pass as many
   * on; the last must end with less load than the first had. False if there is no such chain: the layer is then
   * optimal.
   */
  private improve(kinds: readonly Kind[]): boolean {
    const { load, cost } = this;
    const busiest = load.indexOf(Math.max(...load));
    const handedBy = new Int32Array(load.length).fill(-1);
    const handed: Kind[] = [];
    const chain = [busiest];
    for (let at = 0; at < chain.length; at++) {
      const from = chain[at];
      for (const kind of kinds) {
        if (kind.counts[from] === 0) continue;
        for (let to = 0; to < load.length; to++) {
          if ((kind.ways & (1 << to)) === 0 || to === busiest || handedBy[to] >= 0) continue;
          handedBy[to] = from;
          handed[to] = kind;
          chain.push(to);
          if (load[to] + cost[to] >= load[busiest] - rounding) continue;
          let chunks = Math.max(1, Math.floor((load[busiest] - load[to]) / (cost[busiest] + cost[to])));
          for (let g = to; g !== busiest; g = handedBy[g]) chunks = Math.min(chunks, handed[g].counts[handedBy[g]]);
          load[to] += chunks * cost[to];
          load[busiest] -= chunks * cost[busiest];
          for (let g = to; g !== busiest; g = handedBy[g]) {
            handed[g].counts[handedBy[g]] -= chunks;
            handed[g].counts[g] += chunks;
          }
          return true;
        }
      }
    }
    return false;
  }
}

/** The kinds of a layer's chunks, those with the fewest routes first; all chunks start at their first route. */
function kindsOf(ranks: Int32Array, ways: Int32Array, chunks: number, generators: number): readonly Kind[] {
  const byWays: Kind[] = [];
  const kinds: Kind[] = [];
  for (const rank of ranks) {
    let kind: Kind | undefined = byWays[ways[rank]];
    if (kind === undefined) {
      kind = { ways: ways[rank], counts: new Int32Array(generators), next: 0 };
      byWays[kind.ways] = kind;
      kinds.push(kind);
    }
    kind.counts[firstBit(kind.ways)] += chunks;
  }
  return kinds.sort((a, b) => bitCount(a.ways) - bitCount(b.ways) || a.ways - b.ways);
}

/** Kinds by their routes, in an array instead of a map where routes have few bits. */
function indexed(kinds: readonly Kind[]): readonly Kind[] {
  const byWays: Kind[] = [];
  for (const kind of kinds) byWays[kind.ways] = kind;
  return byWays;
}

function firstBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

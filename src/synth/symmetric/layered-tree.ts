/**
 * The in-tree of an allgather by distance, the same for every rank: in step d each rank gets the shards of all ranks that are
 * d links away, in one message per generator. That takes as many messages one after the other as the machine's diameter,
 * which no allgather undercuts; and as the shards of a layer are shared among the generators as evenly as shortest ways
 * allow, every link is busy nearly all the time, so hardly any moves more bytes over its busiest link either.
 */
import type { Generator, InTree } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';

/**
 * @param generators must generate the group
 * @param chunks C ≥ 1: chunks of a shard may come over different generators
 * @throws Error if the generators do not reach every rank
 */
export function layeredInTree(group: TranslationGroup, generators: readonly Generator[], chunks: number): InTree {
  const layers = layersOf(group, generators);
  const items = (group.order - 1) * chunks;
  const table = { shard: new Int32Array(items), chunk: new Int32Array(items) };
  const firstRow = new Int32Array(layers.count * generators.length + 1);
  const share = new LoadShare(generators);
  let row = 0;
  for (let step = 0; step < layers.count; step++) {
    const parts = share.layer(layers, step, chunks);
    parts.forEach((part, g) => {
      for (const item of part) {
        table.shard[row] = Math.floor(item / chunks);
        table.chunk[row++] = item % chunks;
      }
      firstRow[step * generators.length + g + 1] = row;
    });
  }
  return { stepCount: layers.count, firstRow, ...table };
}

/** The ranks by their distance to rank 0, in links; rank 0 itself is left out. */
interface Layers {
  readonly count: number;
  /** Ranks at distance d + 1: `ranks[first[d] … first[d + 1] − 1]`. */
  readonly first: readonly number[];
  readonly ranks: Int32Array;
  /** `ways[rank]`: bit g is set if generator g leads from the rank one link nearer to rank 0. */
  readonly ways: Int32Array;
}

/** Breadth first from rank 0, against the direction of the links. */
function layersOf(group: TranslationGroup, generators: readonly Generator[]): Layers {
  if (generators.length > 31) throw new Error('layers are found for up to 31 generators');
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const distance = new Int32Array(group.order).fill(-1);
  const ways = new Int32Array(group.order);
  const ranks = new Int32Array(group.order);
  distance[0] = 0;
  let found = 1;
  const first = [1];
  for (let from = 0; from < found; ) {
    const end = found;
    for (; from < end; from++) {
      const rank = ranks[from];
      for (let g = 0; g < back.length; g++) {
        const behind = back[g](rank);
        if (distance[behind] === -1) {
          distance[behind] = first.length;
          ranks[found++] = behind;
        }
        if (distance[behind] === first.length) ways[behind] |= 1 << g;
      }
    }
    if (found > end) first.push(found);
  }
  if (found < group.order) throw new Error('the generators do not reach every rank');
  return { count: first.length - 1, first, ranks, ways };
}

/** Chunks of one layer that can come over the same set of generators; how many each generator brings. */
interface Kind {
  /** Bit g is set for generator g. */
  readonly ways: number;
  readonly counts: Int32Array;
  /** The generator that the next of them is given to, while they are handed out. */
  next: number;
}

/** Shares layers among generators so that each takes as long as the others, as nearly as shortest ways allow. */
class LoadShare {
  /** Time that a chunk takes on each generator, in units of its own. */
  private readonly cost: readonly number[];
  /** Per generator: the time for what it carries, of the layer and of all layers so far. */
  private readonly load: Float64Array;
  private readonly total: Float64Array;

  constructor(generators: readonly Generator[]) {
    const fastest = Math.max(...generators.map(({ bandwidth }) => bandwidth));
    this.cost = generators.map(({ bandwidth }) => fastest / bandwidth);
    this.load = new Float64Array(generators.length);
    this.total = new Float64Array(generators.length);
  }

  /** The items (shard · C + chunk, increasing) of one layer by generator. */
  layer({ first, ranks, ways }: Layers, step: number, chunks: number): readonly Int32Array[] {
    const layer = ranks.slice(first[step], first[step + 1]).sort();
    const kinds = this.kindsOf(layer, ways, chunks);
    this.load.fill(0);
    for (const kind of kinds.values()) this.fill(kind);
    while (this.improve([...kinds.values()]));
    this.load.forEach((load, g) => {
      this.total[g] += load;
    });
    const sizes = this.cost.map((_, g) => [...kinds.values()].reduce((sum, { counts }) => sum + counts[g], 0));
    const parts = sizes.map((size) => new Int32Array(size));
    const filled = new Int32Array(parts.length);
    for (const rank of layer) {
      const kind = kinds.get(ways[rank]);
      if (kind === undefined) throw new Error('a rank of the layer is of no kind');
      for (let chunk = 0; chunk < chunks; chunk++) {
        while (kind.counts[kind.next] === 0) kind.next++;
        const g = kind.next;
        kind.counts[g]--;
        parts[g][filled[g]++] = rank * chunks + chunk;
      }
    }
    return parts;
  }

  /** The kinds of a layer's chunks, those with the fewest ways first; all chunks wait at their first way. */
  private kindsOf(layer: Int32Array, ways: Int32Array, chunks: number): ReadonlyMap<number, Kind> {
    const kinds = new Map<number, Kind>();
    for (const rank of layer) {
      let kind = kinds.get(ways[rank]);
      if (kind === undefined) {
        kind = { ways: ways[rank], counts: new Int32Array(this.cost.length), next: 0 };
        kinds.set(ways[rank], kind);
      }
      kind.counts[firstBit(kind.ways)] += chunks;
    }
    return new Map([...kinds].sort(([a], [b]) => bitCount(a) - bitCount(b) || a - b));
  }

  /** Gives the chunks of a kind one by one to whichever generator would be done first with it. */
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
    return difference < -tolerance || (difference <= tolerance && this.total[a] < this.total[b] - tolerance);
  }

  /**
   * Takes a chunk off the most loaded generator, along a shortest chain of generators that each hand one chunk on to the next; the
   * last must be left with less load than the first had. False when there is no such chain: the layer takes as short as it can.
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
          if (load[to] + cost[to] >= load[busiest] - tolerance) continue;
          load[to] += cost[to];
          load[busiest] -= cost[busiest];
          for (let g = to; g !== busiest; g = handedBy[g]) {
            handed[g].counts[handedBy[g]]--;
            handed[g].counts[g]++;
          }
          return true;
        }
      }
    }
    return false;
  }
}

/** Loads that differ by rounding only are equal. */
const tolerance = 1e-9;

function firstBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

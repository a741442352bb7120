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

/** Shares layers among generators, such that the bytes on each stay in proportion to its bandwidth. */
class LoadShare {
  /** Per generator: the time for what it carries so far, in units of one chunk's. */
  private readonly load: Float64Array;
  private readonly cost: readonly number[];

  constructor(generators: readonly Generator[]) {
    this.load = new Float64Array(generators.length);
    this.cost = generators.map(({ bandwidth }) => 1 / bandwidth);
  }

  /** The items (shard · C + chunk, increasing) of one layer by generator; those with the fewest ways choose first. */
  layer({ first, ranks, ways }: Layers, step: number, chunks: number): readonly Int32Array[] {
    const layer = ranks.slice(first[step], first[step + 1]).sort();
    const chosen = new Uint8Array(layer.length * chunks);
    const sizes = new Int32Array(this.cost.length);
    for (const choices of choiceCounts(layer, ways)) {
      for (let i = 0; i < layer.length; i++) {
        if (bitCount(ways[layer[i]]) !== choices) continue;
        for (let chunk = 0; chunk < chunks; chunk++) {
          const generator = this.leastLoaded(ways[layer[i]]);
          this.load[generator] += this.cost[generator];
          chosen[i * chunks + chunk] = generator;
          sizes[generator]++;
        }
      }
    }
    const parts = Array.from(sizes, (size) => new Int32Array(size));
    sizes.fill(0);
    chosen.forEach((generator, place) => {
      const shard = layer[Math.floor(place / chunks)];
      parts[generator][sizes[generator]++] = shard * chunks + (place % chunks);
    });
    return parts;
  }

  /** Of the generators in a set of bits, the one that would be done first with one chunk more. */
  private leastLoaded(ways: number): number {
    let best = -1;
    for (let g = 0; g < this.cost.length; g++) {
      if ((ways & (1 << g)) === 0) continue;
      if (best < 0 || this.load[g] + this.cost[g] < this.load[best] + this.cost[best]) best = g;
    }
    return best;
  }
}

function choiceCounts(layer: Int32Array, ways: Int32Array): readonly number[] {
  const counts = new Set<number>();
  for (const rank of layer) counts.add(bitCount(ways[rank]));
  return [...counts].sort((a, b) => a - b);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

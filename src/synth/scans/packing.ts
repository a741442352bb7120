/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is; then each chunk in turn is taken out and put back, as long as
 * that helps (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks).
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { type Hops, Ways } from './hops.ts';
import { cheapestExscan, cheapestScan, type Scheme } from './scheme.ts';

export interface Packing {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  readonly load: number;
  /** Messages in all. */
  readonly messages: number;
}

/** Times that all chunks are put back. */
const mostPasses = 6;
/** How much dearer it is to hold what is held for longer: to this power. */
const steepness = 8;
/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** Schemes for so many chunks of a scan or exscan. */
export function packSchemes(kind: CollectiveKind, hops: Hops, chunks: number): Packing {
  const packer = new Packer(kind, hops, chunks);
  for (let chunk = 0; chunk < chunks; chunk++) packer.put(chunk);
  let best = packer.packing();
  for (let pass = 0; pass < mostPasses; pass++) {
    for (let chunk = 0; chunk < chunks; chunk++) {
      packer.take(chunk);
      packer.put(chunk);
    }
    const found = packer.packing();
    const isBetter = found.load < best.load * (1 - 1e-9);
    if (isBetter || (found.load <= best.load * (1 + 1e-9) && found.messages < best.messages)) best = found;
    else break;
  }
  return best;
}

class Packer {
  private readonly kind: CollectiveKind;
  private readonly hops: Hops;
  private readonly loads: Float64Array;
  private readonly schemes: Scheme[] = [];
  private readonly chunks: number;

  constructor(kind: CollectiveKind, hops: Hops, chunks: number) {
    this.kind = kind;
    this.hops = hops;
    this.chunks = chunks;
    this.loads = new Float64Array(hops.resourceCount);
  }

  put(chunk: number): void {
    const ways = new Ways(this.hops, this.prices());
    const scheme = this.kind === 'scan' ? cheapestScan(this.hops, ways) : cheapestExscan(this.hops, ways);
    this.schemes[chunk] = scheme;
    this.add(scheme, 1);
  }

  take(chunk: number): void {
    this.add(this.schemes[chunk], -1);
  }

  packing(): Packing {
    const messages = this.schemes.flat().reduce((sum, { hops }) => sum + hops.length - 1, 0);
    return { schemes: [...this.schemes], load: this.busiest() / this.chunks, messages };
  }

  private busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  private add(scheme: Scheme, sign: 1 | -1): void {
    for (const { hops } of scheme) {
      for (const hop of hops) {
        if (hop < 0) continue;
        const { resources, seconds } = this.hops.all[hop];
        resources.forEach((resource, index) => {
          this.loads[resource] = Math.max(0, this.loads[resource] + sign * seconds[index]);
        });
      }
    }
  }

  private prices(): Float64Array {
    const { all } = this.hops;
    const slowest = all.reduce((most, { seconds }) => Math.max(most, ...seconds), 0);
    const scale = Math.max(this.busiest(), slowest);
    return Float64Array.from(all, ({ resources, seconds }) =>
      resources.reduce((price, resource, index) => {
        const share = (this.loads[resource] + seconds[index]) / scale;
        return price + (seconds[index] / slowest) * (share ** steepness + leastPrice);
      }, leastPrice),
    );
  }
}

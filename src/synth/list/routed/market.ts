/** How busy each resource of a machine is, and what that makes it cost. */
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';

/** The price of a load is this power of it, relative to the least possible: high enough that the busiest decide. */
export const sharpness = 12;

/** A price that nobody has asked for since the load changed: powers take long to compute. */
const unknown = Number.NaN;

export class Market {
  /** What arc a keeps busy: `resource[firstUse[a] … firstUse[a + 1] − 1]`, each for so many seconds per byte. */
  private readonly firstUse: Int32Array;
  private readonly resource: Int32Array;
  private readonly secondsPerByte: Float64Array;
  /** Seconds per byte of a chunk. */
  private readonly load: Float64Array;
  /** What one more parcel takes of a resource, at the most. */
  private readonly share: Float64Array;
  private readonly prices: Float64Array;
  private tariff = { reference: 1, idle: 1, weight: 0, sharpness };

  constructor({ arcs, resources: count }: ArcNetwork) {
    this.firstUse = new Int32Array(arcs.length + 1);
    for (const [arc, { resources }] of arcs.entries()) this.firstUse[arc + 1] = this.firstUse[arc] + resources.length;
    this.resource = Int32Array.from(arcs.flatMap(({ resources }) => resources));
    this.secondsPerByte = Float64Array.from(arcs.flatMap(({ secondsPerByte }) => secondsPerByte));
    this.load = new Float64Array(count);
    this.share = new Float64Array(count);
    this.prices = new Float64Array(count).fill(unknown);
    for (const [use, resource] of this.resource.entries()) {
      this.share[resource] = Math.max(this.share[resource], this.secondsPerByte[use]);
    }
  }

  /** The load of the busiest resource. */
  get busiest(): Seconds {
    let most = 0;
    for (const load of this.load) most = Math.max(most, load);
    return most;
  }

  get totalPrice(): number {
    let sum = 0;
    for (let resource = 0; resource < this.prices.length; resource++) sum += this.priceOf(resource);
    return sum;
  }

  /** Takes all loads away. */
  clear(): void {
    this.load.fill(0);
  }

  /** From now on a resource costs 1 when idle, and `weight` more with the load of `reference`. */
  charge(reference: Seconds, weight: number): void {
    this.tariff = { reference, idle: 1, weight, sharpness };
    this.prices.fill(unknown);
  }

  /** From now on hardly anything but the busiest resources has a price. */
  chargeBusiest(power: number): void {
    this.tariff = { reference: this.busiest, idle: 0, weight: 1, sharpness: power };
    this.prices.fill(unknown);
  }

  /** Adds a parcel of some weight to a path, or takes it away if that is negative. */
  add(path: readonly number[], weight: number): void {
    const { firstUse, resource, secondsPerByte, load, prices } = this;
    for (const arc of path) {
      for (let use = firstUse[arc]; use < firstUse[arc + 1]; use++) {
        load[resource[use]] += weight * secondsPerByte[use];
        prices[resource[use]] = unknown;
      }
    }
  }

  /** The price of one more parcel over an arc. */
  price(arc: number): number {
    const { firstUse, resource, secondsPerByte } = this;
    let price = 0;
    for (let use = firstUse[arc]; use < firstUse[arc + 1]; use++) {
      price += secondsPerByte[use] * this.priceOf(resource[use]);
    }
    return price;
  }

  private priceOf(resource: number): number {
    const known = this.prices[resource];
    if (!Number.isNaN(known)) return known;
    const price = this.share[resource] === 0 ? 0 : this.priceAtLoad(resource);
    this.prices[resource] = price;
    return price;
  }

  private priceAtLoad(resource: number): number {
    const { reference, idle, weight, sharpness: power } = this.tariff;
    const ratio = (this.load[resource] + this.share[resource]) / reference;
    return idle + weight * ratio ** power;
  }
}

/** How busy each resource of a machine is, and what that makes it cost. */
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from './network.ts';

/** The price of a load is this power of it, relative to the least possible: high enough that the busiest decide. */
const sharpness = 12;

export class Market {
  private readonly network: ArcNetwork;
  /** Seconds per byte of a chunk. */
  private readonly load: Float64Array;
  /** What one more parcel takes of a resource, at the most. */
  private readonly share: Float64Array;
  private readonly prices: Float64Array;
  private tariff = { reference: 1, idle: 1, weight: 0, sharpness };

  constructor(network: ArcNetwork) {
    this.network = network;
    this.load = new Float64Array(network.resources);
    this.share = new Float64Array(network.resources);
    this.prices = new Float64Array(network.resources);
    for (const { resources, secondsPerByte } of network.arcs) {
      resources.forEach((resource, i) => {
        this.share[resource] = Math.max(this.share[resource], secondsPerByte[i]);
      });
    }
    this.setPrices();
  }

  /** The load of the busiest resource. */
  get busiest(): Seconds {
    return this.load.reduce((most, load) => Math.max(most, load), 0);
  }

  get totalPrice(): number {
    return this.prices.reduce((sum, price) => sum + price, 0);
  }

  /** Takes all loads away. */
  clear(): void {
    this.load.fill(0);
  }

  /** From now on a resource costs 1 when idle, and `weight` more with the load of `reference`. */
  charge(reference: Seconds, weight: number): void {
    this.tariff = { reference, idle: 1, weight, sharpness };
    this.setPrices();
  }

  /** From now on hardly anything but the busiest resources has a price. */
  chargeBusiest(power: number): void {
    this.tariff = { reference: this.busiest, idle: 0, weight: 1, sharpness: power };
    this.setPrices();
  }

  /** Adds parcels to a path, or takes them away if negative. */
  add(path: readonly number[], parcels: number): void {
    for (const arc of path) {
      const { resources, secondsPerByte } = this.network.arcs[arc];
      for (let i = 0; i < resources.length; i++) {
        this.load[resources[i]] += parcels * secondsPerByte[i];
        this.setPrice(resources[i]);
      }
    }
  }

  /** The price of one more parcel over an arc. */
  price(arc: number): number {
    const { resources, secondsPerByte } = this.network.arcs[arc];
    let price = 0;
    for (let i = 0; i < resources.length; i++) price += secondsPerByte[i] * this.prices[resources[i]];
    return price;
  }

  private setPrices(): void {
    for (let resource = 0; resource < this.load.length; resource++) this.setPrice(resource);
  }

  private setPrice(resource: number): void {
    if (this.share[resource] === 0) return;
    const { reference, idle, weight, sharpness: power } = this.tariff;
    const ratio = (this.load[resource] + this.share[resource]) / reference;
    this.prices[resource] = idle + weight * ratio ** power;
  }
}

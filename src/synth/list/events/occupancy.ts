/**
 * What messages hold, and until when (docs/architecture.md, the model of time): a blocking link and the ports of both chips until the message has arrived,
 * a pipelined link until the last byte has entered it.
 */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import { sameInstant } from '../../../cost/simulation/simulation.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { Ways } from '../ways.ts';

/** What waits for the next instant: arrivals of messages, and resources that become free. */
export interface Listener {
  arrived(message: number): void;
  /** Ways that may be free now. */
  freed(way: number): void;
}

/** Resources are links by index, then the send ports and then the receive ports of the ranks. */
export class Occupancy {
  now: Seconds = 0;
  private readonly ways: Ways;
  private readonly links: number;
  private readonly free: Float64Array;
  /** Ways over link l: `wayOverLink[firstOverLink[l] … firstOverLink[l + 1] − 1]`. */
  private readonly firstOverLink: Int32Array;
  private readonly wayOverLink: Int32Array;
  /** By way, where it was asked for. */
  private readonly needed: (readonly number[] | undefined)[] = [];
  /** Even values 2m are arrivals of message m, odd ones 2r + 1 say that resource r is free. */
  private readonly events = new KeyedHeap(1024);

  constructor(ways: Ways) {
    this.ways = ways;
    this.links = ways.topology.links.length;
    this.free = new Float64Array(this.links + 2 * ways.ranks).fill(1);
    this.free.set(ways.sendPorts, this.links);
    this.free.set(ways.receivePorts, this.links + ways.ranks);
    this.firstOverLink = new Int32Array(this.links + 1);
    for (const link of ways.link) this.firstOverLink[link + 1]++;
    for (let link = 0; link < this.links; link++) this.firstOverLink[link + 1] += this.firstOverLink[link];
    const next = this.firstOverLink.slice();
    this.wayOverLink = new Int32Array(ways.link.length);
    for (let way = 0; way < ways.from.length; way++) {
      for (let l = ways.firstLink[way]; l < ways.firstLink[way + 1]; l++) this.wayOverLink[next[ways.link[l]]++] = way;
    }
  }

  /** Whether a message could start on a way at this instant. */
  isFree(way: number): boolean {
    const { ways, free, links } = this;
    if (free[links + ways.from[way]] <= 0 || free[links + ways.ranks + ways.to[way]] <= 0) return false;
    for (let l = ways.firstLink[way]; l < ways.firstLink[way + 1]; l++) if (free[ways.link[l]] <= 0) return false;
    return true;
  }

  /** The links that a message on a way needs, and the ports that it may have to wait for. */
  resourcesOf(way: number): readonly number[] {
    const known = this.needed[way];
    if (known !== undefined) return known;
    const { ways, links } = this;
    const ports = [links + ways.from[way], links + ways.ranks + ways.to[way]];
    const limited = ports.filter((port) => this.free[port] < Number.POSITIVE_INFINITY);
    const needed = [...ways.link.subarray(ways.firstLink[way], ways.firstLink[way + 1]), ...limited];
    this.needed[way] = needed;
    return needed;
  }

  /** Messages that a resource has room for at this instant. */
  room(resource: number): number {
    return this.free[resource];
  }

  /** Starts message m on a way that is free; returns when it arrives. */
  start(message: number, way: number, bytes: Bytes): Seconds {
    const { ways, now, events } = this;
    const arrival = now + ways.latency[way] + bytes / ways.bandwidth[way];
    events.push(arrival, 2 * message);
    this.hold(this.links + ways.from[way], arrival);
    this.hold(this.links + ways.ranks + ways.to[way], arrival);
    for (let l = ways.firstLink[way]; l < ways.firstLink[way + 1]; l++) {
      const { occupancy, bandwidth } = ways.topology.links[ways.link[l]];
      this.hold(ways.link[l], occupancy === 'blocking' ? arrival : now + bytes / bandwidth);
    }
    return arrival;
  }

  /** Goes on to the next instant at which something happens; false when nothing will. */
  advance(listener: Listener): boolean {
    if (this.events.length === 0) return false;
    const end = this.events.leastKey * sameInstant;
    while (this.events.leastKey <= end) {
      this.now = this.events.leastKey;
      const event = this.events.pop();
      if (event % 2 === 0) listener.arrived(event / 2);
      else this.release((event - 1) / 2, listener);
    }
    return true;
  }

  private hold(resource: number, until: Seconds): void {
    if (this.free[resource] === Number.POSITIVE_INFINITY) return;
    this.free[resource]--;
    this.events.push(until, 2 * resource + 1);
  }

  private release(resource: number, listener: Listener): void {
    const { ways, links } = this;
    this.free[resource]++;
    if (resource < links) {
      for (let w = this.firstOverLink[resource]; w < this.firstOverLink[resource + 1]; w++) {
        listener.freed(this.wayOverLink[w]);
      }
    } else if (resource < links + ways.ranks) {
      const rank = resource - links;
      for (let way = ways.firstOut[rank]; way < ways.firstOut[rank + 1]; way++) listener.freed(way);
    } else {
      const rank = resource - links - ways.ranks;
      for (let w = ways.firstInto[rank]; w < ways.firstInto[rank + 1]; w++) listener.freed(ways.into[w]);
    }
  }
}

/** Which links and ports messages occupy, and until when (docs/architecture.md, The model of time). */
import { KeyedHeap } from '../../../graph/keyed-heap.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { sameInstant } from '../../../model/simulate/simulation.ts';
import type { RouteTable } from '../route-table.ts';

/** Receives the events of an instant: arrivals, and arcs whose links or ports have become free. */
export interface Listener {
  arrived(message: number): void;
  /** Called for an arc that may be free now. */
  freed(way: number): void;
}

/** The clock and the occupied links and ports of one attempt. */
export class LinkOccupancy {
  now: Seconds = 0;
  private readonly routes: RouteTable;
  /** By resource (link or port): how many more messages it can take now, and the arcs that use it. */
  readonly room: Float64Array;
  private readonly users: readonly number[][];
  /** The resources of arc w are `resources[first[w]] … resources[first[w + 1] − 1]`. */
  private readonly resources: Int32Array;
  private readonly first: Int32Array;
  /** Keyed by time: 2m is the arrival of message m, 2r + 1 means that resource r becomes free. */
  private readonly events = new KeyedHeap(1024);

  constructor(ways: RouteTable) {
    this.routes = ways;
    this.room = ways.capacity.slice();
    this.users = Array.from(this.room, () => []);
    this.resources = Int32Array.from(ways.arcs.flatMap(({ resources }) => resources));
    this.first = new Int32Array(ways.arcs.length + 1);
    for (const [way, { resources }] of ways.arcs.entries()) {
      this.first[way + 1] = this.first[way] + resources.length;
      for (const resource of resources) this.users[resource].push(way);
    }
  }

  /** Whether a message could start on an arc now. */
  isFree(way: number): boolean {
    const { first, resources, room } = this;
    for (let i = first[way]; i < first[way + 1]; i++) if (room[resources[i]] <= 0) return false;
    return true;
  }

  /** Starts a message on a free arc; returns its arrival time in seconds. */
  start(message: number, way: number, bytes: Bytes): Seconds {
    const { latency, bandwidth, resources, secondsPerByte, held } = this.routes.arcs[way];
    const arrival = this.now + latency + bytes / bandwidth;
    this.events.push(arrival, 2 * message);
    for (let i = 0; i < resources.length; i++) {
      this.room[resources[i]]--;
      this.events.push(held[i] ? arrival : this.now + bytes * secondsPerByte[i], 2 * resources[i] + 1);
    }
    return arrival;
  }

  /** Advances to the next instant at which something happens; returns false if nothing is pending. */
  advance(listener: Listener): boolean {
    const { events, room, users } = this;
    if (events.length === 0) return false;
    const end = events.minKey * sameInstant;
    while (events.minKey <= end) {
      this.now = events.minKey;
      const event = events.pop();
      const resource = event >> 1;
      if (event % 2 === 0) listener.arrived(event / 2);
      else {
        room[resource]++;
        for (const way of users[resource]) listener.freed(way);
      }
    }
    return true;
  }
}

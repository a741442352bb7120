/** Buffered connections: those whose route has a link that a proxy sends on. */
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { SimulatedConnections } from './connections.ts';

export class Proxies {
  private readonly connections: SimulatedConnections;
  private readonly buffered: Uint8Array;
  /** By connection: the minimum bandwidth that its proxies reach for one connection, and the minimum of that and the bandwidth of the route. */
  private readonly bandwidth: Float64Array;
  private readonly pace: Float64Array;
  /** By link. */
  private readonly gap: Float64Array;
  private readonly above: Float64Array;
  private readonly rendezvousGap: Float64Array;

  constructor(connections: SimulatedConnections, { links }: Topology) {
    this.connections = connections;
    this.gap = Float64Array.from(links, ({ lane }) => lane?.gap ?? 0);
    this.above = Float64Array.from(links, ({ lane }) => lane?.rendezvous?.above ?? Number.POSITIVE_INFINITY);
    this.rendezvousGap = Float64Array.from(links, ({ lane }) => lane?.rendezvous?.gap ?? 0);
    this.buffered = new Uint8Array(connections.count);
    this.bandwidth = new Float64Array(connections.count).fill(Number.POSITIVE_INFINITY);
    this.pace = connections.bandwidth.slice();
    for (let c = 0; c < connections.count; c++) {
      for (let r = connections.firstRouteLink[c]; r < connections.firstRouteLink[c + 1]; r++) {
        const { lane } = links[connections.routeLink[r]];
        if (lane?.buffered !== true) continue;
        this.buffered[c] = 1;
        this.bandwidth[c] = Math.min(this.bandwidth[c], lane.bandwidth);
      }
      this.pace[c] = Math.min(this.pace[c], this.bandwidth[c]);
    }
  }

  isBuffered(connection: number): boolean {
    return this.buffered[connection] === 1;
  }

  /** Seconds for which a proxy sends the bytes of a message: n / min(β, bandwidth of one connection). */
  duration(connection: number, bytes: Bytes): Seconds {
    return bytes / this.pace[connection];
  }

  /** Seconds for which a message delays the next one of its connection: the maximum gap of its route plus its bytes. */
  hold(connection: number, bytes: Bytes): Seconds {
    const { firstRouteLink, routeLink } = this.connections;
    let gap = 0;
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      const link = routeLink[r];
      gap = Math.max(gap, this.gap[link] + (bytes > this.above[link] ? this.rendezvousGap[link] : 0));
    }
    return gap + bytes / this.bandwidth[connection];
  }
}

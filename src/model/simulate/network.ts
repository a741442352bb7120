/**
 * Links and ports, and the messages that wait for them. A message starts when all links and ports of its route are free at once. Program order
 * decides between messages that could start at the same instant, and every message that can start does.
 *
 * A blocked message stands in the wait list of one occupied resource. When that becomes free, the first message of the list is tried again. Among
 * messages with the same route only the first one stands in a wait list, since whatever blocks it blocks the others as well; so no event examines
 * messages that it cannot unblock.
 */

import { KeyedHeap } from '../../graph/keyed-heap.ts';
import { none } from '../../ir/none.ts';
import type { Topology } from '../../ir/topology.ts';
import type { SimulatedConnections } from './connections.ts';

/** Called for a message that starts. `waitedFor` is the instance that freed the last resource for which the message waited, or `none`. */
export type StartMessage = (connection: number, waitedFor: number) => void;

export class Network {
  private readonly connections: SimulatedConnections;
  private readonly blocking: Uint8Array;
  /** Node of each connection's sender and receiver. */
  private readonly senderNode: Int32Array;
  private readonly receiverNode: Int32Array;
  /**
   * Number of links. Resources are numbered: the links, then three for each node: its send port, its receive port, and its gate, which is closed
   * while the chip reduces without overlap.
   */
  private readonly links: number;
  private readonly free: Float64Array;
  private readonly freedBy: Int32Array;
  private readonly waiting: (KeyedHeap | undefined)[];
  /** Connections whose message may be able to start, and ~resource for the first waiter of a freed resource, in program order. */
  private readonly candidates = new KeyedHeap();
  private readonly isCandidate: Uint8Array;
  /** Program order of the message each connection offers. */
  private readonly order: Float64Array;
  /** By the first connection of each route: the connection whose message is the next one on the route, and the later ones in program order. */
  private readonly next: Int32Array;
  private readonly later: (KeyedHeap | undefined)[];
  private readonly underWay: Int32Array;

  constructor(connections: SimulatedConnections, topology: Topology) {
    const { nodes, links, chips } = topology;
    const resources = links.length + 3 * nodes.length;
    this.connections = connections;
    this.blocking = Uint8Array.from(links, (link) => (link.occupancy === 'blocking' ? 1 : 0));
    this.senderNode = connections.sender.map((rank) => chips[rank]);
    this.receiverNode = connections.receiver.map((rank) => chips[rank]);
    this.links = links.length;
    this.free = new Float64Array(resources).fill(1);
    nodes.forEach((node, index) => {
      this.free[this.sendPort(index)] = node.ports.send;
      this.free[this.receivePort(index)] = node.ports.receive;
    });
    this.freedBy = new Int32Array(resources).fill(none);
    this.waiting = new Array<KeyedHeap | undefined>(resources).fill(undefined);
    this.isCandidate = new Uint8Array(resources);
    this.order = new Float64Array(connections.count);
    this.next = new Int32Array(connections.count).fill(none);
    this.later = new Array<KeyedHeap | undefined>(connections.count).fill(undefined);
    this.underWay = new Int32Array(nodes.length);
  }

  /** Messages that are being sent or received by a chip (not those that only pass through). */
  messagesAt(node: number): number {
    return this.underWay[node];
  }

  /**
   * Offers the next message of a connection; a connection offers one at a time. It becomes a candidate unless another message precedes it on its
   * route.
   */
  offer(connection: number, order: number): void {
    const route = this.connections.sameRoute[connection];
    const next = this.next[route];
    this.order[connection] = order;
    if (next !== none && this.order[next] < order) this.comesLater(route, connection);
    else {
      if (next !== none) this.comesLater(route, next);
      this.becomesNext(route, connection);
    }
  }

  /** Starts, in program order, all candidates that can start. */
  dispatch(start: StartMessage): void {
    const { candidates } = this;
    while (candidates.length > 0) {
      const order = candidates.minKey;
      const candidate = candidates.pop();
      if (candidate < 0) this.wakeFirst(~candidate, start);
      else if (this.isNext(candidate, order)) this.attempt(candidate, none, start);
    }
  }

  /** Records the arrival of a message, and frees its ports and the blocking links of its route. */
  arrive(connection: number, instance: number): void {
    const { firstRouteLink, routeLink } = this.connections;
    const from = this.senderNode[connection];
    const to = this.receiverNode[connection];
    this.underWay[from]--;
    this.underWay[to]--;
    this.release(this.sendPort(from), instance);
    this.release(this.receivePort(to), instance);
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      if (this.blocking[routeLink[r]] === 1) this.release(routeLink[r], instance);
    }
  }

  /** Frees one unit of a resource: a pipelined link when the last byte has entered it. */
  release(resource: number, instance: number): void {
    this.free[resource]++;
    this.freedBy[resource] = instance;
    this.makeCandidate(resource);
  }

  /** Keeps a chip from sending and receiving, while it reduces without overlap. */
  close(node: number): void {
    this.free[this.gate(node)] = 0;
  }

  open(node: number, instance: number): void {
    this.release(this.gate(node), instance);
  }

  private sendPort(node: number): number {
    return this.links + 3 * node;
  }

  private receivePort(node: number): number {
    return this.links + 3 * node + 1;
  }

  private gate(node: number): number {
    return this.links + 3 * node + 2;
  }

  private makeCandidate(resource: number): void {
    const queue = this.waiting[resource];
    if (queue === undefined || queue.length === 0 || this.isCandidate[resource] === 1) return;
    this.isCandidate[resource] = 1;
    this.candidates.push(queue.minKey, ~resource);
  }

  private wakeFirst(resource: number, start: StartMessage): void {
    this.isCandidate[resource] = 0;
    const queue = this.waiting[resource];
    if (queue === undefined || this.free[resource] <= 0) return;
    const order = queue.minKey;
    const connection = queue.pop();
    if (this.isNext(connection, order)) this.attempt(connection, this.freedBy[resource], start);
    if (this.free[resource] > 0) this.makeCandidate(resource);
  }

  private comesLater(route: number, connection: number): void {
    this.later[route] ??= new KeyedHeap();
    this.later[route].push(this.order[connection], connection);
  }

  private becomesNext(route: number, connection: number): void {
    this.next[route] = connection;
    this.candidates.push(this.order[connection], connection);
  }

  /** Whether the message of that program order still waits and is the first one of its route. */
  private isNext(connection: number, order: number): boolean {
    return this.next[this.connections.sameRoute[connection]] === connection && this.order[connection] === order;
  }

  private attempt(connection: number, waitedFor: number, start: StartMessage): void {
    const taken = this.takenResource(connection);
    if (taken !== none) {
      this.waiting[taken] ??= new KeyedHeap();
      this.waiting[taken].push(this.order[connection], connection);
      return;
    }
    const { firstRouteLink, routeLink, sameRoute } = this.connections;
    const route = sameRoute[connection];
    const from = this.senderNode[connection];
    const to = this.receiverNode[connection];
    this.underWay[from]++;
    this.underWay[to]++;
    this.free[this.sendPort(from)]--;
    this.free[this.receivePort(to)]--;
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) this.free[routeLink[r]]--;
    const later = this.later[route];
    if (later === undefined || later.length === 0) this.next[route] = none;
    else this.becomesNext(route, later.pop());
    start(connection, waitedFor);
  }

  /** An occupied resource that a connection's message needs, or `none`. */
  private takenResource(connection: number): number {
    const { free } = this;
    const { firstRouteLink, routeLink } = this.connections;
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      if (free[routeLink[r]] <= 0) return routeLink[r];
    }
    const from = this.senderNode[connection];
    const to = this.receiverNode[connection];
    if (free[this.sendPort(from)] <= 0) return this.sendPort(from);
    if (free[this.receivePort(to)] <= 0) return this.receivePort(to);
    if (free[this.gate(from)] <= 0) return this.gate(from);
    if (free[this.gate(to)] <= 0) return this.gate(to);
    return none;
  }
}

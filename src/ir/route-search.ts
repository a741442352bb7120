/** Searches the best routes from one node to all others with Dijkstra's algorithm; routes.ts defines which route is best. */
import { floatAt, intAt, itemAt } from './indexing.ts';
import type { Topology } from './topology.ts';

/** The result of a search: the best routes from one node, as links to follow back from any other node. */
export interface Reach {
  /** The last link of each node's route, −1 where there is none. */
  readonly previous: Int32Array;
  /** For each node that equally good routes reach over several switches: the last links of all these routes, in the order of the switches. */
  readonly others: ReadonlyMap<number, readonly number[]>;
}

export class RouteSearch {
  private readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  private readonly femtoseconds: Float64Array;
  /** By node, the best route known so far: its last link, latency in femtoseconds, number of links and bandwidth. */
  private readonly previous: Int32Array;
  private readonly latency: Float64Array;
  private readonly hops: Int32Array;
  private readonly bandwidth: Float64Array;
  private readonly others = new Map<number, number[]>();
  private readonly queue: NodeQueue;

  /**
   * @param outgoing links that leave each node
   * @param femtoseconds by link: its latency
   */
  constructor(topology: Topology, outgoing: readonly (readonly number[])[], femtoseconds: Float64Array) {
    const count = topology.nodes.length;
    this.topology = topology;
    this.outgoing = outgoing;
    this.femtoseconds = femtoseconds;
    this.previous = new Int32Array(count).fill(-1);
    this.latency = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.hops = new Int32Array(count);
    this.bandwidth = new Float64Array(count);
    this.queue = new NodeQueue(count, (a, b) => this.isCloser(a, b));
  }

  from(source: number): Reach {
    const { queue } = this;
    this.bandwidth[source] = Number.POSITIVE_INFINITY;
    this.latency[source] = 0;
    queue.update(source);
    for (let node = queue.pop(); node !== -1; node = queue.pop()) {
      for (const link of itemAt(this.outgoing, node)) this.consider(link);
    }
    return { previous: this.previous, others: this.others };
  }

  private isCloser(a: number, b: number): boolean {
    const { latency, hops, bandwidth } = this;
    if (latency[a] !== latency[b]) return floatAt(latency, a) < floatAt(latency, b);
    if (hops[a] !== hops[b]) return intAt(hops, a) < intAt(hops, b);
    if (bandwidth[a] !== bandwidth[b]) return floatAt(bandwidth, a) > floatAt(bandwidth, b);
    return a < b;
  }

  /** Relaxes a link, the best route to whose start is known. */
  private consider(index: number): void {
    const { latency, hops, bandwidth, previous } = this;
    const { from, to, bandwidth: ofLink } = itemAt(this.topology.links, index);
    const arrival = floatAt(latency, from) + floatAt(this.femtoseconds, index);
    const width = Math.min(floatAt(bandwidth, from), ofLink);
    const isEven = arrival === latency[to] && intAt(hops, from) + 1 === hops[to];
    const isBetter =
      arrival < floatAt(latency, to) ||
      (arrival === latency[to] && intAt(hops, from) + 1 < intAt(hops, to)) ||
      (isEven && width > floatAt(bandwidth, to));
    if (!isBetter) {
      if (isEven && width === bandwidth[to]) this.addChoice(index);
      return;
    }
    this.others.delete(to);
    latency[to] = arrival;
    hops[to] = intAt(hops, from) + 1;
    bandwidth[to] = width;
    previous[to] = index;
    this.queue.update(to);
  }

  /** Records a link that ends a route as good as the best one known; it is a choice if both routes come from switches. */
  private addChoice(index: number): void {
    const { nodes, links } = this.topology;
    const { to } = itemAt(links, index);
    const isSwitch = (link: number): boolean => itemAt(nodes, itemAt(links, link).from).kind !== 'chip';
    if (!isSwitch(index) || !isSwitch(intAt(this.previous, to))) return;
    const choices = [...(this.others.get(to) ?? [intAt(this.previous, to)]), index];
    this.others.set(
      to,
      choices.sort((a, b) => itemAt(links, a).from - itemAt(links, b).from),
    );
  }
}

/** A binary heap of nodes whose priority may improve while they are in it. */
class NodeQueue {
  private readonly heap: number[] = [];
  private readonly place: Int32Array;
  private readonly before: (a: number, b: number) => boolean;

  constructor(nodes: number, before: (a: number, b: number) => boolean) {
    this.place = new Int32Array(nodes).fill(-1);
    this.before = before;
  }

  /** Adds a node, or restores the heap after the node's priority has improved. */
  update(node: number): void {
    if (this.place[node] === -1) {
      this.place[node] = this.heap.length;
      this.heap.push(node);
    }
    for (let at = intAt(this.place, node); at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.before(itemAt(this.heap, at), itemAt(this.heap, parent))) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns the first node; −1 if the heap is empty. */
  pop(): number {
    if (this.heap.length === 0) return -1;
    const first = itemAt(this.heap, 0);
    this.swap(0, this.heap.length - 1);
    this.heap.pop();
    this.place[first] = -1;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.heap.length && this.before(itemAt(this.heap, left), itemAt(this.heap, least))) least = left;
      if (right < this.heap.length && this.before(itemAt(this.heap, right), itemAt(this.heap, least))) least = right;
      if (least === at) return first;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(a: number, b: number): void {
    const { heap, place } = this;
    [heap[a], heap[b]] = [itemAt(heap, b), itemAt(heap, a)];
    place[itemAt(heap, a)] = a;
    place[itemAt(heap, b)] = b;
  }
}

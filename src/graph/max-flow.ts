/**
 * Maximum flow and minimum cut by Dinic's algorithm (1970) over integer capacities, so that results are exact. O(nodes²
 * · arcs).
 */

/** Larger than any capacity; sums of a few million of them stay exact. */
export const unlimited = 2 ** 52;

/**
 * A directed network with integer capacities up to 2^52. Arcs are added in pairs, arc 2i and its reverse 2i + 1: flow
 * through one adds residual capacity to the other.
 */
export class FlowNetwork {
  readonly nodes: number;
  /** By arc: its head, its capacity, and its residual capacity after the last flow. */
  private head: Int32Array;
  private given: Float64Array;
  private residual: Float64Array;
  private arcs = 0;
  /** The arcs that leave a node form a linked list, in the order in which they were added; −1 ends it. */
  private readonly firstArc: Int32Array;
  private readonly lastArc: Int32Array;
  private nextArc: Int32Array;
  private readonly level: Int32Array;
  private readonly cursor: Int32Array;
  private readonly queue: Int32Array;
  private readonly path: Int32Array;
  /** Arcs visited so far, as a measure of work for budgets. */
  work = 0;

  constructor(nodes: number) {
    this.nodes = nodes;
    const arcs = 2 * (nodes + 1);
    this.head = new Int32Array(arcs);
    this.given = new Float64Array(arcs);
    this.residual = new Float64Array(arcs);
    this.nextArc = new Int32Array(arcs);
    this.firstArc = new Int32Array(nodes).fill(-1);
    this.lastArc = new Int32Array(nodes).fill(-1);
    this.level = new Int32Array(nodes);
    this.cursor = new Int32Array(nodes);
    this.queue = new Int32Array(nodes);
    this.path = new Int32Array(nodes);
  }

  /** Adds an arc and returns its number, for `setCapacity` and `flow`. */
  add(from: number, to: number, capacity: number, reverseCapacity = 0): number {
    const arc = this.arcs;
    if (arc === this.head.length) this.grow();
    this.append(from, to, capacity);
    this.append(to, from, reverseCapacity);
    return arc;
  }

  setCapacity(arc: number, capacity: number): void {
    this.given[arc] = capacity;
  }

  /** The flow through an arc after the last `maxFlow`. */
  flow(arc: number): number {
    return this.given[arc] - this.residual[arc];
  }

  /** The maximum flow from source to sink, or `enough` as soon as it is at least that. */
  maxFlow(source: number, sink: number, enough = Number.POSITIVE_INFINITY): number {
    for (let arc = 0; arc < this.arcs; arc++) this.residual[arc] = this.given[arc];
    return this.moreFlow(source, sink, enough);
  }

  /**
   * Like `maxFlow`, but augments the flow that is already there; returns the additional flow. Capacities must not have
   * changed.
   */
  moreFlow(source: number, sink: number, enough = Number.POSITIVE_INFINITY): number {
    let total = 0;
    while (total < enough && this.layer(source, sink)) {
      this.cursor.set(this.firstArc);
      for (let pushed = 1; pushed > 0 && total < enough; total += pushed) {
        pushed = this.augment(source, sink, enough - total);
      }
    }
    return total;
  }

  /**
   * After `maxFlow` has ended below `enough`: 1 for the nodes reachable from the source in the residual network. This
   * is the smallest source side of all minimum cuts.
   */
  sourceSide(): Uint8Array {
    return Uint8Array.from(this.level, (level) => (level >= 0 ? 1 : 0));
  }

  private append(from: number, to: number, capacity: number): void {
    const arc = this.arcs++;
    this.head[arc] = to;
    this.given[arc] = capacity;
    this.residual[arc] = capacity;
    this.nextArc[arc] = -1;
    if (this.firstArc[from] === -1) this.firstArc[from] = arc;
    else this.nextArc[this.lastArc[from]] = arc;
    this.lastArc[from] = arc;
  }

  /** Doubles the room for arcs. */
  private grow(): void {
    const room = 2 * this.arcs;
    const ints = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const larger = new Int32Array(room);
      larger.set(old);
      return larger;
    };
    const doubles = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(room);
      larger.set(old);
      return larger;
    };
    this.head = ints(this.head);
    this.nextArc = ints(this.nextArc);
    this.given = doubles(this.given);
    this.residual = doubles(this.residual);
  }

  /** Builds the level graph by breadth-first search up to the sink; false if the sink is unreachable. */
  private layer(source: number, sink: number): boolean {
    const { level, queue, residual, head, firstArc, nextArc } = this;
    level.fill(-1);
    level[source] = 0;
    queue[0] = source;
    let last = 1;
    for (let first = 0; first < last; first++) {
      const node = queue[first];
      const next = level[node] + 1;
      for (let arc = firstArc[node]; arc !== -1; arc = nextArc[arc]) {
        this.work++;
        const to = head[arc];
        if (residual[arc] <= 0 || level[to] >= 0) continue;
        level[to] = next;
        // Nodes at the sink's level or beyond are on no shortest augmenting path.
        if (to === sink) return true;
        queue[last++] = to;
      }
    }
    return false;
  }

  /** Pushes flow along one path of the level graph, iteratively; 0 if there is none left. */
  private augment(source: number, sink: number, most: number): number {
    const { level, cursor, residual, head, nextArc, path } = this;
    let length = 0;
    let amount = most;
    for (let node = source; node !== sink; ) {
      let arc = cursor[node];
      const next = level[node] + 1;
      while (arc !== -1 && (residual[arc] <= 0 || level[head[arc]] !== next)) arc = nextArc[arc];
      cursor[node] = arc;
      if (arc !== -1) {
        path[length++] = arc;
        node = head[arc];
        continue;
      }
      if (length === 0) return 0;
      const back = path[--length];
      node = head[back ^ 1];
      cursor[node] = nextArc[back];
    }
    this.work += length;
    for (let i = 0; i < length; i++) amount = Math.min(amount, residual[path[i]]);
    for (let i = 0; i < length; i++) {
      residual[path[i]] -= amount;
      residual[path[i] ^ 1] += amount;
    }
    return amount;
  }
}

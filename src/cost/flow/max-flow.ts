/** Maximum flow and minimum cut (Dinic 1970) over whole capacities, so that the answers are exact. */

/** Larger than any capacity; sums of a few million of them stay exact. */
export const unlimited = 2 ** 52;

/**
 * A directed network whose capacities are whole numbers up to 2^52. Arcs are added in pairs: arc 2i and its reverse 2i + 1;
 * pushing flow through one adds to what its partner can take back.
 */
export class FlowNetwork {
  readonly nodes: number;
  /** Ends of arcs and their capacities: as they are added, and in tables once a flow has been asked for. */
  private readonly heads: number[] = [];
  private readonly added: number[] = [];
  private head = new Int32Array(0);
  private given = new Float64Array(0);
  private residual = new Float64Array(0);
  private firstArc = new Int32Array(0);
  private arcsByTail = new Int32Array(0);
  private readonly level: Int32Array;
  private readonly cursor: Int32Array;
  private readonly queue: Int32Array;
  private stale = true;
  /** Arcs looked at so far: the measure of work for budgets. */
  work = 0;

  constructor(nodes: number) {
    this.nodes = nodes;
    this.level = new Int32Array(nodes);
    this.cursor = new Int32Array(nodes);
    this.queue = new Int32Array(nodes);
  }

  /** Adds an arc and returns its number, for `setCapacity` and `flow`. */
  add(from: number, to: number, capacity: number, reverseCapacity = 0): number {
    this.heads.push(to, from);
    this.added.push(capacity, reverseCapacity);
    this.stale = true;
    return this.heads.length - 2;
  }

  capacity(arc: number): number {
    return this.added[arc];
  }

  setCapacity(arc: number, capacity: number): void {
    this.added[arc] = capacity;
    this.given[arc] = capacity;
  }

  /** What the last `maxFlow` sent through an arc. */
  flow(arc: number): number {
    return this.given[arc] - this.residual[arc];
  }

  /** The greatest flow from source to sink, or `enough` if it is at least that: the search ends there. */
  maxFlow(source: number, sink: number, enough = Number.POSITIVE_INFINITY): number {
    if (this.stale) this.index();
    this.residual.set(this.given);
    return this.moreFlow(source, sink, enough);
  }

  /** As `maxFlow`, on top of the flow that is there: what else can go from source to sink. Capacities must not have changed. */
  moreFlow(source: number, sink: number, enough = Number.POSITIVE_INFINITY): number {
    let total = 0;
    while (total < enough && this.layer(source, sink)) {
      for (let node = 0; node < this.nodes; node++) this.cursor[node] = this.firstArc[node];
      for (let pushed = 1; pushed > 0 && total < enough; total += pushed) {
        pushed = this.augment(source, sink, enough - total);
      }
    }
    return total;
  }

  /**
   * After `maxFlow` has ended without reaching `enough`: 1 for the nodes that the source still reaches. That is the smallest
   * inside of all minimum cuts.
   */
  sourceSide(): Uint8Array {
    return Uint8Array.from(this.level, (level) => (level >= 0 ? 1 : 0));
  }

  /** Sorts arcs by the node they leave. */
  private index(): void {
    const arcs = this.heads.length;
    this.head = Int32Array.from(this.heads);
    this.given = Float64Array.from(this.added);
    this.residual = new Float64Array(arcs);
    this.firstArc = new Int32Array(this.nodes + 1);
    for (let arc = 0; arc < arcs; arc++) this.firstArc[this.head[arc ^ 1] + 1]++;
    for (let node = 0; node < this.nodes; node++) this.firstArc[node + 1] += this.firstArc[node];
    const next = this.firstArc.slice();
    this.arcsByTail = new Int32Array(arcs);
    for (let arc = 0; arc < arcs; arc++) this.arcsByTail[next[this.head[arc ^ 1]]++] = arc;
    this.stale = false;
  }

  /** Distances from the source over arcs with room; false if the sink is out of reach. */
  private layer(source: number, sink: number): boolean {
    const { level, queue, residual, head } = this;
    level.fill(-1);
    level[source] = 0;
    queue[0] = source;
    let last = 1;
    for (let first = 0; first < last; first++) {
      const node = queue[first];
      this.work += this.firstArc[node + 1] - this.firstArc[node];
      for (let a = this.firstArc[node]; a < this.firstArc[node + 1]; a++) {
        const arc = this.arcsByTail[a];
        const to = head[arc];
        if (residual[arc] <= 0 || level[to] >= 0) continue;
        level[to] = level[node] + 1;
        queue[last++] = to;
      }
    }
    return level[sink] >= 0;
  }

  /** Pushes flow along one path of the layers, found without recursion; 0 when there is none left. */
  private augment(source: number, sink: number, most: number): number {
    const { level, cursor, residual, head, arcsByTail, firstArc } = this;
    const path: number[] = [];
    let node = source;
    while (node !== sink) {
      let advanced = false;
      for (; cursor[node] < firstArc[node + 1]; cursor[node]++) {
        const arc = arcsByTail[cursor[node]];
        if (residual[arc] <= 0 || level[head[arc]] !== level[node] + 1) continue;
        path.push(arc);
        node = head[arc];
        advanced = true;
        break;
      }
      if (advanced) continue;
      const back = path.pop();
      if (back === undefined) return 0;
      node = head[back ^ 1];
      cursor[node]++;
    }
    this.work += path.length;
    let amount = most;
    for (const arc of path) amount = Math.min(amount, residual[arc]);
    for (const arc of path) {
      residual[arc] -= amount;
      residual[arc ^ 1] += amount;
    }
    return amount;
  }
}

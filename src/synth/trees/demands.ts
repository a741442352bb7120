/**
 * What trees that are not complete still ask of the capacities: each batch must be able to send its amount from any of its nodes
 * to every node outside. That is a maximum flow from many suppliers (Ford and Fulkerson 1956). Paths are looked for backwards from
 * the rank that is to get everything, for many suppliers at once; packing trees asks for thousands of such flows.
 */
import type { TreeProblem } from './scale.ts';

/** Equal trees while they grow. */
export interface Batch {
  amount: number;
  readonly joined: number[];
  /** Depth of each node, −1 outside the trees. */
  readonly depth: Int32Array;
}

export class Demands {
  /** What is left of each edge, by from · N + to. */
  readonly capacity: Float64Array;
  private readonly ranks: number;
  /** Ranks with an edge to each rank, or from it. */
  private readonly neighbours: readonly (readonly number[])[];
  /** Batches that grow, with their numbers as suppliers; number 0 is the start of the edge that is asked for. */
  private readonly numberOf = new Map<Batch, number>();
  private numbers = 1;
  /** Numbers of the suppliers at each rank. */
  private readonly at: number[][];
  /** What each supplier sends in a flow, what it has left, and what it has handed over at each rank, by supplier · N + rank. */
  private readonly amounts: Float64Array;
  private readonly left: Float64Array;
  private readonly handed: Float64Array;
  private handedAt: number[][] = [];
  /** What flows over each edge, and the edges on which there is or was something. */
  private readonly flow: Float64Array;
  private used: number[] = [];
  /** Of ranks, and then of suppliers: the search that came past, and the next node on the way to the end. */
  private readonly seenBy: Int32Array;
  private readonly next: Int32Array;
  private search = 0;
  private work = 0;

  constructor({ graph: { chips, capacity }, roots, trees }: TreeProblem) {
    const all = Array.from({ length: chips }, (_, rank) => rank);
    this.ranks = chips;
    this.capacity = capacity.slice();
    this.neighbours = all.map((a) => all.filter((b) => capacity[a * chips + b] > 0 || capacity[b * chips + a] > 0));
    this.at = all.map(() => []);
    // Batches are no more than trees.
    const suppliers = 1 + roots.reduce((sum, { share }) => sum + share * trees, 0);
    this.amounts = new Float64Array(suppliers);
    this.left = new Float64Array(suppliers);
    this.handed = new Float64Array(suppliers * chips);
    this.flow = new Float64Array(chips * chips);
    this.seenBy = new Int32Array(chips + suppliers);
    this.next = new Int32Array(chips + suppliers);
  }

  /**
   * For how many trees of a batch an edge can be used, so that all others and the rest of these remain possible: what
   * flows from its start and from all other batches to its end, beyond what the others need.
   */
  spare(batch: Batch, from: number, to: number): number {
    const most = Math.min(batch.amount, this.capacity[from * this.ranks + to]);
    let missing = this.begin(batch, to, most);
    this.at[from].push(0);
    missing -= this.handOverNextTo(to);
    for (let arrived = 1; arrived > 0 && missing > 0; missing -= arrived) {
      arrived = 0;
      for (const supplier of this.findPaths(to, missing)) arrived += this.send(supplier, to);
    }
    this.at[from].pop();
    return Math.max(0, most - missing);
  }

  /** Links and suppliers that were looked at since it was asked before. */
  newWork(): number {
    const since = this.work;
    this.work = 0;
    return since;
  }

  /** A batch is there from now on. */
  add(batch: Batch): void {
    this.numberOf.set(batch, this.numbers);
    for (const rank of batch.joined) this.at[rank].push(this.numbers);
    this.numbers++;
  }

  /** A batch has got an edge. */
  extended(batch: Batch, from: number, to: number): void {
    this.capacity[from * this.ranks + to] -= batch.amount;
    const number = this.numberOf.get(batch);
    if (number !== undefined) this.at[to].push(number);
  }

  /** The trees of a batch are complete. */
  finished(batch: Batch): void {
    const number = this.numberOf.get(batch);
    this.numberOf.delete(batch);
    for (const there of this.at) there.splice(there.indexOf(number ?? -1), 1);
  }

  /** Nothing flows yet, and everybody has what is to be sent: says how much that is. */
  private begin(batch: Batch, to: number, most: number): number {
    for (const edge of this.used) this.flow[edge] = 0;
    for (const [supplier, ranks] of this.handedAt.entries()) {
      for (const rank of ranks) this.handed[supplier * this.ranks + rank] = 0;
    }
    this.used = [];
    this.handedAt = Array.from({ length: this.numbers }, () => []);
    this.amounts.fill(0);
    this.amounts[0] = most;
    let sum = most;
    for (const [other, number] of this.numberOf) {
      // Trees that have the node already need nothing there.
      if (other === batch || other.depth[to] !== -1) continue;
      this.amounts[number] = other.amount;
      sum += other.amount;
    }
    this.left.set(this.amounts);
    return sum;
  }

  /** What can go over a single edge: most of everything, without a search. */
  private handOverNextTo(end: number): number {
    let sum = 0;
    for (const rank of this.neighbours[end]) {
      let room = this.room(rank, end);
      for (const supplier of this.at[rank]) {
        if (room === 0) break;
        const amount = Math.min(room, this.left[supplier]);
        if (amount === 0) continue;
        this.left[supplier] -= amount;
        room -= amount;
        sum += amount;
        this.hand(supplier, rank, amount);
        this.push(rank, end, amount);
      }
    }
    return sum;
  }

  /**
   * Looks backwards from the end, breadth-first, for suppliers that have something left, until they have as much as is missing;
   * `next` leads from them to the end.
   */
  private findPaths(end: number, missing: number): readonly number[] {
    const { ranks, at, amounts, seenBy, next, left, handed } = this;
    const search = ++this.search;
    const queue = [end];
    const found: number[] = [];
    let foundAmount = 0;
    seenBy[end] = search;
    const reach = (node: number, after: number): void => {
      seenBy[node] = search;
      next[node] = after;
      queue.push(node);
    };
    for (const node of queue) {
      if (node >= ranks) {
        // What it handed over at one rank it can hand over elsewhere, and that rank's edges are free for others.
        const first = (node - ranks) * ranks;
        for (const rank of this.handedAt[node - ranks]) {
          if (seenBy[rank] !== search && handed[first + rank] > 0) reach(rank, node);
        }
        continue;
      }
      this.work += at[node].length + this.neighbours[node].length;
      for (const supplier of at[node]) {
        if (amounts[supplier] === 0 || seenBy[ranks + supplier] === search) continue;
        reach(ranks + supplier, node);
        if (left[supplier] === 0) continue;
        found.push(supplier);
        foundAmount += left[supplier];
        if (foundAmount >= missing) return found;
      }
      for (const rank of this.neighbours[node]) {
        if (seenBy[rank] !== search && this.room(rank, node) > 0) reach(rank, node);
      }
    }
    return found;
  }

  /** Sends what goes along the path of a supplier; 0 where others have filled it in the meantime. */
  private send(supplier: number, end: number): number {
    const { ranks, next } = this;
    const path: number[] = [];
    for (let node = ranks + supplier; node !== end; node = next[node]) path.push(node);
    let amount = this.left[supplier];
    for (const node of path) {
      const after = next[node];
      if (node < ranks) {
        const most = after < ranks ? this.room(node, after) : this.handed[(after - ranks) * ranks + node];
        amount = Math.min(amount, most);
      }
    }
    if (amount === 0) return 0;
    this.left[supplier] -= amount;
    for (const node of path) {
      const after = next[node];
      if (node >= ranks) this.hand(node - ranks, after, amount);
      else if (after < ranks) this.push(node, after, amount);
      else this.hand(after - ranks, node, -amount);
    }
    return amount;
  }

  /** What more can go over an edge, also instead of what comes the other way. */
  private room(from: number, to: number): number {
    const edge = from * this.ranks + to;
    return this.capacity[edge] - this.flow[edge] + this.flow[to * this.ranks + from];
  }

  private push(from: number, to: number, amount: number): void {
    const [edge, back] = [from * this.ranks + to, to * this.ranks + from];
    const cancelled = Math.min(amount, this.flow[back]);
    this.flow[back] -= cancelled;
    this.flow[edge] += amount - cancelled;
    this.used.push(edge);
  }

  private hand(supplier: number, rank: number, amount: number): void {
    this.handed[supplier * this.ranks + rank] += amount;
    if (amount > 0) this.handedAt[supplier].push(rank);
  }
}

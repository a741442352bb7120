/**
 * How much of what several suppliers have can get to one rank at once, within the capacities of edges: a maximum flow from many
 * sources (Ford and Fulkerson 1956). Paths are looked for backwards from the rank, for many suppliers at once; packing trees asks
 * for thousands of such flows.
 */

export class Delivery {
  /** Links and suppliers that were looked at so far. */
  work = 0;
  private readonly ranks: number;
  private readonly capacity: Float64Array;
  /** Ranks with an edge to rank r are `neighbour[firstNeighbour[r] … firstNeighbour[r + 1] − 1]`. */
  private readonly firstNeighbour: Int32Array;
  private readonly neighbour: Int32Array;
  /** `flow[from · N + to]`, and the edges on which there is or was some. */
  private readonly flow: Float64Array;
  private used: number[] = [];
  /** Numbers of the suppliers at each rank; those of them count that have an amount. */
  private readonly at: readonly (readonly number[])[];
  private amounts = new Float64Array(0);
  /** What each supplier has left, and what it has handed over at each rank. */
  private left = new Float64Array(0);
  private handed: Float64Array[] = [];
  private handedAt: number[][] = [];
  /** Of ranks, and then of suppliers: the search that came past, and the next node on the way to the end. */
  private seenBy = new Int32Array(0);
  private next = new Int32Array(0);
  private search = 0;

  /**
   * @param capacity of each edge by from · N + to; it may fall from one flow to the next
   * @param at numbers of the suppliers that have their data at each rank; they may change from one flow to the next
   */
  constructor(ranks: number, capacity: Float64Array, at: readonly (readonly number[])[]) {
    this.at = at;
    this.ranks = ranks;
    this.capacity = capacity;
    const neighbours = Array.from({ length: ranks }, (_, to) => {
      const all = Array.from({ length: ranks }, (__, from) => from);
      return all.filter((from) => capacity[from * ranks + to] > 0 || capacity[to * ranks + from] > 0);
    });
    this.neighbour = Int32Array.from(neighbours.flat());
    this.firstNeighbour = new Int32Array(ranks + 1);
    for (const [rank, own] of neighbours.entries())
      this.firstNeighbour[rank + 1] = this.firstNeighbour[rank] + own.length;
    this.flow = new Float64Array(ranks * ranks);
  }

  /**
   * The greatest amount that can arrive.
   *
   * @param amounts by supplier; 0 for those that have nothing to send there
   */
  most(amounts: Float64Array<ArrayBuffer>, end: number): number {
    this.clear(amounts);
    let missing = amounts.reduce((sum, amount) => sum + amount, 0);
    const wanted = missing;
    missing -= this.handOverNextTo(end);
    for (let arrived = 1; arrived > 0 && missing > 0; missing -= arrived) {
      arrived = 0;
      for (const supplier of this.findPaths(end, missing)) arrived += this.send(supplier, end);
    }
    return wanted - missing;
  }

  private clear(amounts: Float64Array<ArrayBuffer>): void {
    for (const edge of this.used) this.flow[edge] = 0;
    this.used = [];
    for (const [supplier, ranks] of this.handedAt.entries()) {
      for (const rank of ranks) this.handed[supplier][rank] = 0;
      this.handedAt[supplier] = [];
    }
    while (this.handed.length < amounts.length) {
      this.handed.push(new Float64Array(this.ranks));
      this.handedAt.push([]);
    }
    const nodes = this.ranks + amounts.length;
    if (this.next.length < nodes) {
      this.seenBy = new Int32Array(2 * nodes);
      this.next = new Int32Array(2 * nodes);
      this.search = 0;
    }
    this.amounts = amounts;
    this.left = amounts.slice();
  }

  /** What can go over a single edge: most of everything, without a search. */
  private handOverNextTo(end: number): number {
    const { ranks, capacity, at, left, firstNeighbour, neighbour } = this;
    let sum = 0;
    for (let n = firstNeighbour[end]; n < firstNeighbour[end + 1]; n++) {
      const rank = neighbour[n];
      let room = capacity[rank * ranks + end];
      for (const supplier of at[rank]) {
        if (room === 0) break;
        if (left[supplier] === 0) continue;
        const amount = Math.min(room, left[supplier]);
        left[supplier] -= amount;
        room -= amount;
        sum += amount;
        this.hand(supplier, rank, amount);
        this.push(rank, end, amount);
      }
    }
    return sum;
  }

  /** Sends what goes along the path of a supplier; 0 where others have filled it in the meantime. */
  private send(supplier: number, end: number): number {
    const { ranks, next } = this;
    let amount = this.left[supplier];
    for (let node = next[ranks + supplier], after = next[node]; node !== end; node = after, after = next[node]) {
      if (node < ranks) {
        amount = Math.min(amount, after < ranks ? this.room(node, after) : this.handed[after - ranks][node]);
      }
    }
    if (amount === 0) return 0;
    this.left[supplier] -= amount;
    this.hand(supplier, next[ranks + supplier], amount);
    for (let node = next[ranks + supplier], after = next[node]; node !== end; node = after, after = next[node]) {
      if (node >= ranks) this.hand(node - ranks, after, amount);
      else if (after < ranks) this.push(node, after, amount);
      else this.hand(after - ranks, node, -amount);
    }
    return amount;
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
    for (const node of queue) {
      if (node >= ranks) {
        // What it handed over at one rank it can hand over elsewhere, and that rank's edges are free for others.
        for (const rank of this.handedAt[node - ranks]) {
          if (seenBy[rank] === search || handed[node - ranks][rank] === 0) continue;
          seenBy[rank] = search;
          next[rank] = node;
          queue.push(rank);
        }
        continue;
      }
      this.work += at[node].length + this.firstNeighbour[node + 1] - this.firstNeighbour[node];
      for (const supplier of at[node]) {
        if (amounts[supplier] === 0 || seenBy[ranks + supplier] === search) continue;
        seenBy[ranks + supplier] = search;
        next[ranks + supplier] = node;
        queue.push(ranks + supplier);
        if (left[supplier] === 0) continue;
        found.push(supplier);
        foundAmount += left[supplier];
        if (foundAmount >= missing) return found;
      }
      for (let n = this.firstNeighbour[node]; n < this.firstNeighbour[node + 1]; n++) {
        const rank = this.neighbour[n];
        if (seenBy[rank] === search || this.room(rank, node) === 0) continue;
        seenBy[rank] = search;
        next[rank] = node;
        queue.push(rank);
      }
    }
    return found;
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
    this.handed[supplier][rank] += amount;
    if (amount > 0) this.handedAt[supplier].push(rank);
  }
}

/**
 * What trees that are not complete still ask of the capacities: each batch must be able to send its amount from any of
 * its nodes to every node outside. As a network: a source feeds a node of each batch, and that all nodes of its trees.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import type { Batch } from './batch.ts';

/** How a batch stands in the network. */
interface Place {
  /** From the source to the batch, or straight to its root while there is nothing else. */
  feed: number;
  /** −1 while the batch is only its root. */
  node: number;
  /** How many of its nodes have their arcs. */
  members: number;
}

export class Demands {
  private readonly ranks: number;
  private readonly capacity: Float64Array;
  private readonly places = new Map<Batch, Place>();
  private network = new FlowNetwork(0);
  /** Arcs of edges, by from · N + to (−1 for none), and from the source to chips. */
  private edgeArc = new Int32Array(0);
  private opening = new Int32Array(0);
  private nextNode = 0;

  /** @param capacity what is left of each edge; it changes as batches are extended */
  constructor(ranks: number, capacity: Float64Array, batches: readonly Batch[]) {
    this.ranks = ranks;
    this.capacity = capacity;
    for (const batch of batches) this.places.set(batch, { feed: -1, node: -1, members: 0 });
    this.rebuild();
  }

  /**
   * For how many trees of a batch an edge can be used, so that all others and the rest of these remain possible: what
   * flows from its start and from all other batches to its end, beyond what the others need.
   */
  spare(batch: Batch, from: number, to: number): number {
    const { network, opening } = this;
    const most = Math.min(batch.amount, this.capacity[from * this.ranks + to]);
    if (most === 0) return 0;
    // Trees that have the node already need nothing there: they are left out of the flow.
    let others = 0;
    for (const [other, { feed }] of this.places) {
      const asks = other !== batch && other.depth[to] === -1;
      network.setCapacity(feed, asks ? other.amount : 0);
      if (asks) others += other.amount;
    }
    network.setCapacity(opening[from], unlimited);
    const flow = network.maxFlow(this.ranks, to, others + most);
    network.setCapacity(opening[from], 0);
    return Math.max(0, flow - others);
  }

  /** After a batch was extended by an edge, for which capacity has been taken. */
  extended(batch: Batch, from: number, to: number): void {
    const edge = from * this.ranks + to;
    this.network.setCapacity(this.edgeArc[edge], this.capacity[edge]);
    this.connect(batch);
  }

  /** A part of a batch has become one of its own. */
  divided(rest: Batch): void {
    this.places.set(rest, { feed: -1, node: -1, members: 0 });
    this.connect(rest);
  }

  /** The trees of a batch are complete. */
  finished(batch: Batch): void {
    const place = this.places.get(batch);
    if (place !== undefined) this.network.setCapacity(place.feed, 0);
    this.places.delete(batch);
  }

  /** Adds what is missing of a batch to the network; how much it asks for is up to `spare`. */
  private connect(batch: Batch): void {
    const place = this.places.get(batch);
    if (place === undefined) return;
    if (place.node === -1 && batch.joined.length === 1) {
      place.feed = this.network.add(this.ranks, batch.root, 0);
      return;
    }
    if (place.node === -1) {
      if (this.nextNode === this.network.nodes) {
        this.rebuild();
        return;
      }
      if (place.feed !== -1) this.network.setCapacity(place.feed, 0);
      place.node = this.nextNode++;
      place.feed = this.network.add(this.ranks, place.node, 0);
    }
    while (place.members < batch.joined.length) {
      this.network.add(place.node, batch.joined[place.members++], unlimited);
    }
  }

  /** A network of what there is now, without what finished batches left, and with room for more. */
  private rebuild(): void {
    const { ranks, capacity } = this;
    const network = new FlowNetwork(ranks + 1 + 2 * this.places.size + 8);
    this.network = network;
    this.nextNode = ranks + 1;
    this.edgeArc = Int32Array.from(capacity, (amount, edge) =>
      amount === 0 ? -1 : network.add(Math.floor(edge / ranks), edge % ranks, amount),
    );
    this.opening = Int32Array.from({ length: ranks }, (_, chip) => network.add(ranks, chip, 0));
    for (const batch of this.places.keys()) {
      this.places.set(batch, { feed: -1, node: -1, members: 0 });
      this.connect(batch);
    }
  }
}

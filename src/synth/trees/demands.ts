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
  private network: FlowNetwork;
  /** Arcs of edges, by from · N + to (−1 for none), and from the source to chips. */
  private edgeArc: Int32Array;
  private opening: Int32Array;
  private readonly places = new Map<Batch, Place>();
  private nextNode = 0;
  private total = 0;

  constructor(ranks: number, capacity: Float64Array, batches: readonly Batch[]) {
    this.ranks = ranks;
    this.capacity = capacity;
    for (const batch of batches) this.places.set(batch, { feed: -1, node: -1, members: 0 });
    [this.network, this.edgeArc, this.opening] = this.rebuilt();
  }

  /**
   * For how many trees of a batch an edge can be used, so that all others and the rest of these remain possible: what
   * flows from its start and from all other batches to its end, beyond what the others need.
   */
  spare(batch: Batch, from: number, to: number): number {
    const { network, opening, total } = this;
    const place = this.places.get(batch);
    const most = Math.min(batch.amount, this.capacity[from * this.ranks + to]);
    if (place === undefined || most === 0) return 0;
    const others = total - batch.amount;
    network.setCapacity(place.feed, 0);
    network.setCapacity(opening[from], unlimited);
    const flow = network.maxFlow(this.ranks, to, others + most);
    network.setCapacity(opening[from], 0);
    network.setCapacity(place.feed, batch.amount);
    return Math.max(0, flow - others);
  }

  /** After a batch was extended by an edge: its capacity has been taken, and its new node asks for nothing any more. */
  extended(batch: Batch, from: number, to: number): void {
    const edge = from * this.ranks + to;
    this.network.setCapacity(this.edgeArc[edge], this.capacity[edge]);
    this.connect(batch);
  }

  /** A part of a batch has become one of its own. */
  divided(batch: Batch, rest: Batch): void {
    const place = this.places.get(batch);
    if (place !== undefined) this.network.setCapacity(place.feed, batch.amount);
    this.total -= rest.amount;
    this.places.set(rest, { feed: -1, node: -1, members: 0 });
    this.connect(rest);
  }

  /** The trees of a batch are complete. */
  finished(batch: Batch): void {
    const place = this.places.get(batch);
    if (place !== undefined) this.network.setCapacity(place.feed, 0);
    this.places.delete(batch);
    this.total -= batch.amount;
  }

  /** Adds what is missing of a batch to the network. */
  private connect(batch: Batch): void {
    const place = this.places.get(batch);
    if (place === undefined) return;
    if (place.node === -1 && batch.joined.length > 1) {
      if (this.nextNode === this.network.nodes) {
        [this.network, this.edgeArc, this.opening] = this.rebuilt();
        return;
      }
      if (place.feed === -1) this.total += batch.amount;
      else this.network.setCapacity(place.feed, 0);
      place.node = this.nextNode++;
      place.feed = this.network.add(this.ranks, place.node, batch.amount);
    } else if (place.feed === -1) {
      this.total += batch.amount;
      place.feed = this.network.add(this.ranks, batch.root, batch.amount);
    }
    if (place.node === -1) return;
    while (place.members < batch.joined.length) {
      this.network.add(place.node, batch.joined[place.members++], unlimited);
    }
  }

  /** A network of what there is now, without what finished batches left, and with room for more. */
  private rebuilt(): [FlowNetwork, Int32Array, Int32Array] {
    const { ranks, capacity } = this;
    this.network = new FlowNetwork(ranks + 1 + 2 * this.places.size + 8);
    this.nextNode = ranks + 1;
    this.total = 0;
    const edges = Int32Array.from(capacity, (amount, edge) =>
      amount === 0 ? -1 : this.network.add(Math.floor(edge / ranks), edge % ranks, amount),
    );
    const opening = Int32Array.from({ length: ranks }, (_, chip) => this.network.add(ranks, chip, 0));
    for (const [batch, place] of this.places) {
      Object.assign(place, { feed: -1, node: -1, members: 0 });
      this.connect(batch);
    }
    return [this.network, edges, opening];
  }
}

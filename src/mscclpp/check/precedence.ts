/**
 * Queries of the happens-before relation of an execution plan, with the searches of the verifier of plans (`src/verify/order`): a spanning forest
 * answers most queries, sweeps over single lanes answer the rest. Memory is linear in the events and edges.
 */
import type { EventOrder } from '../../verify/order/event-order.ts';
import { LaneSweep } from '../../verify/order/lane-sweep.ts';
import { findUnordered, OrderedPairs } from '../../verify/order/ordered-pairs.ts';
import { QuickOrder } from '../../verify/order/quick-order.ts';
import type { EventGraph, StrengthCode } from './graph.ts';

/** The edges of a graph up to a strength, in the form that the searches need. Events do not repeat over bulks, so that all gaps are 0. */
class GraphOrder implements EventOrder {
  readonly laneOf: Int32Array;
  readonly before: Int32Array;
  readonly gap: Float64Array;
  locals = 0;
  private readonly first: Int32Array;
  private readonly ends: Int32Array;
  private readonly position: Int32Array;
  private readonly lengths: Int32Array;

  constructor(graph: EventGraph, strongest: StrengthCode) {
    const { first, ends } = graph.predecessors(strongest);
    this.first = first;
    this.ends = ends;
    this.laneOf = Int32Array.from(graph.events, ({ lane }) => lane);
    this.lengths = new Int32Array(graph.laneCount);
    this.position = this.laneOf.map((lane) => this.lengths[lane]++);
    let most = 0;
    for (let event = 0; event < graph.events.length; event++) most = Math.max(most, first[event + 1] - first[event]);
    this.before = new Int32Array(most);
    this.gap = new Float64Array(most);
  }

  positionOf(event: number): number {
    return this.position[event];
  }

  lengthOf(lane: number): number {
    return this.lengths[lane];
  }

  predecessors(event: number): number {
    const { before, ends } = this;
    const start = this.first[event];
    const count = this.first[event + 1] - start;
    for (let at = 0; at < count; at++) before[at] = ends[start + at];
    this.locals = count;
    return count;
  }

  /** The predecessor whose edge was added last: for a wait its signal, for a join of threads the last of them. */
  mainPredecessor(event: number): number {
    const end = this.first[event + 1];
    return end === this.first[event] ? -1 : this.ends[end - 1];
  }

  jointEvent(): number {
    return -1;
  }

  firstToKnow(event: number): number {
    return event;
  }
}

export class Precedence {
  /** All events in an order that is consistent with the graph. */
  readonly order: Int32Array;
  private readonly events: GraphOrder;
  private readonly quick: QuickOrder;
  private readonly sweep: LaneSweep;
  private readonly place: Int32Array;

  /** @param order all events of the graph, in an order that is consistent with its edges up to this strength */
  constructor(graph: EventGraph, strongest: StrengthCode, order: Int32Array) {
    this.order = order;
    this.events = new GraphOrder(graph, strongest);
    this.quick = new QuickOrder(this.events, order, 'event');
    this.sweep = new LaneSweep(this.events, 'event');
    this.place = new Int32Array(order.length);
  }

  /** Quick test: true only if `earlier`, which must stand first in `order`, precedes `later`. False may mean that this was not found. */
  isSeenBefore(earlier: number, later: number): boolean {
    return this.quick.isBefore(earlier, later, 0);
  }

  /**
   * Calls `unordered` with the pairs whose earlier event does not precede the later one.
   * @param pairs pairs of which the earlier event stands first in `order`
   */
  findUnordered(pairs: OrderedPairs, unordered: (pair: number) => void): void {
    findUnordered(this.events, this.sweep, this.order, this.place, pairs, (pair) => {
      unordered(pair);
      return false;
    });
  }
}

/** A batch of queries whether one event precedes another, so that one sweep of a lane answers all queries about it. */
export class PrecedenceQueries {
  private readonly precedence: Precedence;
  private readonly place: Int32Array;
  private readonly doubtful = new OrderedPairs();
  private readonly answers: boolean[] = [];
  private isAnswered = false;

  /** @param place the position of each event in the order of `precedence` */
  constructor(precedence: Precedence, place: Int32Array) {
    this.precedence = precedence;
    this.place = place;
  }

  /** Adds the query whether `earlier` precedes `later`, and returns its number. */
  ask(earlier: number, later: number): number {
    const { precedence, place, doubtful } = this;
    const query = this.answers.length;
    const isPossible = place[earlier] < place[later];
    this.answers.push(isPossible);
    if (isPossible && !precedence.isSeenBefore(earlier, later)) doubtful.push(earlier, later, query, 0);
    return query;
  }

  /** The answer to a query. After the first answer no query can be added. */
  answer(query: number): boolean {
    if (!this.isAnswered) {
      this.isAnswered = true;
      const { doubtful } = this;
      this.precedence.findUnordered(doubtful, (pair) => {
        this.answers[doubtful.cell.at(pair)] = false;
      });
    }
    return this.answers[query];
  }
}

/** For each event, a set of gpus whose anchor (start or end) precedes or follows it, as a bit mask. */
export class AnchorReach {
  private readonly words: number;
  private readonly bits: Int32Array;

  /**
   * @param direction `forward`: anchors that come before the event; `backward`: anchors that come after it
   * @param anchors the anchor of each gpu
   */
  constructor(
    graph: EventGraph,
    strongest: StrengthCode,
    order: Int32Array,
    anchors: readonly number[],
    direction: 'forward' | 'backward',
  ) {
    this.words = (anchors.length + 31) >> 5;
    this.bits = new Int32Array(this.words * graph.events.length);
    const { bits, words } = this;
    const join = (into: number, from: number): void => {
      for (let word = 0; word < words; word++) bits[into * words + word] |= bits[from * words + word];
    };
    const { first, ends } = graph.predecessors(strongest);
    anchors.forEach((event, gpu) => {
      bits[event * words + (gpu >> 5)] |= 1 << (gpu & 31);
    });
    for (let at = 0; at < order.length; at++) {
      const event = order[direction === 'forward' ? at : order.length - 1 - at];
      for (let edge = first[event]; edge < first[event + 1]; edge++) {
        if (direction === 'forward') join(event, ends[edge]);
        else join(ends[edge], event);
      }
    }
  }

  /** Whether the event reaches the anchor of a gpu. An anchor reaches itself. */
  has(event: number, gpu: number): boolean {
    return (this.bits[event * this.words + (gpu >> 5)] & (1 << (gpu & 31))) !== 0;
  }
}

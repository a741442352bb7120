/**
 * The event graph of an execution plan: its events, and the edges that order them.
 *
 * Every event belongs to a lane, a chain of events each of which follows the previous one by edges of strength `memory`. A block has one lane for its
 * first thread and the points at which its threads meet, one for each further thread, and as many for the data movement of a segment as can run
 * concurrently. The race search of `src/verify/order` works lane by lane.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { judged } from './limits.ts';
import type { ElementMove } from './moves.ts';
import { type OperationPlace, operationName } from './words.ts';

/**
 * What an edge orders. `memory`: everything that happened before its source. `packet`: only the cells that a packet carries, and reads that precede
 * its sending. `execution`: the time of events, but no memory accesses (relaxed signals). `control`: only when an event can begin, which matters for
 * deadlock alone.
 */
export const Strength = { memory: 0, packet: 1, execution: 2, control: 3 } as const;
export type StrengthCode = (typeof Strength)[keyof typeof Strength];

/** The part of a move that one event performs. */
export interface EventMove {
  readonly move: ElementMove;
  /** First element, and number of elements. */
  readonly from: number;
  readonly count: number;
}

export interface MemoryEvent {
  /** Undefined for the events at the start and end of a gpu. */
  readonly place: OperationPlace | undefined;
  readonly gpu: number;
  readonly kind: 'start' | 'end' | 'join' | 'thread' | 'data' | 'transfer';
  readonly moves: readonly EventMove[];
  /** Whether the event is a relaxed signal or wait. */
  readonly relaxed: boolean;
  readonly lane: number;
}

export class EventGraph {
  readonly events: MemoryEvent[] = [];
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly strength: StrengthCode[] = [];
  private lanes = 0;

  /** Creates an empty lane. */
  openLane(): number {
    return this.lanes++;
  }

  get laneCount(): number {
    return this.lanes;
  }

  /**
   * Adds an event at the end of its lane. The caller must add the edges that order it.
   * @throws CccError 'limit' for too many events
   */
  add(event: MemoryEvent): number {
    if (this.events.length >= judged.events) {
      throw new CccError('limit', `the plan has more than ${judged.events} events, which are too many to judge`);
    }
    this.events.push(event);
    return this.events.length - 1;
  }

  edge(from: number, to: number, strength: StrengthCode = Strength.memory): void {
    this.from.push(from);
    this.to.push(to);
    this.strength.push(strength);
  }

  nameOf(event: number): string {
    const { place, gpu, kind } = this.events[event];
    return place === undefined ? `the ${kind} of gpu ${gpu}` : operationName(place);
  }

  /**
   * The events in an order that is consistent with all edges up to a strength (topological sort). Events on a cycle, or reachable from one, are left
   * out.
   */
  order(strongest: StrengthCode): Int32Array {
    const { first, ends } = this.adjacency(strongest, this.from, this.to);
    const waiting = new Int32Array(this.events.length);
    for (const event of ends) waiting[event]++;
    const ordered = new Int32Array(this.events.length);
    let count = 0;
    for (let event = 0; event < waiting.length; event++) if (waiting[event] === 0) ordered[count++] = event;
    for (let at = 0; at < count; at++) {
      for (let edge = first[ordered[at]]; edge < first[ordered[at] + 1]; edge++) {
        if (--waiting[ends[edge]] === 0) ordered[count++] = ends[edge];
      }
    }
    return ordered.subarray(0, count);
  }

  /** The predecessors of each event over edges up to a strength: entries `first[event] … first[event + 1] − 1` of `ends`. */
  predecessors(strongest: StrengthCode): Adjacency {
    return this.adjacency(strongest, this.to, this.from);
  }

  private adjacency(strongest: StrengthCode, of: readonly number[], ends: readonly number[]): Adjacency {
    const first = new Int32Array(this.events.length + 1);
    const counts = (edge: number): boolean => this.strength[edge] <= strongest;
    for (let edge = 0; edge < of.length; edge++) if (counts(edge)) first[of[edge] + 1]++;
    for (let event = 0; event < this.events.length; event++) first[event + 1] += first[event];
    const at = first.slice();
    const sorted = new Int32Array(first[this.events.length]);
    for (let edge = 0; edge < of.length; edge++) if (counts(edge)) sorted[at[of[edge]]++] = ends[edge];
    return { first, ends: sorted };
  }
}

/**
 * Adjacency lists: the neighbours of an event are entries `first[event] … first[event + 1] − 1` of `ends`, in the order in which the edges were
 * added.
 */
export interface Adjacency {
  readonly first: Int32Array;
  readonly ends: Int32Array;
}

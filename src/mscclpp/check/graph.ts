/** Events of a plan and what orders them. */
import { CccError } from '../../ir/diagnostic.ts';
import { judged } from './limits.ts';
import type { ElementMove } from './moves.ts';
import { type OperationPlace, operationName } from './words.ts';

/**
 * What an edge orders: `memory` everything before it; `packet` only the cells that a packet carries and what was read
 * before; `execution` when things happen, with no word on memory (relaxed signals); `control` only when something can
 * begin, which decides nothing but deadlock.
 */
export const Strength = { memory: 0, packet: 1, execution: 2, control: 3 } as const;
export type StrengthCode = (typeof Strength)[keyof typeof Strength];

/** A part of a move that one event does. */
export interface EventMove {
  readonly move: ElementMove;
  /** Elements. */
  readonly from: number;
  readonly count: number;
}

export interface MemoryEvent {
  /** Undefined for the start and end of a gpu. */
  readonly place: OperationPlace | undefined;
  readonly gpu: number;
  readonly kind: 'start' | 'end' | 'join' | 'thread' | 'data' | 'transfer';
  readonly moves: readonly EventMove[];
  /** A relaxed signal or wait. */
  readonly relaxed: boolean;
}

export class EventGraph {
  readonly events: MemoryEvent[] = [];
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly strength: StrengthCode[] = [];

  /** @throws CccError 'limit' */
  add(event: MemoryEvent): number {
    if (this.events.length >= judged.events) {
      throw new CccError('limit', `the plan has more than ${judged.events} events, for which there is no room`);
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

  /** Events in an order that edges up to a strength allow; what is left out lies on a circle or behind one. */
  order(strongest: StrengthCode): readonly number[] {
    const { first, next } = this.successors(strongest);
    const waiting = new Int32Array(this.events.length);
    for (const event of next) waiting[event]++;
    const ordered = this.events.flatMap((_, event) => (waiting[event] === 0 ? [event] : []));
    for (let at = 0; at < ordered.length; at++) {
      for (let edge = first[ordered[at]]; edge < first[ordered[at] + 1]; edge++) {
        if (--waiting[next[edge]] === 0) ordered.push(next[edge]);
      }
    }
    return ordered;
  }

  /** What follows each event over edges up to a strength: entries `first[event] … first[event + 1] − 1` of `next`. */
  successors(strongest: StrengthCode): { readonly first: Int32Array; readonly next: Int32Array } {
    const first = new Int32Array(this.events.length + 1);
    const counts = (edge: number): boolean => this.strength[edge] <= strongest;
    for (let edge = 0; edge < this.from.length; edge++) if (counts(edge)) first[this.from[edge] + 1]++;
    for (let event = 0; event < this.events.length; event++) first[event + 1] += first[event];
    const at = first.slice();
    const next = new Int32Array(first[this.events.length]);
    for (let edge = 0; edge < this.from.length; edge++) if (counts(edge)) next[at[this.from[edge]]++] = this.to[edge];
    return { first, next };
  }
}

/** Which events come before which, over edges up to a strength, in every run. */
export class Precedence {
  private readonly width: number;
  private readonly bits: Int32Array;

  /** @param order a complete order of the events */
  constructor(graph: EventGraph, strongest: StrengthCode, order: readonly number[]) {
    const count = graph.events.length;
    this.width = (count + 31) >> 5;
    this.bits = new Int32Array(this.width * count);
    const { first, next } = graph.successors(strongest);
    for (let at = order.length - 1; at >= 0; at--) {
      const event = order[at];
      const row = event * this.width;
      for (let edge = first[event]; edge < first[event + 1]; edge++) {
        const other = next[edge];
        const otherRow = other * this.width;
        this.bits[row + (other >> 5)] |= 1 << (other & 31);
        for (let word = 0; word < this.width; word++) this.bits[row + word] |= this.bits[otherRow + word];
      }
    }
  }

  before(a: number, b: number): boolean {
    return (this.bits[a * this.width + (b >> 5)] & (1 << (b & 31))) !== 0;
  }
}

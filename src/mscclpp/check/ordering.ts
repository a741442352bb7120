/**
 * Computes the happens-before relation of an execution plan. Program order within blocks is given. Counters add to it, in rounds, since the signals
 * that a wait needs depend on the order that is known so far:
 * - A wait that at least n − 1 other waits precede needs n signals (less the initial value). A signal without which there cannot be that many happens
 *   before the wait.
 * - A port channel executes requests in the order in which they were issued, and a flush follows the requests issued before it.
 * - The reader of a packet follows its writer, if there is one writer or one that precedes all others.
 *
 * Nearly all counters are signalled in one lane and waited for in another, so that the k-th wait needs the k-th signal: the first round adds these
 * edges without any query. Only counters that several blocks share need queries.
 */
import { CccError } from '../../ir/diagnostic.ts';
import type { Counter } from './counters.ts';
import { Strength, type StrengthCode } from './graph.ts';
import { judged } from './limits.ts';
import { type PacketEvents, packetsOf } from './packets.ts';
import { Precedence, PrecedenceQueries } from './precedence.ts';
import type { EventProgram, Queued } from './program.ts';

/** For each wait of a counter, in the order of `counter.waits`: how many signals must have arrived, including the initial value. */
export type Tickets = ReadonlyMap<Counter, readonly number[]>;

export interface Ordering {
  readonly packets: PacketEvents;
  /** All events in an order that satisfies every constraint, and the position of each event in it. */
  readonly order: Int32Array;
  readonly place: Int32Array;
  /** The precedence by memory order alone; with the order of packets, for what they carry; and by execution order, which includes relaxed signals. */
  readonly memory: Precedence;
  readonly packet: Precedence;
  readonly execution: Precedence;
  readonly tickets: Tickets;
}

/** The result for constraints that form a cycle: no event on it ever happens. The tickets are the largest that lane order permits. */
export interface CyclicOrdering {
  readonly tickets: Tickets;
}

export function orderingOf(program: EventProgram): Ordering | CyclicOrdering {
  return new OrderingSearch(program).run();
}

class OrderingSearch {
  private readonly program: EventProgram;
  private readonly packets: PacketEvents;
  private readonly added = new Set<number>();
  private readonly tickets = new Map<Counter, readonly number[]>();
  /** Counters whose waits or signals are not known to be totally ordered. */
  private open: Counter[] = [];

  constructor(program: EventProgram) {
    this.program = program;
    this.packets = packetsOf(program.graph);
  }

  run(): Ordering | CyclicOrdering {
    const { graph } = this.program;
    this.addWithoutQueries();
    for (;;) {
      const order = graph.order(Strength.execution);
      if (order.length < graph.events.length) {
        for (const counter of this.open) this.tickets.set(counter, this.ticketsByLane(counter));
        return { tickets: this.tickets };
      }
      const execution = new Precedence(graph, Strength.execution, order);
      const place = new Int32Array(order.length);
      order.forEach((event, at) => {
        place[event] = at;
      });
      if (this.addsWhatIsInOrder(execution, place) || this.addsWhatIsShared(execution, place)) continue;
      // Without relaxed signals and packets, the three orders coincide.
      const has = (strength: StrengthCode): boolean => graph.strength.includes(strength);
      const packet = has(Strength.execution) ? new Precedence(graph, Strength.packet, order) : execution;
      const memory = has(Strength.packet) ? new Precedence(graph, Strength.memory, order) : packet;
      return { packets: this.packets, order, place, memory, packet, execution, tickets: this.tickets };
    }
  }

  /** Adds edges for counters whose waits and signals have turned out to be totally ordered. Returns whether it added any. */
  private addsWhatIsInOrder(execution: Precedence, place: Int32Array): boolean {
    const before = this.added.size;
    const queries = new PrecedenceQueries(execution, place);
    const inOrder = (events: readonly number[]): readonly number[] => [...events].sort((a, b) => place[a] - place[b]);
    const candidates = this.open.map((counter) => {
      const [signals, waits] = [inOrder(counter.signals), inOrder(counter.waits)];
      const consecutive = [signals, waits].flatMap((events) =>
        events.slice(1).map((event, at) => queries.ask(events[at], event)),
      );
      return { counter, signals, waits, consecutive };
    });
    for (const { counter, signals, waits, consecutive } of candidates) {
      if (!consecutive.every((query) => queries.answer(query))) continue;
      this.open = this.open.filter((other) => other !== counter);
      this.matchInOrder(counter, signals, waits);
    }
    return this.added.size > before;
  }

  /** Adds edges for counters, queues and packets that blocks share without a total order. Returns whether it added any. */
  private addsWhatIsShared(execution: Precedence, place: Int32Array): boolean {
    const before = this.added.size;
    const queries = new PrecedenceQueries(execution, place);
    const conclusions = [
      ...this.counterQueries(queries),
      ...this.queueQueries(queries),
      ...this.packetQueries(queries, place),
    ];
    for (const conclude of conclusions) conclude();
    return this.added.size > before;
  }

  private add(from: number, to: number, strength: StrengthCode): void {
    const { graph } = this.program;
    const key = from * graph.events.length + to;
    if (this.added.has(key)) return;
    this.added.add(key);
    graph.edge(from, to, strength);
  }

  private laneOf(event: number): number {
    return this.program.graph.events[event].lane;
  }

  private isInOneLane(events: readonly number[]): boolean {
    return events.every((event) => this.laneOf(event) === this.laneOf(events[0]));
  }

  private addWithoutQueries(): void {
    for (const counter of this.program.counters.all) {
      // The events of a lane have ascending numbers.
      if (this.isInOneLane(counter.signals) && this.isInOneLane(counter.waits)) {
        this.matchInOrder(counter, counter.signals, counter.waits);
      } else this.open.push(counter);
    }
    for (const [cell, readers] of this.packets.readers) {
      const writers = this.packets.writers.get(cell) ?? [];
      for (const reader of readers) {
        const others = writers.filter((writer) => writer !== reader);
        if (others.length === 1) this.add(others[0], reader, Strength.packet);
      }
    }
  }

  /**
   * Adds edges for a counter with totally ordered waits and signals: the i-th wait needs i signals, less the initial value. It gets an edge from each
   * of these signals, unless an edge from a later signal of the same lane, or of an earlier wait of its own lane, implies it.
   */
  private matchInOrder(counter: Counter, signals: readonly number[], waits: readonly number[]): void {
    const { events } = this.program.graph;
    const { initial } = counter;
    const ticketOf = new Map(waits.map((wait, at) => [wait, at + 1]));
    this.tickets.set(
      counter,
      counter.waits.map((wait) => ticketOf.get(wait) ?? 0),
    );
    waits.forEach((wait, at) => {
      const count = at + 1 - initial;
      if (count <= 0 || count > signals.length) return;
      const earlier = at > 0 ? waits[at - 1] : undefined;
      const isCovered = earlier !== undefined && this.laneOf(earlier) === this.laneOf(wait) && !events[earlier].relaxed;
      const from = isCovered ? Math.max(0, count - 1) : 0;
      let next: number | undefined;
      for (let index = count - 1; index >= from; index--) {
        const signal = signals[index];
        const isImplied = next !== undefined && this.laneOf(next) === this.laneOf(signal) && !events[next].relaxed;
        if (!isImplied) {
          const isRelaxed = events[signal].relaxed || events[wait].relaxed;
          this.add(signal, wait, isRelaxed ? Strength.execution : Strength.memory);
        }
        next = signal;
      }
    });
  }

  /**
   * If neither waits nor signals are known to be ordered, a wait may need as many signals as there are waits that lane order does not put after it.
   */
  private ticketsByLane({ waits }: Counter): readonly number[] {
    return waits.map(
      (wait) =>
        waits.filter((other) => other === wait || this.laneOf(other) !== this.laneOf(wait) || other < wait).length,
    );
  }

  /** Queries for the counters whose waits, or signals, have no total order. */
  private counterQueries(queries: PrecedenceQueries): (() => void)[] {
    return this.open.map((counter) => {
      const table = new PairTable(queries, [...counter.waits, ...counter.signals]);
      return () => this.matchInAnyOrder(counter, table);
    });
  }

  private matchInAnyOrder(counter: Counter, table: PairTable): void {
    const { initial, signals, waits } = counter;
    const { events } = this.program.graph;
    this.tickets.set(
      counter,
      waits.map((wait) => waits.filter((other) => !table.isBefore(wait, other)).length),
    );
    for (const wait of waits) {
      const count = waits.filter((other) => table.isBefore(other, wait)).length + 1 - initial;
      if (count <= 0) continue;
      const possible = signals.filter((signal) => !table.isBefore(wait, signal));
      if (possible.length < count) continue;
      for (const signal of possible) {
        const without = possible.filter((other) => other !== signal && !table.isBefore(signal, other)).length;
        if (without >= count) continue;
        const isRelaxed = events[signal].relaxed || events[wait].relaxed;
        this.add(signal, wait, isRelaxed ? Strength.execution : Strength.memory);
      }
    }
  }

  /** Queries for port channels that several threads or blocks use, and for flushes. The order of one thread's requests is among the given edges. */
  private queueQueries(queries: PrecedenceQueries): (() => void)[] {
    const conclusions: (() => void)[] = [];
    const ordered = (a: Queued, b: Queued): void => {
      const query = queries.ask(a.issue, b.issue);
      conclusions.push(() => {
        if (queries.answer(query)) this.add(a.effect, b.effect, Strength.memory);
      });
    };
    for (const queue of this.program.queues) {
      if (this.isInOneLane(queue.map(({ effect }) => effect))) continue;
      checkQueries(queue.length ** 2);
      for (const a of queue) for (const b of queue) if (this.laneOf(a.effect) !== this.laneOf(b.effect)) ordered(a, b);
    }
    for (const { event, queue } of this.program.flushes) {
      for (const { issue, effect } of queue) {
        const query = queries.ask(issue, event);
        conclusions.push(() => {
          if (queries.answer(query)) this.add(effect, event, Strength.memory);
        });
      }
    }
    return conclusions;
  }

  /** Queries for packets that are written more than once. Cells that the same events write and read give the same edges and are queried once. */
  private packetQueries(queries: PrecedenceQueries, place: Int32Array): (() => void)[] {
    const seen = new Set<string>();
    const conclusions: (() => void)[] = [];
    for (const [cell, readers] of this.packets.readers) {
      const writers = this.packets.writers.get(cell) ?? [];
      const key = `${writers.join(' ')} | ${readers.join(' ')}`;
      if (writers.length < 2 || seen.has(key)) continue;
      seen.add(key);
      const sorted = [...writers].sort((a, b) => place[a] - place[b]);
      const table = new PairTable(queries, sorted);
      for (const reader of readers) {
        const behind = sorted.map((writer) => queries.ask(reader, writer));
        conclusions.push(() => {
          const possible = sorted.filter((writer, at) => writer !== reader && !queries.answer(behind[at]));
          const first = possible.find((writer) =>
            possible.every((other) => other === writer || table.isBefore(writer, other)),
          );
          if (first !== undefined) this.add(first, reader, Strength.packet);
        });
      }
    }
    return conclusions;
  }
}

/** The pairwise order of a set of events. */
class PairTable {
  private readonly queries: PrecedenceQueries;
  private readonly at: ReadonlyMap<number, number>;
  private readonly first: number;
  private readonly count: number;

  constructor(queries: PrecedenceQueries, events: readonly number[]) {
    checkQueries(events.length ** 2);
    this.queries = queries;
    this.at = new Map(events.map((event, at) => [event, at]));
    this.count = events.length;
    const all = events.flatMap((a) => events.map((b) => queries.ask(a, b)));
    this.first = all[0] ?? 0;
  }

  isBefore(a: number, b: number): boolean {
    const query = this.first + (this.at.get(a) ?? 0) * this.count + (this.at.get(b) ?? 0);
    return this.queries.answer(query);
  }
}

/** @throws CccError 'limit' if so many events share a counter that their pairs are too many to query */
function checkQueries(pairs: number): void {
  if (pairs <= judged.pairs) return;
  const message = `one channel, semaphore or packet is used in ${Math.round(Math.sqrt(pairs))} places by several blocks, and ${Math.sqrt(judged.pairs)} are the most that are judged`;
  throw new CccError('limit', message);
}

/**
 * What comes before what in every run. Blocks give an order of their own; what counting adds is found step by step, since
 * which signal a wait needs depends on what is ordered already:
 * - a wait that at least n − 1 others precede needs n signals (less the initial value); a signal without which there cannot be
 *   so many by then comes before it;
 * - of what was handed to a port channel, what was handed over first is done first, and a flush comes after it;
 * - a packet's reader comes after its writer where there is one, or one before all others.
 */
import type { Counter } from './counters.ts';
import { Precedence, Strength, type StrengthCode } from './graph.ts';
import { type PacketEvents, packetsOf } from './packets.ts';
import type { EventProgram } from './program.ts';

export interface Ordering {
  readonly packets: PacketEvents;
  /** All events, in an order that every constraint allows. */
  readonly order: readonly number[];
  /** By memory order alone; with packets, for what they carry; by execution, relaxed signals included. */
  readonly memory: Precedence;
  readonly packet: Precedence;
  readonly execution: Precedence;
}

/** Undefined where what must come before each other goes round in a circle: nothing of it ever happens. */
export function orderingOf(program: EventProgram): Ordering | undefined {
  const { graph } = program;
  const packets = packetsOf(graph);
  const added = new Set<string>();
  for (;;) {
    const order = graph.order(Strength.execution);
    if (order.length < graph.events.length) return undefined;
    const execution = new Precedence(graph, Strength.execution, order);
    const before = added.size;
    const add = (from: number, to: number, strength: StrengthCode): void => {
      const key = `${from} ${to}`;
      if (added.has(key)) return;
      added.add(key);
      graph.edge(from, to, strength);
    };
    for (const counter of program.counters.all) {
      const relaxed = (event: number): boolean => graph.events[event].relaxed;
      needed(counter, execution, (signal, wait) =>
        add(signal, wait, relaxed(signal) || relaxed(wait) ? Strength.execution : Strength.memory),
      );
    }
    queued(program, execution, (from, to) => add(from, to, Strength.memory));
    carried(packets, execution, (from, to) => add(from, to, Strength.packet));
    if (added.size > before) continue;
    // Where there are no relaxed signals, and no packets, the orders are one.
    const has = (strength: StrengthCode): boolean => graph.strength.includes(strength);
    const packet = has(Strength.execution) ? new Precedence(graph, Strength.packet, order) : execution;
    const memory = has(Strength.packet) ? new Precedence(graph, Strength.memory, order) : packet;
    return { packets, order, memory, packet, execution };
  }
}

/** The signals that a wait cannot do without. */
function needed(
  { initial, signals, waits }: Counter,
  execution: Precedence,
  add: (signal: number, wait: number) => void,
): void {
  for (const wait of waits) {
    const earlier = waits.filter((other) => execution.before(other, wait)).length;
    const count = earlier + 1 - initial;
    if (count <= 0) continue;
    const possible = signals.filter((signal) => !execution.before(wait, signal));
    if (possible.length < count) continue;
    for (const signal of possible) {
      const without = possible.filter((other) => other !== signal && !execution.before(signal, other)).length;
      if (without < count) add(signal, wait);
    }
  }
}

/** What port channels do in the order in which they were told to. */
function queued(program: EventProgram, execution: Precedence, add: (from: number, to: number) => void): void {
  for (const queue of program.queues) {
    for (const a of queue) {
      for (const b of queue) if (execution.before(a.issue, b.issue)) add(a.effect, b.effect);
    }
  }
  for (const { event, queue } of program.flushes) {
    for (const { issue, effect } of queue) if (execution.before(issue, event)) add(effect, event);
  }
}

/** Packets from their writers to their readers. */
function carried(
  { writers, readers }: PacketEvents,
  execution: Precedence,
  add: (from: number, to: number) => void,
): void {
  for (const [cell, reading] of readers) {
    const writing = writers.get(cell) ?? [];
    for (const reader of reading) {
      const possible = writing.filter((writer) => writer !== reader && !execution.before(reader, writer));
      const first = possible.find((writer) =>
        possible.every((other) => other === writer || execution.before(writer, other)),
      );
      if (first !== undefined) add(first, reader);
    }
  }
}

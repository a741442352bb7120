/**
 * Checks that every event happens in every run. Nothing is consumed and nothing is chosen, except which of several waits gets which signal; there the
 * worst case is assumed, the latest signal possible. So a single run in which everything that can happen does happen decides.
 */

import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { Counter } from './counters.ts';
import type { Tickets } from './ordering.ts';
import { packetsOf } from './packets.ts';
import type { EventProgram } from './program.ts';
import { type ExecutionStoryLine, operationName, storyLine } from './words.ts';

/** A condition of an event besides the earlier events of its block: `count` of the events in `of` have happened. */
interface Condition {
  readonly event: number;
  /** The events that count towards the condition. */
  readonly of: readonly number[];
  readonly count: number;
  readonly what: string;
}

/**
 * Finds channels with different numbers of signals and waits, and barriers that not all blocks reach: consecutive calls would become unsynchronised.
 */
export function checkSynchronisationCounts({ graph, counters, meetings }: EventProgram): readonly Finding[] {
  const found = new CheckFindings('mismatched');
  const lines = (events: readonly number[]): ExecutionStoryLine[] =>
    events.slice(0, 4).flatMap((event) => {
      const { place } = graph.events[event];
      return place === undefined ? [] : [storyLine(place)];
    });
  for (const { name, verbs, signals, waits } of counters.all) {
    if (signals.length === waits.length) continue;
    found.add(() => ({
      message: `${capital(name)} counts ${signals.length} ${verbs.signal} and ${waits.length} ${verbs.wait} in a call: ${
        signals.length < waits.length ? `a ${singular(verbs.signal)}` : `a ${singular(verbs.wait)}`
      } is missing, and the next call would be out of step.`,
      story: [...lines(signals), ...lines(waits)],
    }));
  }
  for (const { blocks, expected, place } of meetings) {
    if (expected.size === 1 && expected.has(blocks.size)) continue;
    found.add(() => ({
      message: `${operationName(place)} is a barrier of ${[...expected].join(' or ')} blocks, and ${blocks.size} of gpu ${place.gpu} come to it.`,
      story: [storyLine(place)],
    }));
  }
  return found.list();
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const singular = (verb: string): string => verb.replace(/s$/, '');

/**
 * Finds the events that never happen, and reports those that wait for a condition.
 * @param tickets which signal each wait needs in the worst case
 */
export function checkProgress(program: EventProgram, tickets: Tickets): readonly Finding[] {
  const { graph, given } = program;
  const conditions = conditionsOf(program, tickets);
  const edges = graph.from.slice(0, given).map((from, edge) => [from, graph.to[edge]] as const);
  const done = runAll(graph.events.length, edges, conditions);
  const held = new Set(edges.flatMap(([from, to]) => (done[from] === 0 ? [to] : [])));
  const found = new CheckFindings('deadlock');
  // Conditions that can never be met are reported before the events that depend on them.
  const rootsFirst = [...conditions].sort((a, b) => Number(a.of.length >= a.count) - Number(b.of.length >= b.count));
  for (const condition of rootsFirst) {
    const { event, of, count } = condition;
    if (done[event] === 1 || held.has(event)) continue;
    if (of.filter((other) => done[other] === 1).length >= count) continue;
    found.add(() => tell(program, condition, done));
  }
  if (found.none && done.includes(0)) {
    const event = done.indexOf(0);
    found.add(() => ({ message: `${graph.nameOf(event)} never happens.` }));
  }
  return found.list();
}

/** A set of events, and the conditions that need some number of them, the smallest number first. */
interface Supply {
  readonly demands: Condition[];
  /** How many of the events have happened, and how many of the conditions are met by that. */
  happened: number;
  met: number;
}

/** Runs all events that can happen. Returns 1 for each event that happens. */
function runAll(
  events: number,
  edges: readonly (readonly [number, number])[],
  conditions: readonly Condition[],
): Uint8Array {
  const waiting = new Int32Array(events);
  const next: number[][] = Array.from({ length: events }, () => []);
  const supplies: Supply[][] = Array.from({ length: events }, () => []);
  for (const [from, to] of edges) {
    waiting[to]++;
    next[from].push(to);
  }
  // Conditions on one counter share the array of its signals, which serves as the key.
  const byEvents = new Map<readonly number[], Condition[]>();
  for (const condition of conditions) {
    const demands = byEvents.get(condition.of);
    if (demands === undefined) byEvents.set(condition.of, [condition]);
    else demands.push(condition);
  }
  for (const [of, demands] of byEvents) {
    const unmet = demands.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);
    const supply = { demands: unmet, happened: 0, met: 0 };
    for (const { event } of unmet) waiting[event]++;
    for (const event of of) supplies[event].push(supply);
  }
  const done = new Uint8Array(events);
  const open: number[] = [];
  const advance = (event: number): void => {
    if (waiting[event] > 0) return;
    done[event] = 1;
    open.push(event);
  };
  for (let event = 0; event < events; event++) advance(event);
  for (let event = open.pop(); event !== undefined; event = open.pop()) {
    for (const other of next[event]) {
      waiting[other]--;
      advance(other);
    }
    for (const supply of supplies[event]) {
      supply.happened++;
      while (supply.met < supply.demands.length && supply.demands[supply.met].count <= supply.happened) {
        const waiter = supply.demands[supply.met++].event;
        waiting[waiter]--;
        advance(waiter);
      }
    }
  }
  return done;
}

/**
 * The conditions of waits and packets: a wait needs one signal more than there are waits that may precede it, and a packet needs one of its writers.
 */
function conditionsOf(program: EventProgram, tickets: Tickets): readonly Condition[] {
  const { graph, counters } = program;
  const conditions: Condition[] = [];
  for (const counter of counters.all) {
    tickets.get(counter)?.forEach((ticket, at) => {
      conditions.push(signalsFor(counter, counter.waits[at], ticket));
    });
  }
  const { writers, readers } = packetsOf(graph);
  for (const [cell, reading] of readers) {
    for (const event of reading) {
      const of = (writers.get(cell) ?? []).filter((writer) => writer !== event);
      conditions.push({ event, of, count: 1, what: 'a packet' });
    }
  }
  return conditions;
}

function signalsFor({ name, verbs, initial, signals }: Counter, event: number, ticket: number): Condition {
  const count = ticket - initial;
  const which = initial === 0 ? `${count}` : `${count} beyond the initial ${initial}`;
  return { event, of: signals, count, what: `${singular(verbs.signal)} ${which} of ${name}` };
}

function tell(
  { graph }: EventProgram,
  { event, of, count, what }: Condition,
  done: Uint8Array,
): { readonly message: string; readonly story: readonly ExecutionStoryLine[] } {
  const came = of.filter((other) => done[other] === 1).length;
  const stuck = of.filter((other) => done[other] === 0);
  const why =
    of.length < count || stuck.length === 0
      ? `there ${of.length === 1 ? 'is only one' : `are ${of.length}`} in all`
      : `${came} come, and ${graph.nameOf(stuck[0])} is itself not reached`;
  const story = [event, ...stuck.slice(0, 3)].flatMap((at) => {
    const { place } = graph.events[at];
    return place === undefined ? [] : [storyLine(place, done[at] === 0 && at !== event ? 'never happens' : '')];
  });
  return { message: `${graph.nameOf(event)} waits for ever for ${what}: ${why}.`, story };
}

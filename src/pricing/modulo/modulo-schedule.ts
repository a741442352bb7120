/**
 * Iterative modulo scheduling (Rau, "Iterative Modulo Scheduling: An Algorithm for Software Pipelining Loops", 1994): when the events
 * of one bulk happen so that a new bulk can begin every `interval` seconds. Events are placed one by one, those that most depends
 * on first, where resources are free; without such a place an event takes one, and what is in its way is placed again.
 */
import type { BulkEvents } from '../../cost/index.ts';
import { Reservations } from './reservations.ts';

/** Placements per event before the interval is given up. */
const patience = 6;
const unplaced = Number.NEGATIVE_INFINITY;

/**
 * @param interval seconds between bulks, at least what the waits ask for
 * @returns when each event of a bulk happens, counted from the bulk's beginning; undefined where none was found within the effort
 */
export function moduloSchedule(problem: BulkEvents, interval: number): Float64Array | undefined {
  if (problem.uses.some((uses) => uses.some(({ seconds }) => seconds > interval * (1 + 1e-9)))) return undefined;
  return new Placing(problem, interval).run();
}

class Placing {
  private readonly problem: BulkEvents;
  private readonly interval: number;
  private readonly reservations: Reservations;
  private readonly time: Float64Array;
  /** Where an event was placed last, so that it moves on when it is placed again. */
  private readonly before: Float64Array;
  private readonly incoming: readonly (readonly number[])[];
  private readonly outgoing: readonly (readonly number[])[];

  constructor(problem: BulkEvents, interval: number) {
    const { events, from, to } = problem.waits;
    this.problem = problem;
    this.interval = interval;
    this.reservations = new Reservations(interval, problem.capacity);
    this.time = new Float64Array(events).fill(unplaced);
    this.before = new Float64Array(events).fill(unplaced);
    const [incoming, outgoing] = [0, 1].map(() => Array.from({ length: events }, (): number[] => []));
    for (let wait = 0; wait < from.length; wait++) {
      outgoing[from[wait]].push(wait);
      incoming[to[wait]].push(wait);
    }
    [this.incoming, this.outgoing] = [incoming, outgoing];
  }

  run(): Float64Array | undefined {
    const order = this.byUrgency();
    if (order === undefined) return undefined;
    const place = new Int32Array(order.length);
    order.forEach((event, index) => {
      place[event] = index;
    });
    let left = patience * order.length;
    for (let next = 0; next < order.length; ) {
      if (this.time[order[next]] !== unplaced) {
        next++;
        continue;
      }
      if (left-- === 0) return undefined;
      for (const evicted of this.put(order[next])) next = Math.min(next, place[evicted]);
    }
    return this.time;
  }

  /** Places an event and returns what it drove out. */
  private put(event: number): readonly number[] {
    const uses = this.problem.uses[event];
    const earliest = this.earliest(event);
    let time = this.reservations.firstFit(uses, earliest);
    const evicted: number[] = [];
    if (time === undefined) {
      time = this.reservations.candidates(uses, earliest).find((at) => at > this.before[event]) ?? earliest;
      for (const other of this.reservations.conflicts(uses, time)) {
        this.remove(other);
        evicted.push(other);
      }
    }
    this.time[event] = time;
    this.before[event] = time;
    this.reservations.reserve(event, uses, time);
    const { to, weight, bulks } = this.problem.waits;
    for (const wait of this.outgoing[event]) {
      const follower = to[wait];
      if (follower === event || this.time[follower] === unplaced) continue;
      if (this.time[follower] >= time + weight[wait] - bulks[wait] * this.interval - 1e-9 * this.interval) continue;
      this.remove(follower);
      evicted.push(follower);
    }
    return evicted;
  }

  private remove(event: number): void {
    this.time[event] = unplaced;
    this.reservations.release(event, this.problem.uses[event]);
  }

  /** When all that has been placed lets an event happen. */
  private earliest(event: number): number {
    const { from, weight, bulks } = this.problem.waits;
    let earliest = 0;
    for (const wait of this.incoming[event]) {
      if (from[wait] === event || this.time[from[wait]] === unplaced) continue;
      earliest = Math.max(earliest, this.time[from[wait]] + weight[wait] - bulks[wait] * this.interval);
    }
    return earliest;
  }

  /** Events by the longest way from them to the end of a bulk, longest first; undefined where waits allow no such interval. */
  private byUrgency(): Int32Array | undefined {
    const { events, from, to, weight, bulks } = this.problem.waits;
    const height = new Float64Array(events);
    const depth = new Float64Array(events);
    const settle = (values: Float64Array, at: readonly number[], by: readonly number[]): boolean => {
      for (let sweep = 0; sweep <= events; sweep++) {
        let changed = false;
        for (let wait = 0; wait < at.length; wait++) {
          const value = values[by[wait]] + weight[wait] - bulks[wait] * this.interval;
          if (value <= values[at[wait]] + 1e-9 * this.interval) continue;
          values[at[wait]] = value;
          changed = true;
        }
        if (!changed) return true;
      }
      return false;
    };
    if (!settle(height, from, to) || !settle(depth, to, from)) return undefined;
    const order = Int32Array.from({ length: events }, (_, event) => event);
    return order.sort((a, b) => height[b] - height[a] || depth[a] - depth[b] || a - b);
  }
}

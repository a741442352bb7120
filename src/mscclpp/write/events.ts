/**
 * The events of a flat plan, and the order that lanes, waits, messages and added synchronisation give them. Each operation has two events, reached
 * and done; the start of a rank precedes all of its operations.
 *
 * A query searches backwards from the later event, through events that follow the earlier one in a run of the plan (`run-order.ts`). Memory is linear
 * in the operations. A search that takes too long is abandoned with the answer no; the caller then adds synchronisation that may be superfluous,
 * which costs time but is never wrong.
 */
import type { FlatPlan } from './flat.ts';
import type { RunOrder } from './run-order.ts';

/** Limits of the searches: events that one query may visit, events of all queries together, and events that a query may visit after that. */
const walk = { visits: 4096, ofAll: 100_000_000, visitsThen: 64 } as const;

export class Events {
  private readonly flat: FlatPlan;
  private readonly run: RunOrder;
  private readonly messages: boolean;
  /** By event: the events that added synchronisation puts before it. */
  private readonly added = new Map<number, number[]>();
  /** By event: the number of the last query that visited it. */
  private readonly visited: Int32Array;
  private query = 0;
  private visits = 0;

  /** @param messages whether a message orders everything before it, as signals do and packets do not */
  constructor(flat: FlatPlan, run: RunOrder, messages: boolean) {
    this.flat = flat;
    this.run = run;
    this.messages = messages;
    this.visited = new Int32Array(2 * flat.operations.length + flat.buffers.length);
  }

  reached(operation: number): number {
    return 2 * operation;
  }

  done(operation: number): number {
    return 2 * operation + 1;
  }

  start(rank: number): number {
    return 2 * this.flat.operations.length + rank;
  }

  /** The position of an event in the run. The start of a rank precedes everything. */
  placeOf(event: number): number {
    const operation = event >> 1;
    if (operation >= this.flat.operations.length) return -1;
    return (event & 1) === 0 ? this.run.reached[operation] : this.run.done[operation];
  }

  /** Adds an edge from `earlier` to `later`, which must follow it in the run. */
  add(earlier: number, later: number): void {
    const known = this.added.get(later);
    if (known === undefined) this.added.set(later, [earlier]);
    else known.push(earlier);
  }

  /** Whether `earlier` equals `later`, or is found to precede it in every run. */
  isUpTo(earlier: number, later: number): boolean {
    return earlier === later || this.isBefore(earlier, later);
  }

  /** Whether `earlier` is found to precede `later` in every run. False may mean that the search was abandoned. */
  isBefore(earlier: number, later: number): boolean {
    const first = this.placeOf(earlier);
    if (first >= this.placeOf(later)) return false;
    const { visited } = this;
    const query = ++this.query;
    const limit = this.visits < walk.ofAll ? walk.visits : walk.visitsThen;
    const open = [later];
    let visits = 0;
    for (let event = open.pop(); event !== undefined && visits < limit; event = open.pop()) {
      visits++;
      for (const before of this.predecessors(event)) {
        if (before === earlier || this.isBehind(before, earlier)) {
          this.visits += visits;
          return true;
        }
        if (visited[before] === query || this.placeOf(before) <= first) continue;
        visited[before] = query;
        open.push(before);
      }
    }
    this.visits += visits;
    return false;
  }

  /** Whether an event follows another one because of its lane alone, or because its rank has started. */
  private isBehind(event: number, earlier: number): boolean {
    const { operations } = this.flat;
    const operation = operations[event >> 1];
    const other = operations[earlier >> 1];
    if (operation === undefined) return false;
    if (other === undefined) return operation.rank === earlier - 2 * operations.length;
    return operation.lane === other.lane && this.placeOf(event) >= this.placeOf(earlier);
  }

  /** The direct predecessors of an event. Those that most probably lead to other ranks come last, since the search visits them first. */
  private predecessors(event: number): readonly number[] {
    const { operations, partner } = this.flat;
    const id = event >> 1;
    const operation = operations[id];
    if (operation === undefined) return [];
    const added = this.added.get(event) ?? [];
    if ((event & 1) === 1) {
      const message = this.messages && operation.kind === 'receive' ? [this.done(partner[id])] : [];
      return [this.reached(id), ...message, ...added];
    }
    const { previous, after, rank } = operation;
    const lane = previous === -1 ? this.start(rank) : this.done(previous);
    return [lane, ...after.map((earlier) => this.done(earlier)), ...added];
  }
}

/** Determines which operations of a rank must wait, by a semaphore, for operations of other lanes, because nothing else orders them. */
import { CellHistory } from './cell-history.ts';
import type { Events } from './events.ts';
import type { FlatPlan } from './flat.ts';
import type { MessagePlan } from './messages.ts';

export interface SynchronisationWaits {
  /** By operation: operations of other lanes for which it waits. */
  readonly of: readonly (readonly number[])[];
  /** Number of waits of the plan across lanes, and how many of them other synchronisation implies. */
  readonly wanted: number;
  readonly implied: number;
}

/** The waits of the plan that nothing else implies. */
export function synchronisationWaitsOf(flat: FlatPlan, events: Events, messages: MessagePlan): SynchronisationWaits {
  const { operations, partner } = flat;
  let wanted = 0;
  let implied = 0;
  const of = operations.map((operation, id) => {
    const across = [...new Set(operation.after)].filter((earlier) => operations[earlier].lane !== operation.lane);
    wanted += across.length;
    const needed = across.filter((earlier) => {
      const end = events.done(earlier);
      const others = [
        ...(operation.previous === -1 ? [] : [events.done(operation.previous)]),
        ...operation.after.filter((other) => other !== earlier).map((other) => events.done(other)),
      ];
      const receive = partner[id];
      if (operation.kind === 'send' && messages.ready[receive] === 1) others.push(events.reached(receive));
      if (operation.kind === 'send' && messages.entry[id] === 1) others.push(events.start(operations[receive].rank));
      // A receiver that does not signal readiness waits for its message only.
      if (operation.kind === 'receive' && messages.ready[id] === 0) others.push(events.done(partner[id]));
      return !others.some((other) => events.isUpTo(end, other));
    });
    implied += across.length - needed.length;
    return needed;
  });
  return { of, wanted, implied };
}

/**
 * The same plan with an additional wait for each pair of conflicting accesses of a rank that was ordered only by a message: packets carry their own
 * data and order nothing else.
 * @param byPlace all operations in the order in which they are done in a run
 * @param local the events without the order that messages give
 */
export function withLocalWaits(flat: FlatPlan, byPlace: readonly number[], local: Events): FlatPlan {
  const after = flat.operations.map((operation) => [...operation.after]);
  const history = new CellHistory(flat);
  for (const id of byPlace) {
    for (const earlier of history.conflicts(id)) {
      if (local.isBefore(local.done(earlier), local.done(id))) continue;
      after[id].push(earlier);
      local.add(local.done(earlier), local.reached(id));
    }
    history.record(id);
  }
  return { ...flat, operations: flat.operations.map((operation, id) => ({ ...operation, after: after[id] })) };
}

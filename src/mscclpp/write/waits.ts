/** Which operations of a rank must be told of the end of others, since nothing else orders them. */
import type { Events } from './events.ts';
import type { FlatPlan } from './flat.ts';
import { chunkRowsOf, type MessagePlan } from './messages.ts';

export interface SynchronisationWaits {
  /** By operation: those of other lanes that it waits for. */
  readonly of: readonly (readonly number[])[];
  /** Waits of the plan across lanes, and of them those that something else gives. */
  readonly asked: number;
  readonly given: number;
}

/** Waits of the plan that nothing else implies. */
export function synchronisationWaitsOf(flat: FlatPlan, events: Events, messages: MessagePlan): SynchronisationWaits {
  const { operations, partner } = flat;
  const { order } = events;
  let asked = 0;
  let given = 0;
  const of = operations.map((operation, id) => {
    const across = [...new Set(operation.after)].filter((earlier) => operations[earlier].lane !== operation.lane);
    asked += across.length;
    const needed = across.filter((earlier) => {
      const end = events.done(earlier);
      const others = [
        ...(operation.previous === -1 ? [] : [events.done(operation.previous)]),
        ...operation.after.filter((other) => other !== earlier).map((other) => events.done(other)),
      ];
      const receive = partner[id];
      if (operation.kind === 'send' && messages.ready[receive] === 1) others.push(events.reached(receive));
      if (operation.kind === 'send' && messages.entry[id] === 1) others.push(events.start(operations[receive].rank));
      // A receiver that has nothing to say only waits for its message.
      if (operation.kind === 'receive' && messages.ready[id] === 0) others.push(events.done(partner[id]));
      return !others.some((other) => order.upTo(end, other));
    });
    given += across.length - needed.length;
    return needed;
  });
  return { of, asked, given };
}

/**
 * The same plan with every order between accesses of a rank as a wait, where so far a message gave it: packets bring their
 * own data and no order of anything else.
 * @param whole events whose messages do order
 */
export function withLocalWaits(flat: FlatPlan, whole: Events, local: Events): FlatPlan {
  const added = flat.operations.map(({ after }) => [...after]);
  for (const ids of accessesByCell(flat)) {
    for (const a of ids) {
      for (const b of ids) {
        if (a.id === b.id || !(a.writes || b.writes) || !whole.order.before(whole.done(a.id), whole.done(b.id)))
          continue;
        if (local.order.before(local.done(a.id), local.done(b.id))) continue;
        added[b.id].push(a.id);
        local.order.add(local.done(a.id), local.reached(b.id));
      }
    }
  }
  return { ...flat, operations: flat.operations.map((operation, id) => ({ ...operation, after: added[id] })) };
}

interface Access {
  readonly id: number;
  readonly writes: boolean;
}

function accessesByCell({ operations, cell }: FlatPlan): readonly (readonly Access[])[] {
  const byCell = new Map<string, Access[]>();
  operations.forEach((operation, id) => {
    const read =
      operation.kind === 'copy' || operation.kind === 'reduce' ? operation.pairs.map(({ source }) => source) : [];
    for (const row of chunkRowsOf(operation)) {
      const writes = operation.kind !== 'send' && !read.includes(row);
      for (let chunk = row.index; chunk < row.index + row.size; chunk++) {
        const key = `${operation.rank} ${cell(operation.rank, row.buffer, chunk)}`;
        const known = byCell.get(key);
        if (known === undefined) byCell.set(key, [{ id, writes }]);
        else known.push({ id, writes });
      }
    }
  });
  return [...byCell.values()];
}

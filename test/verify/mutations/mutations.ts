/** Small changes of plans, as mistakes would make them: one function per kind of mistake. */
import { combinesInRankOrder } from '../../../src/ir/collective.ts';
import {
  type OperationKind,
  type OperationParts,
  operationAt,
  operationFrom,
  type Plan,
  PlanBuilder,
  planBuffers,
  rankOfLane,
  type Slice,
} from '../../../src/ir/plan.ts';

/** An operation that can be changed; `after` names others by themselves, so that they may move. */
export interface DraftOperation {
  fields: { kind: OperationKind } & { -readonly [Part in keyof OperationParts]: OperationParts[Part] };
  after: { operation: DraftOperation; bulks: number }[];
}

export interface DraftLane {
  readonly rank: number;
  readonly id: number;
  operations: DraftOperation[];
}

export interface Draft {
  readonly plan: Plan;
  readonly lanes: DraftLane[];
}

/** Numbers from 0 up to a bound. */
export type Choose = (bound: number) => number;

/** A mistake; false if the plan has no place for it. */
export type Mutation = (draft: Draft, choose: Choose) => boolean;

export function draftOf(plan: Plan): Draft {
  const all = Array.from({ length: plan.ops.kind.length }, (_, at): DraftOperation => {
    const { op, after: _after, ...fields } = operationAt(plan, at);
    return { fields: { kind: op, ...fields }, after: [] };
  });
  all.forEach((operation, at) => {
    for (let a = plan.ops.firstAfter[at]; a < plan.ops.firstAfter[at + 1]; a++) {
      operation.after.push({ operation: all[plan.ops.afterOp[a]], bulks: plan.ops.afterBulks[a] });
    }
  });
  const lanes = Array.from(plan.laneId, (id, lane) => ({
    ...{ rank: rankOfLane(plan, lane), id },
    operations: all.slice(plan.firstOp[lane], plan.firstOp[lane + 1]),
  }));
  return { plan, lanes };
}

/** The plan of a draft. Waits for operations that are gone are dropped. */
export function planOfDraft({ plan, lanes }: Draft): Plan {
  const builder = new PlanBuilder();
  const handles = new Map<DraftOperation, number>();
  for (const { rank, id, operations } of lanes) {
    const lane = builder.openLane(rank, id);
    for (const operation of operations)
      handles.set(operation, builder.add(lane, operationFrom(operation.fields.kind, operation.fields)));
  }
  for (const [operation, handle] of handles) {
    for (const wait of operation.after) {
      const on = handles.get(wait.operation);
      if (on !== undefined) builder.wait(handle, on, wait.bulks);
    }
  }
  const { name, collective, bulks, scratchPerBulk, buffers, rounds } = plan;
  return builder.build({ name, collective, bulks, scratchPerBulk, buffers, rounds });
}

function one<T>(items: readonly T[], choose: Choose): T | undefined {
  return items.length === 0 ? undefined : items[choose(items.length)];
}

function operationsOf(draft: Draft, kinds: readonly OperationKind[]): readonly DraftOperation[] {
  return draft.lanes.flatMap(({ operations }) => operations.filter(({ fields }) => kinds.includes(fields.kind)));
}

const everyKind: readonly OperationKind[] = ['copy', 'reduce', 'send', 'recv', 'recvReduce'];
const messageKinds: readonly OperationKind[] = ['send', 'recv', 'recvReduce'];

/** Changes one operation among those of some kinds. */
function changeOne(
  kinds: readonly OperationKind[],
  change: (fields: DraftOperation['fields'], choose: Choose, draft: Draft) => void,
): Mutation {
  return (draft, choose) => {
    const operation = one(operationsOf(draft, kinds), choose);
    if (operation === undefined) return false;
    change(operation.fields, choose, draft);
    return true;
  };
}

/** Changes the source or the destination of some operation. */
function changeSlice(change: (slice: Slice, choose: Choose) => Slice): Mutation {
  return changeOne(everyKind, (fields, choose) => {
    const side = fields.dst === undefined || (fields.src !== undefined && choose(2) === 0) ? 'src' : 'dst';
    const slice = fields[side];
    if (slice !== undefined) fields[side] = change(slice, choose);
  });
}

/** A send and the receive that takes its message. */
function pairOf(draft: Draft, choose: Choose) {
  const ends = draft.lanes.flatMap((lane) => lane.operations.map((operation) => ({ lane, operation })));
  const chosen = one(
    ends.filter(({ operation }) => operation.fields.kind === 'send'),
    choose,
  );
  if (chosen === undefined) return undefined;
  const { channel, peer } = chosen.operation.fields;
  const from = chosen.lane.rank;
  const same = ({ lane, operation: { fields } }: typeof chosen, sends: boolean): boolean =>
    fields.channel === channel &&
    (fields.kind === 'send') === sends &&
    messageKinds.includes(fields.kind) &&
    (sends ? lane.rank === from && fields.peer === peer : lane.rank === peer && fields.peer === from);
  const at = ends.filter((end) => same(end, true)).indexOf(chosen);
  return { send: chosen, receive: ends.filter((end) => same(end, false))[at] };
}

const otherKind: Partial<Record<OperationKind, OperationKind>> = {
  ...{ copy: 'reduce', reduce: 'copy', recv: 'recvReduce', recvReduce: 'recv' },
};

export const mutations: Readonly<Record<string, Mutation>> = {
  'drop a dependency': (draft, choose) => {
    const operation = one(
      operationsOf(draft, everyKind).filter(({ after }) => after.length > 0),
      choose,
    );
    operation?.after.splice(choose(operation.after.length), 1);
    return operation !== undefined;
  },
  'swap two operations': (draft, choose) => {
    const lane = one(
      draft.lanes.filter(({ operations }) => operations.length > 1),
      choose,
    );
    if (lane === undefined) return false;
    const at = choose(lane.operations.length - 1);
    lane.operations.splice(at, 2, lane.operations[at + 1], lane.operations[at]);
    return true;
  },
  'change a chunk': changeSlice((slice, choose) => ({ ...slice, offset: slice.offset + (choose(2) === 0 ? 1 : -1) })),
  'change a count': changeSlice((slice, choose) => ({ ...slice, count: slice.count + (choose(2) === 0 ? 1 : -1) })),
  'change a buffer': changeSlice((slice, choose) => ({
    ...slice,
    buffer: planBuffers[(planBuffers.indexOf(slice.buffer) + 1 + choose(2)) % 3],
  })),
  'change a peer': changeOne(messageKinds, (fields, choose, { plan }) => {
    fields.peer = ((fields.peer ?? 0) + 1 + choose(Math.max(1, plan.buffers.length - 1))) % plan.buffers.length;
  }),
  'change a channel': changeOne(messageKinds, (fields) => {
    fields.channel = (fields.channel ?? 0) + 1;
  }),
  'copy for reduce': changeOne(['copy', 'reduce', 'recv', 'recvReduce'], (fields) => {
    fields.kind = otherKind[fields.kind] ?? fields.kind;
  }),
  'turn the operands': (draft, choose) =>
    combinesInRankOrder(draft.plan.collective) &&
    changeOne(['reduce', 'recvReduce'], (fields) => {
      fields.order = fields.order === 'received-first' ? 'held-first' : 'received-first';
    })(draft, choose),
  'drop a transfer': (draft, choose) => {
    const pair = pairOf(draft, choose);
    if (pair?.receive === undefined) return false;
    for (const { lane, operation } of [pair.send, pair.receive]) {
      lane.operations = lane.operations.filter((other) => other !== operation);
    }
    return true;
  },
  'double a transfer': (draft, choose) => {
    const pair = pairOf(draft, choose);
    if (pair?.receive === undefined) return false;
    for (const { lane, operation } of [pair.send, pair.receive]) {
      const again = { fields: { ...operation.fields }, after: [...operation.after] };
      lane.operations.splice(lane.operations.indexOf(operation) + 1, 0, again);
    }
    return true;
  },
};

/** Makes one mistake of a kind; undefined if the plan has no place for it. */
export function mutate(plan: Plan, mutation: Mutation, choose: Choose): Plan | undefined {
  const draft = draftOf(plan);
  return mutation(draft, choose) ? planOfDraft(draft) : undefined;
}

/**
 * The actions of a rank, in an order in which they could run. An action is one operation, or a receive fused with the send that forwards its message.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { Pairing } from './pairing.ts';
import type { RankOperations } from './program-order.ts';

export interface Action {
  readonly operation: number;
  /** The send that forwards the message of the receive `operation`, in the same step. */
  readonly forward: number | undefined;
  readonly block: number;
  /** Indices of the actions that must be complete first. */
  readonly before: readonly number[];
}

/**
 * Orders the actions of a rank topologically. Earlier steps of the plan take precedence and, within a step, sends before other operations, so that
 * ranks do not wait for each other to send.
 * @returns every action after its predecessors; undefined if fusing has created a cycle
 */
export function actionsInOrder(plan: Plan, rank: RankOperations, pairing: Pairing): readonly Action[] | undefined {
  const { forwards, blocks } = pairing;
  const headOf = new Map([...forwards].map(([receive, send]) => [send, receive]));
  const head = (operation: number): number => headOf.get(operation) ?? operation;
  const heads: number[] = [];
  for (let o = rank.first; o < rank.end; o++) if (!headOf.has(o)) heads.push(o);
  const priority = (o: number): number => 2 * plan.ops.step[o] + (plan.ops.kind[o] === OperationCode.send ? 0 : 1);
  const earlier = new Map(heads.map((o) => [o, headsBefore(rank, o, forwards.get(o), head)]));
  const order = sorted(heads, earlier, (a, b) => priority(a) - priority(b) || a - b);
  if (order === undefined) return undefined;
  const placeOf = new Map(order.map((o, place) => [o, place]));
  return order.map((operation) => ({
    operation,
    forward: forwards.get(operation),
    block: blocks.of[operation - rank.first],
    before: [...(earlier.get(operation) ?? [])].map((o) => placeOf.get(o) ?? -1),
  }));
}

/** The first operations of the actions that must precede an action, because of its operation or the fused send. */
function headsBefore(
  { first, before }: RankOperations,
  operation: number,
  forward: number | undefined,
  head: (operation: number) => number,
): ReadonlySet<number> {
  const own = before[operation - first].map(head);
  const others = forward === undefined ? [] : before[forward - first].map(head).filter((o) => o !== operation);
  return new Set([...own, ...others]);
}

/** A topological order of the items that prefers smaller ones; undefined if there is a cycle. */
function sorted(
  items: readonly number[],
  earlier: ReadonlyMap<number, ReadonlySet<number>>,
  compare: (a: number, b: number) => number,
): readonly number[] | undefined {
  const order = new Set<number>();
  for (const item of [...items].sort(compare)) {
    // Each item of the stack depends on the one above it.
    const stack = [item];
    const open = new Set(stack);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const missing = [...(earlier.get(top) ?? [])].filter((need) => !order.has(need)).sort(compare);
      if (missing.length === 0) {
        order.add(top);
        open.delete(top);
        stack.pop();
      } else if (open.has(missing[0])) {
        return undefined;
      } else {
        stack.push(missing[0]);
        open.add(missing[0]);
      }
    }
  }
  return [...order];
}

/** The steps of a rank in an order in which they could run: one per operation, or per receive and the send that forwards it. */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { Pairing } from './pairing.ts';
import type { RankOperations } from './program-order.ts';

export interface Action {
  readonly operation: number;
  /** The send that passes on what `operation` receives, in the same step. */
  readonly forward: number | undefined;
  readonly block: number;
  /** Actions that must be complete first, by their place in the list. */
  readonly before: readonly number[];
}

/**
 * Early steps of the plan come first, sends before what else there is in a step: whoever sends first does not wait for others
 * to do so.
 * @returns every action behind all that it comes after; undefined where fusing has made a circle
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

/** The heads that an operation, and the send it is fused with, come after. */
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

/** The items, the least first, each behind those it comes after; undefined if they come after each other in a circle. */
function sorted(
  items: readonly number[],
  earlier: ReadonlyMap<number, ReadonlySet<number>>,
  compare: (a: number, b: number) => number,
): readonly number[] | undefined {
  const order = new Set<number>();
  for (const item of [...items].sort(compare)) {
    // Each item of the stack waits for the one above it.
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

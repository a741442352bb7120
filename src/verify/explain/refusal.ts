/** Puts a refusal of the kernel into words, with the place of the operation that caused it. */
import type { Refusal } from '../../kernel/refusal.ts';
import type { PlanTables } from '../../kernel/tables.ts';

export function explained(refusal: Refusal, plan: PlanTables & { readonly laneId: ArrayLike<number> }): string {
  const { message, operation } = refusal;
  if (operation < 0) return message;
  const lane = Array.from(plan.firstOp).findLastIndex((first) => first <= operation);
  const rank = Array.from(plan.firstLane).findLastIndex((first) => first <= lane);
  return `${message} (rank ${rank} lane ${plan.laneId[lane]} op ${operation - plan.firstOp[lane]})`;
}

/** Converts a plan to the form that the kernel reads: the plan's own columns and, for a custom collective, a function that looks up its condition. */
import { expectation, listed } from '../ir/collective.ts';
import { ranksWithResults, runsOfRank } from '../ir/custom-results.ts';
import type { Plan } from '../ir/plan.ts';
import type { PlanTables } from '../kernel/tables.ts';

export function kernelTablesOf(plan: Plan): PlanTables & Pick<Plan, 'laneId'> {
  const { custom, ...collective } = plan.collective;
  if (custom === undefined) return { ...plan, collective };
  const { results, ...sizes } = custom;
  const slotsOf = (_: unknown, rank: number) => {
    const length = [...runsOfRank(results, rank)].reduce((_end, { slot, count }) => slot + count, 0);
    const at = (slot: number) => {
      const wanted = expectation(plan.collective, rank, slot);
      return wanted.kind === 'list' ? listed(wanted) : undefined;
    };
    return { length, at };
  };
  const slots = Array.from({ length: ranksWithResults(results) }, slotsOf);
  return { ...plan, collective: { ...collective, custom: { ...sizes, results: slots } } };
}

/** A plan as the kernel reads it: the plan's own columns, and for a custom collective a look-up in its condition. */
import { expectation, listed } from '../ir/collective.ts';
import type { Plan } from '../ir/plan.ts';
import type { Tables } from '../kernel/plan.ts';

export function tablesOf(plan: Plan): Tables {
  const { custom, ...collective } = plan.collective;
  if (custom === undefined) return { ...plan, collective };
  const { results: _, ...sizes } = custom;
  const wants = (rank: number, slot: number) => {
    const wanted = expectation(plan.collective, rank, slot);
    return wanted.kind === 'list' ? listed(wanted) : undefined;
  };
  return { ...plan, collective: { ...collective, custom: { ...sizes, wants } } };
}

/** The plans for which a communication library has a name, and the best of them for each size. */
import { loadScheduleFile } from '../read/index.ts';
import { rangesFor, type SizeRange } from './ranges.ts';
import type { TunedPlan } from './timed-plan.ts';
import type { TuneResult } from './tune.ts';

/** A range of sizes whose plan the library can name. */
export interface NamedRange<Name> extends SizeRange {
  readonly name: Name;
}

/**
 * Ranges among the plans that have a name in the library; none if no plan has one.
 * @param nameOf the library's name of an algorithm, or undefined
 */
export function namedRanges<Name>(
  { pool, sizes }: TuneResult,
  tolerance: number,
  nameOf: (plan: TunedPlan) => Name | undefined,
): readonly NamedRange<Name>[] {
  const named = pool.filter((plan) => nameOf(plan) !== undefined);
  if (named.length === 0) return [];
  const ranges = rangesFor(
    named,
    sizes.map(({ size }) => size),
    tolerance,
  );
  return ranges.flatMap((range) => {
    const name = nameOf(range.plan);
    return name === undefined ? [] : [{ ...range, name }];
  });
}

/** All names of a plan's algorithm, most specific first; for schedules in rank order, their own name and aliases. */
export function namesOf({ evaluated }: TunedPlan): readonly string[] {
  const { origin, name } = evaluated.candidate;
  if (origin.engine !== 'library' || name !== origin.schedule) return [];
  const { kind } = evaluated.checked.plan.collective;
  const own = name.replace(new RegExp(`-${kind}$`), '').replaceAll('-', '_');
  return [own, ...loadScheduleFile(name).aliases];
}

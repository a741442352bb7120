/** The plans that a communication library has under a name of its own, and its best choice for each size among them. */
import { loadScheduleFile } from '../read/index.ts';
import { rangesFor, type SizeRange } from './ranges.ts';
import type { TunedPlan } from './timed-plan.ts';
import type { TuneResult } from './tune.ts';

/** A range whose plan the target can name. */
export interface NamedRange<Name> extends SizeRange {
  readonly name: Name;
}

/**
 * Ranges among the plans that have a name in the target; none where no plan has one.
 * @param nameOf what the target calls an algorithm, or undefined
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

/** All names of a plan's algorithm, most specific first: of schedules in the order of the ranks, their own and their aliases. */
export function namesOf({ evaluated }: TunedPlan): readonly string[] {
  const { origin, name } = evaluated.candidate;
  if (origin.engine !== 'library' || name !== origin.schedule) return [];
  const { kind } = evaluated.checked.plan.collective;
  const own = name.replace(new RegExp(`-${kind}$`), '').replaceAll('-', '_');
  return [own, ...loadScheduleFile(name).aliases];
}

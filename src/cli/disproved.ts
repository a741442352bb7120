/** What is said where a plan takes less than a bound allows, which is a mistake in ccc and not in the plan. */
import type { Claim } from '../ir/certificate.ts';
import { formatSeconds } from '../ir/units.ts';

export function disprovedTexts(disproved: readonly Claim[] | undefined): readonly string[] {
  return (disproved ?? []).map(({ kind, seconds }) => {
    const claim = `a bound (${kind}) says that no plan takes less than ${formatSeconds(seconds)}, which this one does`;
    return `${claim}; the bound is left out, the plan is correct. Please report this with the command that you ran`;
  });
}

/**
 * What a custom collective wants, slot by slot, put together: ranks that contribute to a result, ranks that want it, and how many
 * chunks of that kind there are. Several process groups at once are a custom collective of few demands.
 */
import type { Collective, Contribution, CustomCondition } from '../../ir/collective.ts';

/** Results of the same contributors for the same ranks. */
export interface Demand {
  readonly contributors: readonly number[];
  readonly wanters: readonly number[];
  /** How many such results there are. No two share a contribution, so that no message serves two of them. */
  readonly chunks: number;
}

/** Contributions that are looked through; of larger collectives nothing is said. */
const mostContributions = 500_000;

const known = new WeakMap<CustomCondition, readonly Demand[]>();

/** Of results that share a contribution the one with the most contributions counts, of equal ones the first. */
export function demandsOf({ custom }: Collective): readonly Demand[] {
  if (custom === undefined) return [];
  const demands = known.get(custom) ?? gathered(custom);
  known.set(custom, demands);
  return demands;
}

function gathered(custom: CustomCondition): Demand[] {
  const stride = 1 + Math.max(0, ...custom.input);
  let contributions = 0;
  for (const slots of custom.results) for (const slot of slots) contributions += slot?.length ?? 0;
  if (contributions > mostContributions) return [];
  const key = ({ rank, chunk }: Contribution): number => rank * stride + chunk;
  const results = new Map<string, { readonly contributions: readonly Contribution[]; readonly wanters: Set<number> }>();
  custom.results.forEach((slots, rank) => {
    for (const slot of slots) {
      if (slot === null || slot.every((contribution) => contribution.rank === rank)) continue;
      const name = slot.map(key).join(' ');
      const known = results.get(name);
      if (known === undefined) results.set(name, { contributions: slot, wanters: new Set([rank]) });
      else known.wanters.add(rank);
    }
  });
  const taken = new Set<number>();
  const demands = new Map<string, Demand>();
  const largestFirst = [...results.values()].sort((a, b) => b.contributions.length - a.contributions.length);
  for (const { contributions, wanters } of largestFirst) {
    if (contributions.some((contribution) => taken.has(key(contribution)))) continue;
    for (const contribution of contributions) taken.add(key(contribution));
    const contributors = [...new Set(contributions.map(({ rank }) => rank))];
    const name = `${contributors.join(' ')} for ${[...wanters].join(' ')}`;
    const chunks = 1 + (demands.get(name)?.chunks ?? 0);
    demands.set(name, { contributors, wanters: [...wanters], chunks });
  }
  return [...demands.values()];
}

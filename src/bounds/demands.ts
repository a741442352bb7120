/**
 * Groups the output slots of a custom collective by who contributes and who wants the result, with the number of chunks
 * of each kind. Several process groups at once are a custom collective with few such demands.
 */
import type { Collective, Contribution, CustomCondition } from '../ir/collective.ts';
import { contributionsIn, ranksWithResults, runsOfRank, type WantedRun } from '../ir/custom-results.ts';
import { searched } from './limits.ts';

/** Results that combine the same contributors and are wanted by the same ranks. */
export interface MulticastDemand {
  readonly contributors: readonly number[];
  readonly wanters: readonly number[];
  /** Number of such results. No two share a contribution, so that no message serves two of them. */
  readonly chunks: number;
}

const known = new WeakMap<CustomCondition, readonly MulticastDemand[]>();

/**
 * Among results that share a contribution, only the one with the most contributions is counted; the first of them in
 * case of a tie.
 */
export function multicastDemandsOf({ custom }: Collective): readonly MulticastDemand[] {
  if (custom === undefined) return [];
  const demands = known.get(custom) ?? gathered(custom);
  known.set(custom, demands);
  return demands;
}

function gathered(custom: CustomCondition): MulticastDemand[] {
  const stride = 1 + custom.input.reduce((a, b) => Math.max(a, b), 0);
  if (contributionsOf(custom) > searched.contributions) return [];
  const key = ({ rank, chunk }: Contribution): number => rank * stride + chunk;
  const results = new Map<string, { readonly contributions: readonly Contribution[]; readonly wanters: Set<number> }>();
  for (const { rank, contributions } of wantedSlots(custom)) {
    if (contributions.every((contribution) => contribution.rank === rank)) continue;
    const name = contributions.map(key).join(' ');
    const known = results.get(name);
    if (known === undefined) results.set(name, { contributions, wanters: new Set([rank]) });
    else known.wanters.add(rank);
  }
  const taken = new Set<number>();
  const demands = new Map<string, MulticastDemand>();
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

/** An output slot, and the contributions that it combines. */
interface WantedSlot {
  readonly rank: number;
  readonly contributions: readonly Contribution[];
}

/** All slots with a defined result, optionally of one rank only. */
export function* wantedSlots(custom: CustomCondition, of?: number): Iterable<WantedSlot> {
  for (const run of of === undefined ? allRuns(custom) : runsOfRank(custom.results, of)) {
    for (let i = 0; i < run.count; i++) {
      const contributions = contributionsIn(run, i);
      if (contributions !== null) yield { rank: run.rank, contributions };
    }
  }
}

function* allRuns({ results }: CustomCondition): Iterable<WantedRun> {
  for (let rank = 0; rank < ranksWithResults(results); rank++) yield* runsOfRank(results, rank);
}

function contributionsOf(custom: CustomCondition): number {
  let contributions = 0;
  for (const { count, parts } of allRuns(custom)) contributions += count * (parts?.length ?? 0);
  return contributions;
}

/** Results of a collective no two of which share a contribution, and the ranks that messages must connect for each of them. */
import { expectation, listed, messageChunks, outputChunks } from '../ir/collective.ts';
import { everyone, type Question } from './question.ts';
import { trackedContributionBytes } from './work.ts';

/** Ranks that messages must connect, as the edges of a spanning tree do; each message has `weight` · M bytes. */
export interface Joined {
  readonly ranks: ReadonlySet<number>;
  readonly weight: number;
}

/** For each result, the ranks that contribute to it or want it must be connected, and those that do both must be connected once more (spans.ts). */
export function joinedBy(question: Question): readonly Joined[] {
  const { collective } = question;
  if (collective.kind === 'allreduce') return [{ ranks: new Set(everyone(question)), weight: 2 }];
  if (collective.kind !== 'custom') return [];
  const weight = 1 / messageChunks(collective);
  return separateResults(question).flatMap(({ from, to }) => {
    const both = new Set([...from].filter((rank) => to.has(rank)));
    const all = { ranks: new Set([...from, ...to]), weight };
    return both.size > 0 ? [all, { ranks: both, weight }] : [all];
  });
}

/** The ranks that have a result's contributions, and those that want it. */
interface Result {
  readonly from: ReadonlySet<number>;
  readonly to: Set<number>;
}

/**
 * The results of a custom collective, chosen greedily by descending number of contributions so that no two share one. A result that its rank computes
 * from its own input is left out, since it needs no message.
 */
export function separateResults(question: Question): readonly Result[] {
  const { collective, work } = question;
  const all = new Map<string, Result & { readonly parts: readonly string[] }>();
  for (const rank of everyone(question)) {
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      const wanted = expectation(collective, rank, slot);
      work.spend(wanted.kind === 'list' ? trackedContributionBytes * wanted.parts.length : 1);
      if (wanted.kind !== 'list' || wanted.parts.every((from) => from.rank === rank)) continue;
      const parts = listed(wanted).map((from) => `${from.rank}:${from.chunk}`);
      const name = parts.join(' ');
      const known = all.get(name);
      if (known !== undefined) known.to.add(rank);
      else all.set(name, { parts, from: new Set(wanted.parts.map((part) => part.rank)), to: new Set([rank]) });
    }
  }
  const taken = new Set<string>();
  return [...all.values()]
    .sort((a, b) => b.parts.length - a.parts.length)
    .filter(({ parts }) => {
      if (parts.some((part) => taken.has(part))) return false;
      for (const part of parts) taken.add(part);
      return true;
    });
}

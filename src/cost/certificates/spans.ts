/** Parts of a machine that messages must join, by the distance between them (docs/bounds.md), for checking certificates. */
import { type Collective, expectation, listed, messageChunks, outputChunks } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { waysFrom } from './ways.ts';

/** Ranks that messages of some part of M must join: as a tree does. */
interface Joined {
  readonly ranks: ReadonlySet<number>;
  readonly weight: number;
}

/**
 * Bytes × distance that messages go at least, as a part of M. At each distance θ, ranks that are nearer to each other than θ in either
 * direction are one part; each message between parts goes θ or more. Of the parts that a result's ranks are in, all but one take a
 * message, and those of ranks that both contribute and want it, all but one take another.
 */
export function spannedLength(lengths: readonly number[], collective: Collective, topology: Topology): number {
  const { chips } = topology;
  const ways = chips.map((chip) => waysFrom(topology, [chip], (_, index) => lengths[index]));
  const distance = (a: number, b: number): number => Math.min(ways[a][chips[b]], ways[b][chips[a]]);
  const pairs = chips.flatMap((_, a) => Array.from({ length: a }, (_, b) => ({ a, b, distance: distance(a, b) })));
  pairs.sort((x, y) => x.distance - y.distance);
  const trees = joinedBy(collective);
  const part = chips.map((_, rank) => rank);
  let total = 0;
  let before = 0;
  for (const pair of pairs) {
    if (part[pair.a] === part[pair.b]) continue;
    if (pair.distance > before) {
      for (const { ranks, weight } of trees) {
        const parts = new Set([...ranks].map((rank) => part[rank]));
        total += weight * (parts.size - 1) * (pair.distance - before);
      }
      before = pair.distance;
    }
    const [kept, gone] = [part[pair.a], part[pair.b]];
    part.forEach((at, rank) => {
      if (at === gone) part[rank] = kept;
    });
  }
  return total;
}

/** Messages that join ranks one by one, in all, as a part of M. */
export function joiningMessages(collective: Collective): number {
  return joinedBy(collective).reduce((sum, { ranks, weight }) => sum + weight * (ranks.size - 1), 0);
}

/** Reductions of results that share no contribution: of n ranks' contributions n − 1. */
export function separateReductions(collective: Collective): number {
  return separateResults(collective).reduce((sum, { from }) => sum + (from.size - 1), 0) / messageChunks(collective);
}

function joinedBy(collective: Collective): Joined[] {
  if (collective.kind === 'allreduce') {
    return [{ ranks: new Set(Array.from({ length: collective.ranks }, (_, rank) => rank)), weight: 2 }];
  }
  if (collective.kind !== 'custom') return [];
  const weight = 1 / messageChunks(collective);
  return separateResults(collective).flatMap(({ from, to }) => {
    const both = new Set([...from].filter((rank) => to.has(rank)));
    const all = { ranks: new Set([...from, ...to]), weight };
    return both.size > 0 ? [all, { ranks: both, weight }] : [all];
  });
}

interface Result {
  readonly from: ReadonlySet<number>;
  readonly to: Set<number>;
}

/** Results that share no contribution, those of most contributions first; with the ranks that have these, and those that want them. */
function separateResults(collective: Collective): Result[] {
  const everyone = Array.from({ length: collective.ranks }, (_, rank) => rank);
  const all = new Map<string, Result & { readonly parts: readonly string[] }>();
  for (const rank of everyone) {
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      const wanted = expectation(collective, rank, slot);
      if (wanted.kind !== 'list' || wanted.parts.every((from) => from.rank === rank)) continue;
      const parts = listed(wanted).map((from) => `${from.rank}:${from.chunk}`);
      const from = new Set(wanted.parts.map((part) => part.rank));
      const known = all.get(parts.join(' '));
      if (known !== undefined) known.to.add(rank);
      else all.set(parts.join(' '), { parts, from, to: new Set([rank]) });
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

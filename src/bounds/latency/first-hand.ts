/**
 * First-hand bound: before any contribution can have been relayed to a rank, that rank must receive and reduce the
 * contributions itself. The theorem is in certificates/first-hand.ts, the proof in docs/bounds.md. The best sets of
 * contributors are those with τ(s) ≥ τ for some threshold τ.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type Bytes, formatBytes, type Seconds } from '../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';

/** Limits: ranks for which relays between all pairs are examined, and results that are examined. */
const most = { ranks: 256, results: 64 };

/** A rank whose contribution cannot have been relayed to the rank in question if the plan meets the deadline. */
interface Contributor {
  readonly rank: number;
  /** τ(s): the earliest time at which the contribution can arrive over another rank. */
  readonly relayed: Seconds;
  readonly straight: Seconds;
}

export function firstHandBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (size === 0 || facts.topology.nodes.length > most.ranks) return [];
  let best: Certificate | undefined;
  for (const rank of resultsToLookAt(collective, facts)) {
    const contributors = contributorsTo(collective, facts, rank);
    const others = contributors.map((contributor) => contributor.rank);
    const bytes = bytesBetween(collective, size, others, [rank]);
    // With unequal shards some ranks need nothing and wait for nobody.
    if (bytes === 0) continue;
    for (const least of new Set(contributors.map(({ relayed }) => relayed))) {
      const chosen = contributors.filter(({ relayed }) => relayed >= least);
      const isAll = collective.kind === 'exscan' && chosen.length === contributors.length;
      const reductions = isAll ? chosen.length - 1 : chosen.length;
      const latency = chosen.reduce((nearest, { straight }) => Math.min(nearest, straight), least);
      const work = timeToCombine(facts, rank, chosen.length * bytes, reductions * bytes);
      const seconds = Math.min(least, latency + work);
      if (!(seconds > (best?.seconds ?? 0))) continue;
      const reason = `rank ${rank} must receive and combine ${formatBytes(chosen.length * bytes)} itself, since receiving them through other ranks would take at least as long`;
      best = {
        kind: 'first-hand',
        seconds,
        reason,
        witness: { rank, contributors: chosen.map((contributor) => contributor.rank) },
      };
    }
  }
  return best === undefined ? [] : [best];
}

/** Ranks whose results are reductions, sampled evenly; only the first if all chips are alike. */
function resultsToLookAt({ kind, ranks, root }: Collective, { alike }: MachineFacts): readonly number[] {
  const count = Math.min(ranks, most.results);
  const spread = Array.from({ length: count }, (_, index) => ranks - 1 - Math.floor((index * ranks) / count));
  switch (kind) {
    case 'reduce':
      return [root];
    case 'allreduce':
      return alike ? [0] : spread;
    case 'reducescatter':
    case 'scan':
    case 'exscan':
      return spread;
    default:
      return [];
  }
}

function contributorsTo({ kind }: Collective, { topology, latencies, nearestOther }: MachineFacts, rank: number) {
  const { chips } = topology;
  const ranks = Array.from({ length: ranksOf(topology) }, (_, other) => other);
  const isBefore = kind === 'scan' || kind === 'exscan';
  const last = ranks.map((other) => latencies.from(chips[other])[chips[rank]]);
  return ranks
    .filter((other) => (isBefore ? other < rank : other !== rank))
    .map((source): Contributor => {
      const way = latencies.from(chips[source]);
      let relayed = nearestOther[source] + last[source];
      for (const relay of ranks) {
        if (relay !== source && relay !== rank) relayed = Math.min(relayed, way[chips[relay]] + last[relay]);
      }
      return { rank: source, relayed, straight: last[source] };
    });
}

/** The time that a rank needs to receive the given bytes and to reduce the given bytes. */
function timeToCombine({ topology, receives }: MachineFacts, rank: number, received: Bytes, reduced: Bytes): Seconds {
  const { reduce: engine } = topology.nodes[topology.chips[rank]];
  const receiving = received / receives[rank];
  if (engine === undefined) return receiving;
  const reducing = reduced / engine.throughput;
  return engine.overlap ? Math.max(receiving, reducing) : receiving + reducing;
}

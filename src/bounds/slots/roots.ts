/**
 * Ranks that a collective uses as roots whatever else it does: it broadcasts M bytes from them, or reduces M bytes to
 * them.
 */
import type { Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { transpose } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import { type MachineFacts, machineFacts, once } from '../machine-facts.ts';

/** Limits: ranks of an allreduce that are tried as roots, and ranks whose distances are computed to choose them. */
const [mostRoots, mostLookedAt] = [4, 256];

export interface SlotRoot {
  readonly root: number;
  readonly direction: Direction;
}

/** Ranks whose M bytes all others need (`out`), or that need M bytes from all others (`in`). */
export function rootsOf({ kind, ranks, root }: Collective, facts: MachineFacts): SlotRoot[] {
  const out = (rank: number): SlotRoot => ({ root: rank, direction: 'out' });
  const into = (rank: number): SlotRoot => ({ root: rank, direction: 'in' });
  if (kind === 'broadcast') return [out(root)];
  if (kind === 'reduce') return [into(root)];
  if (ranks > searched.rootRanks) return [];
  switch (kind) {
    case 'scan':
    case 'exscan':
      return [out(0), into(ranks - 1)];
    case 'allreduce': {
      const roots = once(facts, 'remote ranks', () => remoteRanks(facts));
      // If links have equal latency in both directions, the reversed problem almost always gives the same bound.
      return facts.backwards === facts.latencies ? roots.map(out) : [...roots.map(out), ...roots.map(into)];
    }
    default:
      return [];
  }
}

/** The ranks with the lowest sending bandwidth, and among them those farthest from the others. */
function remoteRanks({ topology, alike, latencies, sends }: MachineFacts): readonly number[] {
  const { chips } = topology;
  if (alike) return [0];
  const slowest = sends.reduce((least, bandwidth) => Math.min(least, bandwidth), Number.POSITIVE_INFINITY);
  const slow = chips.map((_, rank) => rank).filter((rank) => sends[rank] <= slowest * (1 + 1e-9));
  const farthest = (rank: number): Seconds => {
    const ways = latencies.from(chips[rank]);
    return chips.reduce((most, chip) => Math.max(most, ways[chip]), 0);
  };
  const stride = Math.ceil(slow.length / mostLookedAt);
  const ranks = slow.filter((_, index) => index % stride === 0).map((rank) => ({ rank, distance: farthest(rank) }));
  ranks.sort((a, b) => b.distance - a.distance);
  return ranks.slice(0, mostRoots).map(({ rank }) => rank);
}

/** Facts of the transposed machine, on which data that gathers at a rank spreads from it instead. */
export function transposedFacts(facts: MachineFacts): MachineFacts {
  return once(facts, 'turned round', () => machineFacts(transpose(facts.topology)));
}

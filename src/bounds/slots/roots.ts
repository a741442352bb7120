/** The ranks from which a collective broadcasts all of M, or to which it reduces it, whatever else it does. */
import type { Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { transpose } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import { type MachineFacts, machineFacts, once } from '../machine-facts.ts';

/** Ranks of an allreduce that are taken for roots, and from which ways are looked at to choose them. */
const [mostRoots, mostLookedAt] = [4, 256];

export interface SlotRoot {
  readonly root: number;
  readonly direction: Direction;
}

/** Ranks whose M bytes all others need (`out`), or that need M bytes of each other (`in`). */
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
      // Where ways back take as long, that is all but always the same.
      return facts.backwards === facts.latencies ? roots.map(out) : [...roots.map(out), ...roots.map(into)];
    }
    default:
      return [];
  }
}

/** Ranks that can send least, and of these the ones from which the others are farthest. */
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

/** The machine with its links turned round, on which what comes together at a rank goes out from it. */
export function transposedFacts(facts: MachineFacts): MachineFacts {
  return once(facts, 'turned round', () => machineFacts(transpose(facts.topology)));
}

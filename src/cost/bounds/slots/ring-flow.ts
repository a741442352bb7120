/**
 * Latency and bytes added up, on a ring or line of chips with `blocking` links: shards of at most m bytes can come in no faster than
 * one after the other, each with its own α.
 *
 * Let a rank v take in W bytes, (N − 1)m if shards are equal, over k links (2 on a ring, 1 at the end of a line). Each byte first enters
 * v over one of them, so one link is first for y ≥ W/k bytes; say they come from the left, over e₁, with the other ranks' chips in a row to the
 * left of v and eᵢ the link out of the i-th. Before it enters v a byte stays in that row, so to pass eᵢ it must have
 * passed all links between its origin and eᵢ. Let σ(y) be the earliest time at which y such bytes can have passed any eᵢ. The last
 * message of them, of b bytes, came over j links up to eᵢ: it took j·α + b/β or more, and when it started, the other y − b
 * had passed eᵢ, and all but the j·m that began within those links had passed the link before them. So
 * σ(y) ≥ max(σ(y − b), σ(y − jm)) + jα + b/β, from which σ(y) ≥ ⌈y/m⌉·α + y/β by induction: use the first if b ≤ jm, else
 * the second. Hence T ≥ ⌈W/(km)⌉·α + W/(kβ), with α the least and β the greatest of the links.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import type { Topology } from '../../../ir/topology.ts';
import type { Bytes } from '../../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bestByDirection, gatheringsOf } from './gathering.ts';

export function ringFlowBounds(collective: Collective, { topology }: MachineFacts, size: Bytes): Certificate[] {
  const gatherings = gatheringsOf(collective, size);
  if (gatherings.length === 0 || !isRow(topology)) return [];
  const { chips, links } = topology;
  const ways = { in: new Int32Array(chips.length), out: new Int32Array(chips.length) };
  const rankOf = new Map(chips.map((chip, rank) => [chip, rank]));
  for (const { from, to } of links) {
    ways.out[rankOf.get(from) ?? 0]++;
    ways.in[rankOf.get(to) ?? 0]++;
  }
  const latency = links.reduce((least, link) => Math.min(least, link.latency), Number.POSITIVE_INFINITY);
  const bandwidth = links.reduce((greatest, link) => Math.max(greatest, link.bandwidth), 0);
  return bestByDirection(
    gatherings.flatMap(({ direction, rank, bytes, shards }): Certificate<'row'>[] => {
      const over = ways[direction][rank];
      if (over === 0 || shards === 0) return [];
      const rounds = Math.ceil((shards / over) * (1 - 1e-9));
      const seconds = rounds * latency + bytes / over / bandwidth;
      const reason = `on a ring or line shards come to rank ${rank}, or leave it, one after the other: ${rounds} over one link, each with its latency`;
      return [{ kind: 'row', seconds, reason, witness: { direction, rank } }];
    }),
  );
}

/** Chips alone, joined by blocking links in a ring or a line, no two links in the same direction between the same two. */
function isRow(topology: Topology): boolean {
  const { nodes, links, chips } = topology;
  if (nodes.length !== chips.length || links.some((link) => link.occupancy !== 'blocking')) return false;
  const neighbours = nodes.map(() => new Set<number>());
  const ordered = new Set<number>();
  for (const { from, to } of links) {
    neighbours[from].add(to);
    neighbours[to].add(from);
    ordered.add(from * nodes.length + to);
  }
  return ordered.size === links.length && neighbours.every((set) => set.size <= 2) && isConnected(neighbours);
}

function isConnected(neighbours: readonly ReadonlySet<number>[]): boolean {
  const reached = new Set([0]);
  for (const node of reached) for (const next of neighbours[node]) reached.add(next);
  return reached.size === neighbours.length;
}

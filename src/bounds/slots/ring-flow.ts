/**
 * Row bound: shards that arrive one after the other on rings and lines. The theorem is in certificates/row.ts, the
 * proof in docs/bounds.md, *Rows*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
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
      const reason = `on a ring or line, shards reach rank ${rank} or leave it one after another: ${rounds} of them cross one link, each with its latency`;
      return [{ kind: 'row', seconds, reason, witness: { direction, rank } }];
    }),
  );
}

/** Whether the machine consists of chips only, joined by blocking links in a ring or a line without parallel links. */
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
  return ordered.size === links.length && neighbours.every((set) => set.size <= 2);
}

/**
 * Detects whether a machine looks the same from every chip (vertex-transitive under translations), so that facts about
 * one chip hold for all.
 */
import type { Link, Topology } from '../ir/topology.ts';
import { TranslationGroup } from '../ir/translation-group.ts';

/** Cache by machine, then by shape. */
const known = new WeakMap<Topology, Map<string, boolean>>();

/**
 * True only if every translation of the ranks, in coordinates of the given shape (what the topology declares, or else a
 * ring), maps chips to chips with the same ports and links to links of the same kind. Visits every link. False only
 * means that no such symmetry was found.
 */
export function chipsAreAlike(
  topology: Topology,
  shape: readonly number[] = topology.shape ?? [topology.chips.length],
): boolean {
  const found = known.get(topology) ?? new Map<string, boolean>();
  known.set(topology, found);
  const name = shape.join('x');
  const alike = found.get(name) ?? areAlike(topology, shape);
  found.set(name, alike);
  return alike;
}

function areAlike({ nodes, chips, links }: Topology, shape: readonly number[]): boolean {
  const ranks = chips.length;
  if (nodes.length !== ranks || links.length % ranks !== 0) return false;
  const group = new TranslationGroup(shape);
  if (group.order !== ranks) return false;
  const { send, receive } = nodes[0].ports;
  if (nodes.some(({ ports }) => ports.send !== send || ports.receive !== receive)) return false;
  const rankOf = new Int32Array(nodes.length);
  chips.forEach((chip, rank) => {
    rankOf[chip] = rank;
  });
  const back = chips.map((_, rank) => group.negate(rank));
  /** By kind of link: how many of that kind leave each rank. */
  const kinds = new Map<string, Int32Array>();
  for (const link of links) {
    const from = rankOf[link.from];
    const kind = nameOf(group.add(rankOf[link.to], back[from]), link);
    let leaving = kinds.get(kind);
    if (leaving === undefined) {
      leaving = new Int32Array(ranks);
      kinds.set(kind, leaving);
    }
    leaving[from]++;
  }
  return [...kinds.values()].every((leaving) => leaving.every((count) => count === leaving[0]));
}

function nameOf(offset: number, { latency, bandwidth, occupancy }: Link): string {
  return `${offset} ${latency} ${bandwidth} ${occupancy}`;
}

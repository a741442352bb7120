import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Link, Topology } from '../../ir/topology.ts';

/**
 * Checks that every chip can send to every other, over whatever nodes: chip 0 must reach all and be reached from all.
 * @param range what the links are in the topology's file; undefined where the machine has been changed since
 * @throws CccError 'disconnected' naming a pair that cannot
 */
export function checkConnected(topology: Topology, range?: SourceRange): void {
  const [first] = topology.chips;
  const fromFirst = reachable(topology, first, (link) => [link.from, link.to]);
  const toFirst = reachable(topology, first, (link) => [link.to, link.from]);
  for (const chip of topology.chips) {
    const cut = fromFirst[chip] === 0 ? [first, chip] : toFirst[chip] === 0 ? [chip, first] : undefined;
    if (cut === undefined) continue;
    const [from, to] = cut.map((node) => topology.nodes[node].name);
    const where = range === undefined ? `${topology.name}: ` : '';
    throw new CccError('disconnected', `${where}${from} cannot reach ${to}; every chip must reach every other`, range);
  }
}

/** 1 for every node that can be reached from `start` over links taken in the direction that `ends` says. */
function reachable(topology: Topology, start: number, ends: (link: Link) => readonly [number, number]): Uint8Array {
  const next: number[][] = topology.nodes.map(() => []);
  for (const link of topology.links) {
    const [from, to] = ends(link);
    next[from].push(to);
  }
  const seen = new Uint8Array(topology.nodes.length);
  const waiting = [start];
  seen[start] = 1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const neighbour of next[node]) {
      if (seen[neighbour] === 1) continue;
      seen[neighbour] = 1;
      waiting.push(neighbour);
    }
  }
  return seen;
}

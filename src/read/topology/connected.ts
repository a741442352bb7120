import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Link, Topology } from '../../ir/topology.ts';

/**
 * Checks that every chip can send to every other, over any nodes: chip 0 must reach all chips, and all must reach chip 0.
 * @param range the place of the links in the topology's file; undefined if the machine has been changed since it was read
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

/** By node: 1 if it can be reached from `start` over links in the direction that `ends` gives. */
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

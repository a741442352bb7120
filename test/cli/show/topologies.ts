/** Topologies that the tests of `ccc show` draw. */
import type { Link, Node, NodeKind, Topology } from '../../../src/ir/topology.ts';

export function node(kind: NodeKind, name: string, fields: Partial<Node> = {}): Node {
  const ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };
  return { kind, name, ports, reduce: undefined, copy: undefined, multicast: false, origin: undefined, ...fields };
}

export function link(from: number, to: number, fields: Partial<Link> = {}): Link {
  const numbers = { latency: 1e-6, bandwidth: 50e9, occupancy: 'blocking', units: 1 } as const;
  return { from, to, ...numbers, origin: undefined, ...fields };
}

export function topology(
  name: string,
  nodes: readonly Node[],
  links: readonly Link[],
  fields: Partial<Topology> = {},
): Topology {
  const chips = nodes.flatMap(({ kind }, index) => (kind === 'chip' ? [index] : []));
  return { name, nodes, links, chips, inflight: undefined, shape: undefined, groups: [], notes: [], ...fields };
}

/** Chips `chip 0`, …, then switches, linked both ways. */
export function duplex(
  name: string,
  chips: number,
  pairs: readonly (readonly [number, number])[],
  switches: readonly string[] = [],
): Topology {
  const nodes = [
    ...Array.from({ length: chips }, (_, rank) => node('chip', `chip ${rank}`)),
    ...switches.map((switchName) => node('switch', switchName)),
  ];
  return topology(
    name,
    nodes,
    pairs.flatMap(([a, b]) => [link(a, b), link(b, a)]),
  );
}

export function ring(chips: number): readonly (readonly [number, number])[] {
  return Array.from({ length: chips }, (_, rank) => [rank, (rank + 1) % chips] as const);
}

/** Links of a grid of `rows` × `columns` numbered row by row. */
export function grid(
  rows: number,
  columns: number,
  wraps: { rows?: boolean; columns?: boolean } = {},
): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const at = r * columns + c;
      if (c + 1 < columns || wraps.rows === true) pairs.push([at, r * columns + ((c + 1) % columns)]);
      if (r + 1 < rows || wraps.columns === true) pairs.push([at, ((r + 1) % rows) * columns + c]);
    }
  }
  return pairs;
}

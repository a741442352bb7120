/** Layout of machines with switches or boxes: the chips of a cluster stand together, and switches stand above the chips that they connect. */
import type { Topology } from '../../ir/topology.ts';
import { distances, type Graph } from './graph.ts';
import { columnsFor, type LayoutBox, type MachineLayout } from './places.ts';
import { spacing } from './spacing.ts';

/** A cluster: the chips of a declared group, or those connected to the same switches, with the switches that serve no other chips. */
interface Cluster {
  readonly label: string | undefined;
  readonly chips: readonly number[];
  readonly switches: readonly number[];
}

/** A cluster with places for its nodes, relative to its own corner. */
interface Block {
  readonly cluster: Cluster;
  readonly places: readonly { readonly node: number; readonly x: number; readonly y: number }[];
  readonly width: number;
  readonly height: number;
}

export function boxesLayout(topology: Topology, graph: Graph): MachineLayout {
  const clusters = clustersOf(topology, graph);
  const blocks = clusters.map((cluster) => blockOf(cluster, graph));
  const shared = sharedRows(topology, graph, clusters);
  const widest = Math.max(...blocks.map((block) => block.width));
  const highest = Math.max(...blocks.map((block) => block.height));
  const isTree = shared.flat().length > 1 && blocks.length <= spacing.boxesInRow;
  const columns = isTree
    ? blocks.length
    : columnsFor(blocks.length, widest + 2 * spacing.margin + spacing.gap, highest + 2 * spacing.margin + spacing.gap);
  // A single row of boxes stands below the shared switches; of several rows, half stand above them.
  const rowsAbove = Math.floor(Math.ceil(blocks.length / columns) / 2);
  const room = shared.length * spacing.rowOfSwitches;
  const x: number[] = [];
  const y: number[] = [];
  const boxes: LayoutBox[] = [];
  let [width, left, down, tallest, top] = [0, 0, rowsAbove === 0 ? room : 0, 0, 0];
  blocks.forEach((block, index) => {
    if (index % columns === 0 && index > 0) [left, down, tallest] = [0, down + tallest + spacing.gap, 0];
    if (rowsAbove > 0 && index === rowsAbove * columns) [top, down] = [down, down + room];
    for (const place of block.places) {
      x[place.node] = left + spacing.margin + place.x;
      y[place.node] = down + spacing.margin + place.y;
    }
    const { label } = block.cluster;
    const size = { width: block.width + 2 * spacing.margin, height: block.height + 2 * spacing.margin };
    if (label !== undefined) boxes.push({ label, x: left, y: down, ...size });
    width = Math.max(width, left + size.width);
    left += size.width + spacing.gap;
    tallest = Math.max(tallest, size.height);
  });
  shared.forEach((row, index) => {
    placeOver(row, graph, { x, width });
    for (const node of row)
      y[node] =
        top + (shared.length - 1 - index) * spacing.rowOfSwitches + (rowsAbove > 0 ? spacing.rowOfSwitches / 3 : 0);
  });
  return { kind: 'boxes', x, y, width, height: down + tallest, boxes };
}

function clustersOf(topology: Topology, graph: Graph): readonly Cluster[] {
  const { chips, groups, nodes } = topology;
  const cluster = new Int32Array(nodes.length).fill(-1);
  const members: { label: string | undefined; chips: number[] }[] = [];
  const isApart = groups.length > 0 && groups.flat().length === new Set(groups.flat()).size;
  if (isApart) {
    groups.forEach((ranks, index) => {
      members.push({ label: `box ${index}`, chips: ranks.map((rank) => chips[rank]) });
      for (const rank of ranks) cluster[chips[rank]] = index;
    });
  }
  const bySwitches = new Map<string, number>();
  for (const chip of chips) {
    if (cluster[chip] !== -1) continue;
    const key = graph.out[chip].filter((next) => nodes[next].kind !== 'chip').join();
    const known = bySwitches.get(key);
    cluster[chip] = known ?? members.length;
    if (known === undefined) {
      bySwitches.set(key, members.length);
      members.push({ label: undefined, chips: [] });
    }
    members[cluster[chip]].chips.push(chip);
  }
  const own = ownSwitches(topology, graph, cluster);
  return members.map(({ label, chips: inside }, index) => ({
    label,
    chips: inside,
    switches: members.length === 1 ? [] : (own.get(index) ?? []),
  }));
}

/** By cluster: the switches whose neighbouring chips all belong to it. Links count in both directions. */
function ownSwitches(
  { nodes, links }: Topology,
  { out }: Graph,
  cluster: Int32Array,
): ReadonlyMap<number, readonly number[]> {
  const neighbours = nodes.map((_, node) => new Set(out[node]));
  for (const { from, to } of links) neighbours[to].add(from);
  const own = new Map<number, number[]>();
  nodes.forEach(({ kind }, node) => {
    if (kind === 'chip') return;
    const joined = new Set([...neighbours[node]].filter((next) => nodes[next].kind === 'chip').map((n) => cluster[n]));
    const [only] = joined;
    if (joined.size === 1) own.set(only, [...(own.get(only) ?? []), node]);
  });
  return own;
}

/** Places switches in a row above the chips. Chips with links among themselves stand on a circle, so that no link hides another. */
function blockOf(cluster: Cluster, { out }: Graph): Block {
  const { chips, switches } = cluster;
  const inside = new Set(chips);
  const isLinked = chips.some((chip) => out[chip].some((next) => inside.has(next)));
  const top = switches.length > 0 ? spacing.rowOfSwitches : 0;
  const below = isLinked && chips.length > 3 ? circleOf(chips) : rowsOf(chips);
  const width = Math.max(below.width, switches.length - 1);
  const inset = (width - below.width) / 2;
  const places = [
    ...switches.map((node, index) => ({ node, x: (width * (index + 0.5)) / switches.length, y: 0 })),
    ...below.places.map(({ node, x, y }) => ({ node, x: x + inset, y: y + top })),
  ];
  return { cluster, places, width, height: top + below.height };
}

function circleOf(chips: readonly number[]): Omit<Block, 'cluster'> {
  const turn = (2 * Math.PI) / chips.length;
  const radius = 0.55 / Math.sin(turn / 2);
  const places = chips.map((node, at) => ({
    node,
    x: radius * (1 + Math.sin((at + 0.5) * turn)),
    y: radius * (1 - Math.cos((at + 0.5) * turn)),
  }));
  return { places, width: 2 * radius, height: 2 * radius };
}

function rowsOf(chips: readonly number[]): Omit<Block, 'cluster'> {
  const columns = chips.length <= 4 ? chips.length : Math.ceil(Math.sqrt(2 * chips.length));
  const places = chips.map((node, at) => ({ node, x: at % columns, y: Math.floor(at / columns) }));
  return { places, width: columns - 1, height: Math.ceil(chips.length / columns) - 1 };
}

/** The switches that belong to no cluster, in rows by their distance from the nearest chip. */
function sharedRows(topology: Topology, graph: Graph, clusters: readonly Cluster[]): readonly (readonly number[])[] {
  const own = new Set(clusters.flatMap(({ switches }) => switches));
  const rows = new Map<number, number[]>();
  topology.nodes.forEach(({ kind }, node) => {
    if (kind === 'chip' || own.has(node)) return;
    const far = distances(graph, node);
    const reached = topology.chips.map((chip) => far[chip]).filter((distance) => distance >= 0);
    const level = reached.length === 0 ? 0 : Math.min(...reached);
    rows.set(level, [...(rows.get(level) ?? []), node]);
  });
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** Places a row of switches, each above the middle of the nodes that it connects, at least one unit apart and within the width. */
function placeOver(
  row: readonly number[],
  { out }: Graph,
  { x, width }: { readonly x: number[]; readonly width: number },
): void {
  const wanted = row.map((node) => {
    const known = out[node].map((next) => x[next]).filter((place) => place !== undefined);
    return known.length === 0 ? width / 2 : known.reduce((sum, place) => sum + place, 0) / known.length;
  });
  const order = row.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const isCrowded = order.some((index, at) => at > 0 && wanted[index] - wanted[order[at - 1]] < 1);
  order.forEach((index, at) => {
    x[row[index]] = isCrowded ? (width * (at + 0.5)) / row.length : wanted[index];
  });
}

/** A machine, the messages between ranks, or a step, as nodes and edges from which all drawings are made. */
import { oneLine } from '../../../ir/plain-text.ts';
import type { Topology } from '../../../ir/topology.ts';
import { formatBytesPerSecond } from '../../../ir/units.ts';
import type { MachineLayout } from '../../../view/index.ts';

export interface GraphNode {
  readonly name: string;
  readonly kind: 'chip' | 'switch' | 'host';
  /** Position in units of the distance between neighbours. */
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** Whether there is an equal edge in the opposite direction; the two are drawn as one. */
  readonly isMutual: boolean;
}

export interface DrawnGraph {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A directed edge, before opposite edges are merged. */
export type Arrow = Omit<GraphEdge, 'isMutual'>;

/** Makes the graph of a machine's links, labelled with their bandwidths if these differ. */
export function machineGraph(topology: Topology, layout: MachineLayout): DrawnGraph {
  const bandwidths = new Set(topology.links.map(({ bandwidth }) => bandwidth));
  const label = (bandwidth: number): string => (bandwidths.size === 1 ? '' : formatBytesPerSecond(bandwidth));
  const arrows = topology.links.map(({ from, to, bandwidth }) => ({ from, to, label: label(bandwidth) }));
  const nodes = topology.nodes.map(({ name, kind }, node) => {
    return { name: oneLine(name), kind, x: layout.x[node], y: layout.y[node] };
  });
  const { width, height } = layout;
  return { title: oneLine(topology.name), width, height, nodes, edges: mutual(arrows) };
}

/** Makes the graph of messages between ranks. Ranks are placed as their chips are on the machine, or else on a circle. */
export function rankGraph(
  title: string,
  ranks: number,
  arrows: readonly Arrow[],
  machine?: { readonly topology: Topology; readonly layout: MachineLayout },
): DrawnGraph {
  const circle = Math.max(1, ranks / (2 * Math.PI));
  const nodes = Array.from({ length: ranks }, (_, rank): GraphNode => {
    const node = machine?.topology.chips[rank];
    const turn = (2 * Math.PI * rank) / ranks;
    const x = node === undefined ? circle * (1 + Math.sin(turn)) : machine?.layout.x[node];
    const y = node === undefined ? circle * (1 - Math.cos(turn)) : machine?.layout.y[node];
    return { name: `${rank}`, kind: 'chip', x: x ?? 0, y: y ?? 0 };
  });
  const width = machine?.layout.width ?? 2 * circle;
  const height = machine?.layout.height ?? 2 * circle;
  return { title: oneLine(title), width, height, nodes, edges: mutual(arrows) };
}

/** Merges edges: two opposite edges with the same label become one, and so do several equal ones. */
function mutual(arrows: readonly Arrow[]): readonly GraphEdge[] {
  const keyOf = ({ from, to, label }: Arrow): string => JSON.stringify([from, to, label]);
  const known = new Set(arrows.map(keyOf));
  const edges = new Map<string, GraphEdge>();
  for (const arrow of arrows) {
    const { from, to, label } = arrow;
    const isMutual = known.has(keyOf({ from: to, to: from, label }));
    if (!isMutual || from <= to) edges.set(keyOf(arrow), { from, to, label, isMutual });
  }
  return [...edges.values()];
}

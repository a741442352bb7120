/** Draws topologies of simple shape in characters: ring, line, grid, tree. */
import { oneLine } from '../../../ir/plain-text.ts';
import { ranksOf, type Topology } from '../../../ir/topology.ts';
import { distances, type Graph, graphOf, isTree, lineOrder, ringOrder } from '../../../view/machine/graph.ts';
import { type Grid, gridOf } from '../../../view/machine/grid.ts';
import { textWidth, wrap } from '../text.ts';

/** Returns the lines of a drawing of at most `width` columns, or undefined if the topology has no simple shape. */
export function topologyDrawing(topology: Topology, width: number): readonly string[] | undefined {
  const graph = graphOf(topology);
  const names = topology.nodes.map((node) => oneLine(node.name));
  if (graph.size < 2) return undefined;
  const ring = ringOrder(graph);
  if (ring !== undefined) return drawRing(ring, names, graph.duplex, width);
  const line = lineOrder(graph);
  if (line !== undefined && topology.nodes.every((node) => node.kind === 'chip'))
    return wrap(
      '',
      line.map((node, at) => (at === 0 ? names[node] : `── ${names[node]}`)),
      width,
    );
  if (isTree(graph)) return drawTree(graph, rootOf(topology, graph), names);
  const grid = gridOf(graph);
  if (grid !== undefined) return drawGrid(grid, names, width);
  if (graph.size === ranksOf(topology) && graph.out.every((next) => next.length === graph.size - 1))
    return ['every chip is linked to every other'];
  return undefined;
}

/** Draws a ring: forwards on the upper line, back on the lower one. */
function drawRing(order: readonly number[], names: readonly string[], duplex: boolean, width: number): string[] {
  const half = Math.ceil(order.length / 2);
  const there = order.slice(0, half).map((node) => names[node]);
  const back = order.slice(half).map((node) => names[node]);
  const upper = there.join(duplex ? ' ── ' : ' ─→ ');
  const lower = back.reverse().join(duplex ? ' ── ' : ' ←─ ');
  const inside = Math.max(textWidth(upper), textWidth(lower));
  const fill = (text: string): string => '─'.repeat(inside - textWidth(text));
  const [start, end] = duplex ? ['─', '─'] : ['→', '←'];
  if (inside + 6 <= width) return [`┌${start} ${upper} ${fill(upper)}─┐`, `└─ ${lower} ${fill(lower)}${end}┘`];
  const arrow = duplex ? '──' : '─→';
  return wrap('', [...order.map((node) => `${names[node]} ${arrow}`), `(${names[order[0]]})`], width);
}

/** Draws a grid of rows and columns, with dotted ends where it wraps around; returns undefined if that is too wide. */
function drawGrid(grid: Grid, names: readonly string[], width: number): string[] | undefined {
  const cell = Math.max(...grid.rows.flat().map((node) => textWidth(names[node])));
  const [open, close] = grid.wrapsRows ? ['┄ ', ' ┄'] : ['', ''];
  const pillar = (mark: string): string =>
    grid.rows[0]
      .map(() => (' '.repeat(Math.floor(cell / 2)) + mark).padEnd(cell + 4))
      .join('')
      .trimEnd();
  const indent = ' '.repeat(open.length);
  const lines = grid.rows.flatMap((row, index) => {
    const text = row.map((node, at) => {
      const name = names[node];
      const last = at === row.length - 1;
      return last ? name : `${name} ${'─'.repeat(cell - textWidth(name) + 2)} `;
    });
    const pad = grid.wrapsRows ? ' '.repeat(cell - textWidth(names[row[row.length - 1]])) : '';
    return [...(index === 0 ? [] : [indent + pillar('│')]), open + text.join('') + pad + close];
  });
  if (Math.max(...lines.map(textWidth)) > width) return undefined;
  const ends = grid.wrapsColumns ? [indent + pillar('┆')] : [];
  const legend = grid.wrapsRows || grid.wrapsColumns ? ['', '(dotted ends are linked to the opposite side)'] : [];
  return [...ends, ...lines, ...ends, ...legend];
}

/** Returns the centre of a tree, the node with the smallest eccentricity; if there are switches or hosts, one of these. */
function rootOf(topology: Topology, graph: Graph): number {
  const nodes = topology.nodes.map((_, node) => node);
  const inner = nodes.filter((node) => topology.nodes[node].kind !== 'chip');
  let root = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const node of inner.length > 0 ? inner : nodes) {
    const farthest = Math.max(...distances(graph, node));
    if (farthest < least) {
      least = farthest;
      root = node;
    }
  }
  return root;
}

function drawTree(graph: Graph, root: number, names: readonly string[]): string[] {
  const lines = [names[root]];
  const draw = (node: number, parent: number, indent: string): void => {
    const children = graph.out[node].filter((child) => child !== parent);
    children.forEach((child, index) => {
      const last = index === children.length - 1;
      lines.push(`${indent}${last ? '└── ' : '├── '}${names[child]}`);
      draw(child, node, indent + (last ? '    ' : '│   '));
    });
  };
  draw(root, -1, '');
  return lines;
}

/** Recognises two-dimensional meshes, ladders and tori, and finds their rows and columns. */
import type { Graph } from './graph.ts';

export interface Grid {
  /** `rows[r][c]` is the node in row r and column c. */
  readonly rows: readonly (readonly number[])[];
  /** Whether the last node of each row is linked to the first one, and likewise for columns. */
  readonly wrapsRows: boolean;
  readonly wrapsColumns: boolean;
}

/** The graph as a grid of at least 2 × 2; undefined if it is not one. */
export function gridOf(graph: Graph): Grid | undefined {
  if (!graph.duplex) return undefined;
  const mesh = meshFromCorner(graph);
  if (mesh !== undefined && isGrid(graph, mesh)) return mesh;
  return numberedTorus(graph);
}

/**
 * Recognises a mesh with any numbering of its nodes: the two neighbours of a corner give the directions, the second row completes the
 * squares of the first, and every further row follows from the one above.
 */
function meshFromCorner(graph: Graph): Grid | undefined {
  const corner = graph.out.findIndex((next) => next.length === 2);
  if (corner === -1) return undefined;
  const [right, down] = graph.out[corner];
  const placed = new Set([corner, right, down]);
  const place = (candidates: readonly number[]): number | undefined => {
    const node = candidates.find((candidate) => !placed.has(candidate));
    if (node !== undefined) placed.add(node);
    return node;
  };
  const first = [corner, right];
  const second = [down];
  while (second.length < first.length) {
    const above = first[first.length - 1];
    const left = second[second.length - 1];
    const closing = place(graph.out[above].filter((node) => graph.out[left].includes(node)));
    if (closing === undefined) return undefined;
    second.push(closing);
    const next = place(graph.out[above]);
    if (next !== undefined) first.push(next);
  }
  const rows = [first, second];
  while (placed.size < graph.size) {
    const row = rows[rows.length - 1].flatMap((node) => place(graph.out[node]) ?? []);
    if (row.length !== first.length) return undefined;
    rows.push(row);
  }
  return { rows, wrapsRows: false, wrapsColumns: false };
}

/** Recognises a torus or cylinder whose nodes are numbered row by row. */
function numberedTorus(graph: Graph): Grid | undefined {
  for (let height = 2; height * 2 <= graph.size; height++) {
    if (graph.size % height !== 0) continue;
    const width = graph.size / height;
    const rows = Array.from({ length: height }, (_, r) => Array.from({ length: width }, (_, c) => r * width + c));
    for (const [wrapsRows, wrapsColumns] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const grid = { rows, wrapsRows, wrapsColumns };
      if (isGrid(graph, grid)) return grid;
    }
  }
  return undefined;
}

/** Whether the graph has exactly the links of the grid. */
function isGrid(graph: Graph, { rows, wrapsRows, wrapsColumns }: Grid): boolean {
  const height = rows.length;
  const width = rows[0].length;
  // On an axis of length two the wrap-around link is the link between the two neighbours.
  if ((wrapsRows && width < 3) || (wrapsColumns && height < 3)) return false;
  let edges = 0;
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      const neighbours: number[] = [];
      if (c + 1 < width || wrapsRows) neighbours.push(rows[r][(c + 1) % width]);
      if (r + 1 < height || wrapsColumns) neighbours.push(rows[(r + 1) % height][c]);
      if (!neighbours.every((node) => graph.out[rows[r][c]].includes(node))) return false;
      edges += neighbours.length;
    }
  }
  return edges === graph.edges;
}

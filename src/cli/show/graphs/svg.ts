/** Draws a graph as SVG: chips are boxes, switches are round, directed edges are arrows. */
import { bendsOf } from '../../../view/index.ts';
import { displayLimits } from '../../shown.ts';
import type { DrawnGraph, GraphEdge, GraphNode } from './graph.ts';

const [halfWidth, halfHeight] = [34, 17];

export function svgText({ title, width, height, nodes, edges }: DrawnGraph): string {
  const [wide, high] = [width, height].map((extent) =>
    Math.round(extent * displayLimits.pixelsApart + 2 * displayLimits.pixelsAround),
  );
  const bends = bendsOf(edges, { x: nodes.map(({ x }) => x), y: nodes.map(({ y }) => y) });
  const room = Math.ceil(bends.reduce((most, bend) => Math.max(most, bend), 0) * displayLimits.pixelsApart);
  const drawn = edges.map((edge, index) => edgeText(edge, nodes, bends[index] * displayLimits.pixelsApart));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-room} ${-room} ${wide + 2 * room} ${high + displayLimits.pixelsForTitle + 2 * room}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#334155"/></marker></defs>',
    `<rect x="${-room}" y="${-room}" width="100%" height="100%" fill="#fff"/>`,
    `<text x="${wide / 2}" y="${18 - room}" text-anchor="middle" font-weight="600">${escaped(title)}</text>`,
    ...drawn.map(({ line }) => line),
    ...nodes.map(nodeText),
    ...drawn.map(({ label }) => label).filter((label) => label !== ''),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function placeOf({ x, y }: GraphNode): readonly [number, number] {
  return [
    displayLimits.pixelsAround + x * displayLimits.pixelsApart,
    displayLimits.pixelsAround + displayLimits.pixelsForTitle + y * displayLimits.pixelsApart,
  ];
}

function nodeText(node: GraphNode): string {
  const [x, y] = placeOf(node).map(round);
  const colours = node.kind === 'chip' ? 'fill="#e0f2fe" stroke="#0369a1"' : 'fill="#f1f5f9" stroke="#64748b"';
  const corner = node.kind === 'switch' ? halfHeight : 4;
  const box = `<rect x="${x - halfWidth}" y="${y - halfHeight}" width="${2 * halfWidth}" height="${2 * halfHeight}" rx="${corner}" ${colours}/>`;
  return `${box}<text x="${x}" y="${y + 4}" text-anchor="middle">${escaped(node.name)}</text>`;
}

/** Draws an edge. @param bend offset of its middle to the left, if a straight line would cross a node */
function edgeText(
  { from, to, label, isMutual }: GraphEdge,
  nodes: readonly GraphNode[],
  bend: number,
): { readonly line: string; readonly label: string } {
  const [[x1, y1], [x2, y2]] = [placeOf(nodes[from]), placeOf(nodes[to])];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  // An arrow is drawn to the right of its direction, so that the opposite arrow has space on the other side.
  const off = (isMutual ? 0 : -displayLimits.pixelsAside) + bend;
  const [mx, my] = [(x1 + x2) / 2 + dy * 2 * off, (y1 + y2) / 2 - dx * 2 * off];
  const [sx, sy] = towards(x1, y1, mx, my);
  const [ex, ey] = towards(x2, y2, mx, my);
  const heads = `marker-end="url(#arrow)"${isMutual ? ' marker-start="url(#arrow)"' : ''}`;
  const path = `M${round(sx)} ${round(sy)}Q${round(mx)} ${round(my)} ${round(ex)} ${round(ey)}`;
  const line = `<path d="${path}" fill="none" stroke="#334155" stroke-width="1.4" ${heads}/>`;
  if (label === '') return { line, label };
  // The label is at a third of the length, where edges that meet in one node are apart.
  const [lx, ly] = [(4 * sx + 4 * mx + ex) / 9, (4 * sy + 4 * my + ey) / 9].map(round);
  const halo = 'stroke="#fff" stroke-width="3" paint-order="stroke"';
  const text = `<text x="${lx}" y="${ly + 3}" text-anchor="middle" fill="#0f766e" font-size="10" ${halo}>${escaped(label)}</text>`;
  return { line, label: text };
}

/** Returns the point at which a line from the middle of a box leaves it. */
function towards(x: number, y: number, toX: number, toY: number): readonly [number, number] {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const [dx, dy] = [(toX - x) / length, (toY - y) / length];
  const gap = Math.min(edgeOfBox(dx, dy) + 2, length);
  return [x + dx * gap, y + dy * gap];
}

/** Returns the distance from the middle of a box to its edge in a direction. */
function edgeOfBox(dx: number, dy: number): number {
  return Math.min(halfWidth / Math.max(Math.abs(dx), 1e-9), halfHeight / Math.max(Math.abs(dy), 1e-9));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

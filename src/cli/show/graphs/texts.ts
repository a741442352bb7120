/** Writes graphs for other tools to lay out: Graphviz and Mermaid. */
import type { DrawnGraph, GraphNode } from './graph.ts';

/** Writes a graph for Graphviz: `dot -Kneato -n -Tsvg` keeps the positions, `dot -Tsvg` finds others. */
export function dotText({ title, nodes, edges }: DrawnGraph): string {
  const shapes: Readonly<Record<GraphNode['kind'], string>> = { chip: 'box', switch: 'ellipse', host: 'hexagon' };
  const lines = nodes.map(({ name, kind, x, y }, node) => {
    // Graphviz measures positions in points, with the y axis upwards.
    const place = `${Math.round(x * 100)},${Math.round(-y * 100)}`;
    return `  n${node} [label=${quoted(name)} shape=${shapes[kind]} pos=${quoted(place)}];`;
  });
  const arrows = edges.map(({ from, to, label, isMutual }) => {
    const attributes = [...(label === '' ? [] : [`label=${quoted(label)}`]), ...(isMutual ? ['dir=both'] : [])];
    return `  n${from} -> n${to}${attributes.length === 0 ? '' : ` [${attributes.join(' ')}]`};`;
  });
  return `digraph ${quoted(title)} {\n${[...lines, ...arrows].join('\n')}\n}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Writes a flow chart for Mermaid, which Markdown viewers draw. */
export function mermaidText({ title, nodes, edges }: DrawnGraph): string {
  const brackets: Readonly<Record<GraphNode['kind'], readonly [string, string]>> = {
    chip: ['[', ']'],
    switch: ['([', '])'],
    host: ['{{', '}}'],
  };
  const lines = nodes.map(({ name, kind }, node) => `  n${node}${brackets[kind].join(entities(name))}`);
  const arrows = edges.map(({ from, to, label, isMutual }) => {
    const arrow = isMutual ? '<-->' : '-->';
    return `  n${from} ${arrow}${label === '' ? '' : `|${entities(label)}|`} n${to}`;
  });
  return `---\ntitle: ${entities(title)}\n---\nflowchart LR\n${[...lines, ...arrows].join('\n')}\n`;
}

/** Quotes a text, and replaces characters that Mermaid would interpret by entities. */
function entities(text: string): string {
  return `"${text.replace(/["#&<>\\`]/g, (character) => `#${character.charCodeAt(0)};`)}"`;
}

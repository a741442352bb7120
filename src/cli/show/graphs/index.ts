/** Drawings of machines, overlays and steps, by the names of their formats. */
import type { DrawnGraph } from './graph.ts';
import { svgText } from './svg.ts';
import { dotText, mermaidText } from './texts.ts';

export { type Arrow, type DrawnGraph, machineGraph, rankGraph } from './graph.ts';

export const drawingFormats = ['svg', 'dot', 'mermaid'] as const;
export type DrawingFormat = (typeof drawingFormats)[number];

export function graphText(format: DrawingFormat, graph: DrawnGraph): string {
  switch (format) {
    case 'svg':
      return svgText(graph);
    case 'dot':
      return dotText(graph);
    case 'mermaid':
      return mermaidText(graph);
  }
}

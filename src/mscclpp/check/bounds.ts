/** Checks that all accesses stay within the buffers. In pipelines that depends on the size of the message. */
import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { CellLayout } from './layout.ts';
import { cellOf } from './packets.ts';
import type { EventProgram } from './program.ts';
import { storyLine } from './words.ts';

/** Finds operations that a pipeline makes access memory beyond their chunks. */
export function checkBounds({ graph }: EventProgram, layout: CellLayout): readonly Finding[] {
  const found = new CheckFindings('malformed');
  const told = new Set<string>();
  for (const event of graph.events) {
    for (const { move, from, count } of event.moves) {
      for (const span of [...move.sources, ...move.targets]) {
        const [first, behind] = layout.memoryOf(span.gpu);
        const last = cellOf(span, from + count - 1) + (span.packets ? 1 : 0);
        if (Number.isFinite(last) && cellOf(span, from) >= first && last < behind) continue;
        const { place } = event;
        const key = `${place?.gpu} ${place?.block} ${place?.index} ${place?.inner?.index}`;
        if (place === undefined || told.has(key)) continue;
        told.add(key);
        found.add(() => ({
          message: `${graph.nameOf(graph.events.indexOf(event))} goes beyond the memory of gpu ${span.gpu}: its pipeline runs longer than its chunks are.`,
          story: [storyLine(place)],
        }));
      }
    }
  }
  return found.list();
}

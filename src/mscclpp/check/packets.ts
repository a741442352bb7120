/** The writers and readers of each packet. The flag of a packet shows that it has been written in the current call. */
import type { EventGraph, EventMove } from './graph.ts';
import type { CellSpan } from './layout.ts';

/** The events that write a packet, and those that wait for it, by the first cell of the packet. */
export interface PacketEvents {
  readonly writers: ReadonlyMap<number, readonly number[]>;
  readonly readers: ReadonlyMap<number, readonly number[]>;
}

/** The first cell of element e of a span. */
export function cellOf({ first, packets }: CellSpan, element: number): number {
  return packets ? first + 2 * element : first + element;
}

export function packetsOf({ events }: EventGraph): PacketEvents {
  const writers = new Map<number, number[]>();
  const readers = new Map<number, number[]>();
  const note = (map: Map<number, number[]>, cell: number, event: number): void => {
    const known = map.get(cell);
    if (known === undefined) map.set(cell, [event]);
    else if (known.at(-1) !== event) known.push(event);
  };
  const each = ({ from, count }: EventMove, span: CellSpan, seen: (cell: number) => void): void => {
    for (let element = from; element < from + count; element++) seen(cellOf(span, element));
  };
  events.forEach(({ moves }, event) => {
    for (const part of moves) {
      for (const span of part.move.sources) if (span.waits) each(part, span, (cell) => note(readers, cell, event));
      for (const span of part.move.targets) if (span.packets) each(part, span, (cell) => note(writers, cell, event));
    }
  });
  return { writers, readers };
}

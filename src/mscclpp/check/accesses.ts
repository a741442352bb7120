/** The accesses of events to memory, cell by cell, and how messages describe them. */
import { CccError } from '../../ir/diagnostic.ts';
import type { EventGraph } from './graph.ts';
import type { CellLayout, CellSpan } from './layout.ts';
import { judged } from './limits.ts';
import { cellOf } from './packets.ts';
import { type ExecutionStoryLine, storyLine } from './words.ts';

/** An access of one event to a cell. */
export interface Access {
  readonly event: number;
  readonly cell: number;
  readonly writes: boolean;
  /** The element of the event's move that the access belongs to. */
  readonly element: number;
  /** The operand that contains the cell. */
  readonly span: CellSpan;
}

/** All accesses, by cell. */
export function accessesOf({ events }: EventGraph, cells: number): readonly (readonly Access[])[] {
  const byCell: Access[][] = Array.from({ length: cells }, () => []);
  let count = 0;
  const touch = (access: Access): void => {
    if (++count > judged.accesses)
      throw new CccError('limit', `the plan touches memory more than ${judged.accesses} times`);
    byCell[access.cell]?.push(access);
  };
  const span = (
    event: number,
    { from, count: elements }: { from: number; count: number },
    at: CellSpan,
    writes: boolean,
  ) => {
    for (let element = from; element < from + elements; element++) {
      const cell = cellOf(at, element);
      touch({ event, cell, writes, element, span: at });
      if (at.packets) touch({ event, cell: cell + 1, writes, element, span: at });
    }
  };
  events.forEach(({ moves }, event) => {
    for (const part of moves) {
      for (const source of part.move.sources) span(event, part, source, false);
      for (const target of part.move.targets) span(event, part, target, true);
    }
  });
  return byCell;
}

/** Names the operations of accesses. Accesses of the same operations get the same text, whatever their cells and elements. */
export function accessPlaces({ events }: EventGraph, ...accesses: readonly Access[]): string {
  return accesses
    .map(({ event, writes }) => {
      const place = events[event].place;
      return `${place?.gpu} ${place?.block} ${place?.index} ${place?.inner?.index} ${writes}`;
    })
    .join(' / ');
}

export function verb({ writes, span }: Access): string {
  return `${writes ? 'writes' : 'reads'}${span.packets ? ' packets of' : ''}`;
}

/** One line of a counterexample for each access. */
export function accessLines(
  { events }: EventGraph,
  accesses: readonly Access[],
  layout: CellLayout,
): readonly ExecutionStoryLine[] {
  return accesses.flatMap((access) => {
    const { place } = events[access.event];
    return place === undefined ? [] : [storyLine(place, `${verb(access)} ${layout.nameOf(access.cell, access.span)}`)];
  });
}

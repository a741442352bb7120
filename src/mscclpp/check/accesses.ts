/** What events touch, cell by cell, and how it is told. */
import { CccError } from '../../ir/diagnostic.ts';
import type { EventGraph } from './graph.ts';
import type { CellLayout, CellSpan } from './layout.ts';
import { judged } from './limits.ts';
import { cellOf } from './packets.ts';
import { type ExecutionStoryLine, storyLine } from './words.ts';

/** One event's touch of a cell. */
export interface Access {
  readonly event: number;
  readonly cell: number;
  readonly writes: boolean;
  /** Which element of its move. */
  readonly element: number;
  /** What the operation takes the cell for. */
  readonly span: CellSpan;
}

/** All touches, cell by cell. */
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

/** The operations of accesses: equal for all cells and elements of the same. */
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

/** A line for each access. */
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

/** Converts packets to messages: each reading operation receives one message from each operation that wrote what it reads. */
import type { Slice } from '../../ir/plan.ts';
import type { CellSpan } from '../check/index.ts';
import { type BlockPosition, byPlace, type Draft, draft, entryOf, laneName, receive } from './drafts.ts';

interface Access {
  readonly place: BlockPosition;
  readonly span: CellSpan;
  /** Number of elements; each has as many bytes of data as of flags. */
  readonly count: number;
  readonly at: Slice;
  /** For packets in the gpu's own memory: the copy that writes them. */
  readonly own: Draft | undefined;
}

/** Cells of a packet: data and flags. */
const cellsOfPacket = 2;

export class PacketMessages {
  private readonly writes: Access[] = [];
  private readonly reads: Access[] = [];
  /** By write and first cell: the receive that brought the data, so that later readers of the data wait for it. */
  private readonly brought = new Map<Access, Map<number, Draft>>();

  write(place: BlockPosition, span: CellSpan, count: number, at: Slice): void {
    const own = span.gpu === place.gpu ? draft(place, 'copy', { ...at, count: cellsOfPacket * count }) : undefined;
    this.writes.push({ place, span, count, at, own });
  }

  read(place: BlockPosition, span: CellSpan, count: number, at: Slice): void {
    this.reads.push({ place, span, count, at, own: undefined });
  }

  /** Adds sends and receives at the positions of writes and reads. Calls `unread` for messages that nobody reads. */
  match(unread: (sent: Draft, gpu: number) => void): void {
    const writers = new Map<number, Access[]>();
    for (const write of this.writes.sort((a, b) => byPlace(a.place, b.place))) {
      for (let e = 0; e < write.count; e++) entryOf(writers, cellOf(write, e), () => []).push(write);
    }
    const readings = new Map<number, number>();
    for (const read of this.reads.sort((a, b) => byPlace(a.place, b.place))) {
      const from = new Map<Access, number>();
      for (let e = 0; e < read.count; e++) {
        const cell = cellOf(read, e);
        const possible = writers.get(cell) ?? [];
        const before = readings.get(cell) ?? 0;
        readings.set(cell, before + 1);
        const write = possible[Math.min(before, possible.length - 1)];
        if (write !== undefined) from.set(write, (from.get(write) ?? 0) + 1);
      }
      for (const [write, count] of from) this.bring(write, read, count);
    }
    for (const write of this.writes) {
      if (write.own !== undefined || this.brought.has(write)) continue;
      unread(draft(write.place, 'send', { ...write.at, count: cellsOfPacket * write.count }), write.span.gpu);
    }
  }

  private bring(write: Access, read: Access, elements: number): void {
    const count = cellsOfPacket * elements;
    const known = entryOf(this.brought, write, () => new Map<number, Draft>());
    const earlier = write.own ?? known.get(read.span.first);
    if (earlier !== undefined) {
      draft(read.place, 'copy', { ...read.at, count }).after.push(earlier);
      return;
    }
    const sent = draft(write.place, 'send', { ...write.at, count });
    // Blocks may read in an order other than that of the writes; so each writing operation has connections of its own.
    const connection = `packets ${laneName(write.place)} ${write.place.position} ${laneName(read.place)}`;
    receive(read.place, sent, { ...read.at, count }, connection);
    known.set(read.span.first, read.place.drafts[read.place.drafts.length - 1]);
  }
}

function cellOf({ span: { first } }: Access, element: number): number {
  return first + cellsOfPacket * element;
}

/**
 * The accesses to each cell of memory along a run of the plan: the last write and the reads since. Conflicting accesses of one rank are ordered in
 * every run of a proved plan, so that what is ordered after these accesses is ordered after all earlier ones as well.
 */
import type { ChunkRow, FlatOperation, FlatPlan } from './flat.ts';

interface CellAccesses {
  /** −1 for none. */
  lastWrite: number;
  reads: number[];
}

export class CellHistory {
  private readonly flat: FlatPlan;
  /** By rank and cell. */
  private readonly cells: readonly Map<number, CellAccesses>[];

  constructor(flat: FlatPlan) {
    this.flat = flat;
    this.cells = flat.buffers.map(() => new Map());
  }

  /** The recorded operations that access a cell of this one in a conflicting way, so that the two must stay ordered. */
  conflicts(id: number): ReadonlySet<number> {
    const operation = this.flat.operations[id];
    const found = new Set<number>();
    this.visit(operation, readsOf(operation), ({ lastWrite }) => found.add(lastWrite));
    this.visit(operation, writesOf(operation), ({ lastWrite, reads }) => {
      found.add(lastWrite);
      for (const read of reads) found.add(read);
    });
    found.delete(-1);
    return found;
  }

  record(id: number): void {
    const operation = this.flat.operations[id];
    this.visit(operation, readsOf(operation), (cell) => {
      if (cell.reads.at(-1) !== id) cell.reads.push(id);
    });
    this.visit(operation, writesOf(operation), (cell) => {
      cell.lastWrite = id;
      cell.reads = [];
    });
  }

  private visit({ rank }: FlatOperation, rows: readonly ChunkRow[], see: (cell: CellAccesses) => void): void {
    const cells = this.cells[rank];
    for (const { buffer, index, size } of rows) {
      for (let chunk = index; chunk < index + size; chunk++) {
        const at = this.flat.cell(rank, buffer, chunk);
        let cell = cells.get(at);
        if (cell === undefined) {
          cell = { lastWrite: -1, reads: [] };
          cells.set(at, cell);
        }
        see(cell);
      }
    }
  }
}

function readsOf(operation: FlatOperation): readonly ChunkRow[] {
  switch (operation.kind) {
    case 'send':
      return operation.chunks;
    case 'receive':
      return [];
    default:
      return operation.pairs.map(({ source }) => source);
  }
}

/** The rows that an operation writes. The destination of a reduction counts as written: it conflicts with reads and writes alike. */
function writesOf(operation: FlatOperation): readonly ChunkRow[] {
  switch (operation.kind) {
    case 'send':
      return [];
    case 'receive':
      return operation.chunks;
    default:
      return operation.pairs.map(({ target }) => target);
  }
}

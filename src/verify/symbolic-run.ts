/** Executes a plan on symbolic values: every cell holds the number of a value in a table of combinations. */
import type { CellMemory } from '../ir/cell-memory.ts';
import { combinesInRankOrder } from '../ir/collective.ts';
import { DataRun } from '../ir/data-run.ts';
import type { Connections, PlanIndex } from '../ir/plan-index.ts';
import { Room } from './room.ts';
import { CombinationTable } from './values.ts';

export class SymbolicRun extends DataRun {
  readonly values: CombinationTable;
  /** Checks that chunks fit their slots; undefined if all chunks have the same size. */
  private readonly room: Room | undefined;

  constructor(index: PlanIndex, memory: CellMemory, connections: Connections) {
    super(index, memory, connections);
    const { collective } = index.plan;
    this.values = new CombinationTable(collective, combinesInRankOrder(collective));
    this.room = collective.counts && new Room(collective, collective.counts, memory, this.values);
    this.fillInputs((rank, chunk) => this.values.leaf(rank, chunk));
  }

  protected override store(cell: number, value: number): void {
    this.cells[cell] = this.room === undefined ? value : this.room.kept(cell, value);
  }

  protected override combine(held: number, arriving: number, receivedFirst: boolean): number {
    const { values } = this;
    return receivedFirst
      ? values.combine(this.operand(arriving), this.operand(held))
      : values.combine(this.operand(held), this.operand(arriving));
  }

  /**
   * Returns the value of an operand. Memory that nothing has written counts as `unknown`, and a reduction with it gives a value that no collective
   * expects.
   */
  private operand(value: number): number {
    return value === -1 ? this.values.unknown : value;
  }
}

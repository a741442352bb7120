/** Numbers that travel with the data of a plan, such as the sizes of chunks. */
import { type CellMemory, layOutCells } from '../../ir/cell-memory.ts';
import { DataRun } from '../../ir/data-run.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import { runOrder } from '../../ir/run-order.ts';

/** Called with the numbers of the chunks that an operation sends or writes, in order. */
export type NoteCarried = (operation: number, carried: Float64Array) => void;

/**
 * Executes one bulk of a plan on numbers instead of data, and calls `note` for each operation. A reduction keeps the number that arrives: it combines
 * contributions to one chunk, and these have the same number. One order of one bulk suffices, since a proved plan computes the same in every order
 * and in every bulk.
 *
 * @param numberAt the number of a slot of a rank's input; memory that nothing has written has the number 0
 * @throws Error if the plan deadlocks, which a proved plan does not
 */
export function carry(plan: Plan, numberAt: (rank: number, slot: number) => number, note: NoteCarried): void {
  const order = runOrder(plan);
  if (order.length < operationCount(plan)) throw new Error(`plan ${plan.name} deadlocks`);
  const index = PlanIndex.of(plan);
  const run = new OriginRun(index, layOutCells(index), numberAt);
  for (const operation of order) {
    run.execute(operation);
    note(operation, run.numbersOf(operation));
  }
}

/** Executes the plan so that every cell holds the input cell from which its chunk came. */
class OriginRun extends DataRun {
  /** By cell of an input: the number of the chunk that begins there. */
  private readonly numbers: Float64Array;

  constructor(index: PlanIndex, memory: CellMemory, numberAt: (rank: number, slot: number) => number) {
    super(index, memory, index.connections);
    this.numbers = new Float64Array(this.cells.length);
    this.fillInputs((rank, slot) => {
      const cell = memory.input[rank] + slot;
      this.numbers[cell] = numberAt(rank, slot);
      return cell;
    });
  }

  numbersOf(operation: number): Float64Array {
    return Float64Array.from(this.moved(operation), (cell) => (cell < 0 ? 0 : this.numbers[cell]));
  }

  protected override combine(_held: number, arriving: number): number {
    return arriving;
  }
}

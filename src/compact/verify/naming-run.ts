/**
 * A run of a compact program on names of values. A value that is an input chunk is named by the rank whose it is, as seen from the
 * rank that holds it, and by the slot of that rank's input as its own program names it; one that a reduction has made, by the
 * rank that made it and by which of the program's reductions did. A shift of all ranks changes neither, so what one rank holds
 * under a name every rank holds under it; and what rank 0 receives from offset q is what q holds: (i, id) there is (q ⊕ i, id) here.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { inputChunks } from '../../ir/collective.ts';
import { isReceive, isReduction, isSend, OperationCode } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { NamedCells } from './named-cells.ts';

/** Names are numbers: rank · `ids` + id; ids below `inputs` are slots of the input, the others are reductions of one chunk. */
export class NamingRun {
  /** What stands in the cells of the rank by now. */
  readonly cells: NamedCells;
  readonly inputs: number;
  readonly ids: number;
  /** The first id that a reduction makes, by operation. */
  readonly firstMade: Int32Array;
  /** By id less `inputs`: the names of the two operands. */
  readonly held: Float64Array;
  readonly added: Float64Array;
  private readonly index: PlanIndex;
  private readonly memory: CellMemory;
  private readonly connections: Connections;

  constructor(index: PlanIndex, memory: CellMemory, connections: Connections, group: TranslationGroup) {
    const { plan } = index;
    const { ops, collective } = plan;
    this.index = index;
    this.memory = memory;
    this.connections = connections;
    this.inputs = inputChunks(collective, 0);
    this.firstMade = new Int32Array(ops.kind.length);
    let made = 0;
    for (let o = 0; o < ops.kind.length; o++) {
      this.firstMade[o] = this.inputs + made;
      if (isReduction(plan, o)) made += ops.dstCount[o];
    }
    this.ids = this.inputs + made;
    this.held = new Float64Array(made);
    this.added = new Float64Array(made);
    this.cells = new NamedCells(memory.firstCell[1], this.ids, group);
    this.cells.count(memory.input[0], this.inputs, 0);
  }

  /** Runs an operation; all that come before it have run. */
  step(operation: number): void {
    const { cells, connections, index, memory } = this;
    const { ops } = index.plan;
    const source = memory.sourceCell[operation];
    const target = memory.targetCell[operation];
    if (ops.kind[operation] === OperationCode.copy) {
      cells.copy(source, target, ops.srcCount[operation]);
    } else if (ops.kind[operation] === OperationCode.reduce) {
      this.make(operation, cells.names(source, ops.srcCount[operation]));
    } else if (isSend(index.plan, operation)) {
      cells.send(operation, source, ops.srcCount[operation]);
    } else if (isReceive(index.plan, operation)) {
      const partner = connections.partner[operation];
      if (isReduction(index.plan, operation)) {
        this.make(operation, cells.namesFrom(partner, ops.peer[operation]));
      } else {
        cells.receive(partner, ops.peer[operation], target);
      }
    }
  }

  /** The chunks of a reduction's destination get new values, of what they hold and an operand each. */
  private make(operation: number, operands: Float64Array): void {
    const { cells, inputs } = this;
    const target = this.memory.targetCell[operation];
    const first = this.firstMade[operation];
    this.held.set(cells.names(target, operands.length), first - inputs);
    this.added.set(operands, first - inputs);
    cells.count(target, operands.length, first);
  }
}

/**
 * Executes a compact program on names of values. The name of an input chunk consists of the rank whose input it is, relative to the rank that holds
 * it, and of the slot of that input in its owner's own program. The name of a reduction's result consists of the rank that computed it and the number
 * of the reduction in that rank's program. Shifting all ranks changes neither part. So if one rank holds a value under some name, every rank holds
 * its own shifted value under the same name; and what rank 0 receives from offset q is what rank q holds: the name (i, id) there is (q ⊕ i, id) here.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { inputChunks } from '../../ir/collective.ts';
import { isReceive, isReduction, isSend, OperationCode } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { NamedCells } from './named-cells.ts';

/**
 * Executes rank 0's program. A name is the number rank · `ids` + id; ids below `inputs` are slots of the input, larger ids are reductions of one
 * chunk.
 */
export class NamingRun {
  /** The names of the values in the rank's cells, up to the operation executed last. */
  readonly cells: NamedCells;
  readonly inputs: number;
  readonly ids: number;
  /** The first id that a reduction makes, by operation. */
  readonly firstMade: Int32Array;
  /** By id − `inputs`: the names of the two operands of a reduction. */
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

  /** Executes an operation. The caller executes operations in an order that respects happens-before. */
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

  /** Gives each chunk of a reduction's destination a new value, made of its old value and one operand. */
  private make(operation: number, operands: Float64Array): void {
    const { cells, inputs } = this;
    const target = this.memory.targetCell[operation];
    const first = this.firstMade[operation];
    this.held.set(cells.names(target, operands.length), first - inputs);
    this.added.set(operands, first - inputs);
    cells.count(target, operands.length, first);
  }
}

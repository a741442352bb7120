/**
 * A run of a compact program on names of values. A value that is an input chunk is named by the rank whose it is, as seen from the
 * rank that holds it, and by the slot of that rank's input as its own program names it; one that a reduction has made, by the
 * rank that made it and by which of the program's reductions did. A shift of all ranks changes neither, so what one rank holds
 * under a name every rank holds under it; and what rank 0 receives from offset q is what q holds: (i, id) there is (q ⊕ i, id) here.
 */
import { inputChunks } from '../../ir/collective.ts';
import { OperationCode } from '../../ir/plan.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { isReceive, isReduction, isSend, type Memory, type PlanIndex } from '../plan-index.ts';
import type { Connections } from '../rungs/connections.ts';
import { Carried } from './carried.ts';
import { Translations } from './translations.ts';

/** The name of what nothing has written. */
export const nothing = -1;

/** Names are numbers: rank · `ids` + id; ids below `inputs` are slots of the input, the others are reductions of one chunk. */
export class NamingRun {
  /** By cell; numbers beyond 32 bits, far from 53. */
  readonly cells: Float64Array;
  readonly inputs: number;
  readonly ids: number;
  /** The first id that a reduction makes, by operation. */
  readonly firstMade: Int32Array;
  /** By id less `inputs`: the names of the two operands. */
  readonly held: Float64Array;
  readonly added: Float64Array;
  private readonly carried: Carried;
  private readonly index: PlanIndex;
  private readonly memory: Memory;
  private readonly connections: Connections;
  private readonly translations: Translations;

  constructor(index: PlanIndex, memory: Memory, connections: Connections, group: TranslationGroup) {
    const { plan } = index;
    const { ops, collective } = plan;
    this.index = index;
    this.memory = memory;
    this.connections = connections;
    this.translations = new Translations(group);
    this.inputs = inputChunks(collective, 0);
    this.firstMade = new Int32Array(ops.kind.length);
    this.carried = new Carried(ops.kind.length);
    let made = 0;
    for (let o = 0; o < ops.kind.length; o++) {
      this.firstMade[o] = this.inputs + made;
      if (isReduction(plan, o)) made += ops.dstCount[o];
    }
    this.ids = this.inputs + made;
    this.held = new Float64Array(made);
    this.added = new Float64Array(made);
    this.cells = new Float64Array(memory.firstCell[1]).fill(nothing);
    for (let slot = 0; slot < this.inputs; slot++) this.cells[memory.input[0] + slot] = slot;
  }

  /** Runs an operation; all that come before it have run. */
  step(operation: number): void {
    const { cells, carried } = this;
    const { plan } = this.index;
    const { ops } = plan;
    const source = this.memory.sourceCell[operation];
    const target = this.memory.targetCell[operation];
    if (ops.kind[operation] === OperationCode.copy) {
      // A loop, since copies are mostly of one chunk; source and destination share nothing.
      for (let i = 0; i < ops.srcCount[operation]; i++) cells[target + i] = cells[source + i];
    } else if (ops.kind[operation] === OperationCode.reduce) {
      for (let i = 0; i < ops.dstCount[operation]; i++) this.make(operation, i, cells[source + i]);
    } else if (isSend(plan, operation)) {
      const at = carried.put(operation, ops.srcCount[operation]);
      carried.values.set(cells.subarray(source, source + ops.srcCount[operation]), at);
    } else if (isReceive(plan, operation)) {
      const at = carried.take(this.connections.partner[operation], ops.dstCount[operation]);
      const { values } = carried;
      const translate = this.translations.by(ops.peer[operation]);
      const combines = isReduction(plan, operation);
      for (let i = 0; i < ops.dstCount[operation]; i++) {
        const name = this.translated(values[at + i], translate);
        if (combines) this.make(operation, i, name);
        else cells[target + i] = name;
      }
    }
  }

  /** Chunk i of a reduction's destination gets a new value. */
  private make(operation: number, i: number, operand: number): void {
    const target = this.memory.targetCell[operation] + i;
    const id = this.firstMade[operation] + i;
    this.held[id - this.inputs] = this.cells[target];
    this.added[id - this.inputs] = operand;
    this.cells[target] = id;
  }

  /** A value of another rank as rank 0 names it. */
  private translated(name: number, translate: (rank: number) => number): number {
    if (name < 0) return name;
    const rank = Math.floor(name / this.ids);
    return translate(rank) * this.ids + (name - rank * this.ids);
  }
}

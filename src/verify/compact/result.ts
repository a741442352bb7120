/**
 * Rung 6 of a compact plan that only moves data. A value is an input chunk of some rank: rank i as seen from the rank that holds it,
 * and the slot of i's input as i's own program names it. A shift of all ranks changes neither, so what one rank holds as
 * (i, slot) every rank holds as (i, slot); and what rank 0 receives from offset q is what q holds: (i, slot) there is (q ⊕ i, slot) here.
 */
import { inputChunks } from '../../ir/collective.ts';
import { OperationCode, operationKinds, type Plan } from '../../ir/plan.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { type Connections, partnerOf } from '../connections.ts';
import { isSend, type Memory, type PlanIndex } from '../plan-index.ts';
import { Findings } from '../story.ts';

/** Whether a plan moves data and does nothing else. */
export function onlyMoves({ ops }: Plan): boolean {
  return ops.kind.every((kind) => kind !== OperationCode.reduce && kind !== OperationCode.recvReduce);
}

/** Along a complete run of a plan without races; allgather and alltoall only. */
export function checkMoved(
  index: PlanIndex,
  memory: Memory,
  connections: Connections,
  order: Int32Array,
  group: TranslationGroup,
): Findings {
  const { collective, buffers } = index.plan;
  const held = new MovingRun(index, memory, connections, group);
  for (const operation of order) held.step(operation);
  const findings = new Findings('wrong-result');
  const inputs = inputChunks(collective, 0);
  const { chunks } = collective;
  for (let slot = 0; slot < buffers[0].output; slot++) {
    const shard = Math.floor(slot / chunks);
    // What shard i of the output wants of rank i: its input, or the shard of it that is for rank 0, which i calls ⊖i.
    const from = collective.kind === 'allgather' ? 0 : group.negate(shard) * chunks;
    const wanted = shard * inputs + from + (slot % chunks);
    const value = held.cells[memory.output[0] + slot];
    if (value === wanted) continue;
    findings.add(() => {
      const name = (id: number): string =>
        id < 0 ? 'nothing' : `input[${id % inputs}] of the rank at offset ${Math.floor(id / inputs)}`;
      return {
        message: `In the end output[${slot}] of every rank should hold ${name(wanted)}, but holds ${name(value)}.`,
      };
    });
  }
  return findings;
}

/** Runs the program on values, numbered rank · inputs + slot; −1 is nothing. */
class MovingRun {
  /** Numbers up to N · N · C: beyond 32 bits, far from 53. */
  readonly cells: Float64Array;
  private readonly messages: Float64Array;
  private readonly messageAt: Int32Array;
  private readonly index: PlanIndex;
  private readonly memory: Memory;
  private readonly connections: Connections;
  private readonly group: TranslationGroup;
  private readonly translations = new Map<number, (rank: number) => number>();
  private readonly inputs: number;

  constructor(index: PlanIndex, memory: Memory, connections: Connections, group: TranslationGroup) {
    const { ops, collective } = index.plan;
    this.index = index;
    this.memory = memory;
    this.connections = connections;
    this.group = group;
    this.inputs = inputChunks(collective, 0);
    this.cells = new Float64Array(memory.firstCell[1]).fill(-1);
    for (let slot = 0; slot < this.inputs; slot++) this.cells[memory.input[0] + slot] = slot;
    this.messageAt = new Int32Array(ops.kind.length);
    let total = 0;
    for (let o = 0; o < ops.kind.length; o++) {
      this.messageAt[o] = total;
      if (isSend(index.plan, o)) total += ops.srcCount[o];
    }
    this.messages = new Float64Array(total);
  }

  step(operation: number): void {
    const { cells, messages, messageAt } = this;
    const { ops } = this.index.plan;
    const source = this.memory.sourceCell[operation];
    const target = this.memory.targetCell[operation];
    const kind = operationKinds[ops.kind[operation]];
    if (kind === 'copy') {
      // A loop, since copies are mostly of one chunk; source and destination share nothing.
      for (let i = 0; i < ops.srcCount[operation]; i++) cells[target + i] = cells[source + i];
    } else if (kind === 'send') {
      messages.set(cells.subarray(source, source + ops.srcCount[operation]), messageAt[operation]);
    } else {
      const at = messageAt[partnerOf(this.index, this.connections, operation)];
      const translate = this.translation(ops.peer[operation]);
      for (let i = 0; i < ops.dstCount[operation]; i++) cells[target + i] = this.seen(messages[at + i], translate);
    }
  }

  /** A value of another rank as rank 0 names it. */
  private seen(value: number, translate: (rank: number) => number): number {
    if (value < 0) return value;
    const rank = Math.floor(value / this.inputs);
    return translate(rank) * this.inputs + (value - rank * this.inputs);
  }

  private translation(offset: number): (rank: number) => number {
    let translate = this.translations.get(offset);
    if (translate === undefined) {
      translate = this.group.translation(offset);
      this.translations.set(offset, translate);
    }
    return translate;
  }
}

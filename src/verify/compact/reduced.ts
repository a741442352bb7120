/**
 * Rung 6 of a compact reducescatter. A run is followed backwards: of each cell it is asked in which output slots, of which ranks, its content
 * ends up. In the end that is the output slot itself. A copy or a message hands the answer from where it wrote to where it read; a
 * reduction gives it to both of its operands. At the start of the run the inputs must have the right answers: slot c of
 * shard z goes into output[c] of rank z and nowhere else, once (or, if the operator allows it, more often).
 *
 * Ranks are named as seen from the rank that holds the cell, so that one program speaks for all of them (see `result.ts`): what
 * rank p, to which rank 0 sends, calls i is p ⊕ i for rank 0.
 */
import { isIdempotent } from '../../ir/collective.ts';
import { operationKinds } from '../../ir/plan.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { type Connections, partnerOf } from '../connections.ts';
import { isReceive, type Memory, type PlanIndex } from '../plan-index.ts';
import { Findings } from '../story.ts';

/** Nothing of a cell is in any result. */
const nowhere = -1;
/** It is in several results, or more than once in one. */
const several = -2;

/** Along a complete run of a plan without races. */
export function checkReduced(
  index: PlanIndex,
  memory: Memory,
  connections: Connections,
  order: Int32Array,
  group: TranslationGroup,
): Findings {
  const { collective } = index.plan;
  const backwards = new BackwardRun(index, memory, connections, group);
  for (let at = order.length - 1; at >= 0; at--) backwards.step(order[at]);
  const findings = new Findings('wrong-result');
  for (let slot = 0; slot < collective.ranks * collective.chunks; slot++) {
    const ends = backwards.ends[memory.input[0] + slot];
    if (ends === slot) continue;
    findings.add(() => {
      const name = (end: number): string =>
        `output[${end % collective.chunks}] of the rank at offset ${Math.floor(end / collective.chunks)}`;
      const found =
        ends === nowhere
          ? 'goes nowhere'
          : ends === several
            ? 'goes there twice, or to more than one place'
            : `goes to ${name(ends)}`;
      return { message: `input[${slot}] of every rank should go into ${name(slot)} once, but ${found}.` };
    });
  }
  return findings;
}

/** Ends are numbered rank · C + slot of its output. */
class BackwardRun {
  readonly ends: Float64Array;
  private readonly messages: Float64Array;
  private readonly messageAt: Int32Array;
  private readonly index: PlanIndex;
  private readonly memory: Memory;
  private readonly connections: Connections;
  private readonly group: TranslationGroup;
  private readonly idempotent: boolean;
  private readonly translations = new Map<number, (rank: number) => number>();

  constructor(index: PlanIndex, memory: Memory, connections: Connections, group: TranslationGroup) {
    const { ops, collective } = index.plan;
    this.index = index;
    this.memory = memory;
    this.connections = connections;
    this.group = group;
    this.idempotent = isIdempotent(collective.op);
    this.ends = new Float64Array(memory.firstCell[1]).fill(nowhere);
    for (let slot = 0; slot < collective.chunks; slot++) this.ends[memory.output[0] + slot] = slot;
    this.messageAt = new Int32Array(ops.kind.length);
    let total = 0;
    for (let o = 0; o < ops.kind.length; o++) {
      this.messageAt[o] = total;
      if (isReceive(index.plan, o)) total += ops.dstCount[o];
    }
    this.messages = new Float64Array(total).fill(nowhere);
  }

  /** Undoes an operation; all that come after it have been undone. */
  step(operation: number): void {
    const { ends, messages, messageAt } = this;
    const { ops } = this.index.plan;
    const source = this.memory.sourceCell[operation];
    const target = this.memory.targetCell[operation];
    const kind = operationKinds[ops.kind[operation]];
    if (kind === 'send') {
      const at = messageAt[partnerOf(this.index, this.connections, operation)];
      const translate = this.translation(ops.peer[operation]);
      for (let i = 0; i < ops.srcCount[operation]; i++) {
        ends[source + i] = this.both(ends[source + i], this.seen(messages[at + i], translate));
      }
      return;
    }
    const overwrites = kind === 'copy' || kind === 'recv';
    const local = kind === 'copy' || kind === 'reduce';
    for (let i = 0; i < ops.dstCount[operation]; i++) {
      const end = ends[target + i];
      if (overwrites) ends[target + i] = nowhere;
      if (local) ends[source + i] = this.both(ends[source + i], end);
      else messages[messageAt[operation] + i] = end;
    }
  }

  /** Where a value goes that is used in two places. */
  private both(a: number, b: number): number {
    if (a === nowhere) return b;
    if (b === nowhere) return a;
    return a === b && this.idempotent ? a : several;
  }

  /** What the rank that a message goes to says, as rank 0 names it. */
  private seen(end: number, translate: (rank: number) => number): number {
    if (end < 0) return end;
    const { chunks } = this.index.plan.collective;
    const rank = Math.floor(end / chunks);
    return translate(rank) * chunks + (end - rank * chunks);
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

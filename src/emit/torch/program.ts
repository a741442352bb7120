/** The program of one rank as rows of numbers, which the Python runtime reads: levels of messages, each followed by local work. */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import type { LevelledPlan } from './levels.ts';

/** `[buffer, offset]` of a slice; buffers are 0 input, 1 output, 2 scratch. */
type SlicePlace = readonly [buffer: number, offset: number];

/**
 * `[isSend, peer, buffer, offset, count, peerBuffer, peerOffset, stage]`: the slice of this rank, the slice at the other end, which says with
 * it how long each chunk is, and where the message waits to be delivered: the number of a staging buffer, or −1.
 */
export type MessageRow = readonly number[];

/**
 * `[kind, buffer, offset, count, sourceBuffer, sourceOffset, stage, sourceRank]`: 0 copies and 1 reduces from a slice of the same rank; 2 copies
 * and 3 reduces from a staging buffer, where the sender's slice is the source.
 */
export type LocalRow = readonly number[];

export interface RankProgram {
  /** Local work before all messages. */
  readonly first: readonly LocalRow[];
  /** By level. */
  readonly levels: readonly { readonly messages: readonly MessageRow[]; readonly local: readonly LocalRow[] }[];
}

const localKind = { copy: 0, reduce: 1, deliver: 2, combine: 3 } as const;

export function rankPrograms(plan: Plan, levelled: LevelledPlan): readonly RankProgram[] {
  const { ops, buffers } = plan;
  const { rankOf, connections } = PlanIndex.of(plan);
  const { order, messageLevel, localLevel, staged, turn, levels } = levelled;
  const programs = buffers.map(() => ({
    first: [] as LocalRow[],
    levels: Array.from({ length: levels }, () => ({
      messages: [] as { readonly turn: number; readonly row: MessageRow }[],
      local: [] as LocalRow[],
    })),
    stages: 0,
  }));
  const sourceOf = (o: number): SlicePlace => [ops.srcBuffer[o], ops.srcOffset[o]];
  const targetOf = (o: number): SlicePlace => [ops.dstBuffer[o], ops.dstOffset[o]];
  for (const o of order) {
    const program = programs[rankOf[o]];
    const localAt = (level: number): LocalRow[] => (level < 0 ? program.first : program.levels[level].local);
    const kind = ops.kind[o];
    if (kind === OperationCode.copy || kind === OperationCode.reduce) {
      const code = kind === OperationCode.copy ? localKind.copy : localKind.reduce;
      localAt(localLevel[o]).push([code, ...targetOf(o), ops.dstCount[o], ...sourceOf(o), -1, rankOf[o]]);
      continue;
    }
    const other = connections.partner[o];
    const { messages } = program.levels[messageLevel[o]];
    if (kind === OperationCode.send) {
      const row = [1, ops.peer[o], ...sourceOf(o), ops.srcCount[o], ...targetOf(other), -1];
      messages.push({ turn: turn[o], row });
      continue;
    }
    const stage = staged[o] === 1 ? program.stages++ : -1;
    const row = [0, ops.peer[o], ...targetOf(o), ops.dstCount[o], ...sourceOf(other), stage];
    messages.push({ turn: turn[o], row });
    if (stage < 0) continue;
    const code = kind === OperationCode.recv ? localKind.deliver : localKind.combine;
    localAt(localLevel[o]).push([code, ...targetOf(o), ops.dstCount[o], ...sourceOf(other), stage, ops.peer[o]]);
  }
  return programs.map(({ first, levels: own }) => ({
    first,
    levels: own.map(({ messages, local }) => ({
      messages: messages.toSorted((a, b) => a.turn - b.turn).map(({ row }) => row),
      local,
    })),
  }));
}

/** Builds the thread blocks of one rank from its actions: types of steps, slices small enough for the format, waits and `nop`s. */
import { OperationCode, type Plan, planBuffers, type Slice } from '../../ir/plan.ts';
import type { Action } from './actions.ts';
import { mscclLimits } from './limits.ts';
import { writesNothing } from './liveness.ts';
import type { BlockEnds, EmittedGpu, EmittedStep, EmittedStepType } from './target.ts';
import { type ActionPlace, threadBlockWaits } from './waits.ts';

export function gpuOf(plan: Plan, rank: number, ends: readonly BlockEnds[], actions: readonly Action[]): EmittedGpu {
  const unwritten = writesNothing(plan, rank, actions);
  const waits = threadBlockWaits(actions, ends.length);
  const blocks = ends.map((end) => ({ ...end, steps: [] as EmittedStep[], published: new Set<number>() }));
  /** By block and index of the action in its block: the last step of the action. */
  const lastStep: number[][] = ends.map(() => []);
  const stepOf = ({ block, index }: ActionPlace) => ({ block, step: lastStep[block][index] });
  actions.forEach((action, at) => {
    const { steps } = blocks[action.block];
    const needed = waits[at].map(stepOf);
    for (const { block, step } of needed) blocks[block].published.add(step);
    // A step can wait for one other step. Further waits become `nop` steps directly before it, which runtimes read as one chain of waits.
    const last = needed.pop();
    for (const wait of needed) steps.push({ type: 'nop', source: undefined, target: undefined, wait });
    const parts = partsOf(plan, action, unwritten.has(at));
    parts.forEach((part, index) => {
      steps.push({ ...part, wait: index === 0 ? last : undefined });
    });
    lastStep[action.block].push(steps.length - 1);
  });
  return { blocks };
}

/** Divides an action into steps that the format's limit on chunks permits. The number of steps is the same at both ends of a connection. */
function partsOf(
  plan: Plan,
  { operation, forward }: Action,
  isUnwritten: boolean,
): readonly Omit<EmittedStep, 'wait'>[] {
  const { ops } = plan;
  const reduces = ops.kind[operation] === OperationCode.recvReduce;
  const target = sliceOf(ops.dstBuffer[operation], ops.dstOffset[operation], ops.dstCount[operation]);
  const source = reduces
    ? target
    : sliceOf(ops.srcBuffer[operation], ops.srcOffset[operation], ops.srcCount[operation]);
  const type = typeOf(ops.kind[operation], forward !== undefined, isUnwritten);
  const count = (source ?? target)?.count ?? 0;
  const parts = Math.ceil(count / mscclLimits.chunksPerStep);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * count) / parts);
    const to = Math.floor(((part + 1) * count) / parts);
    return { type, source: partOf(source, from, to), target: isUnwritten ? undefined : partOf(target, from, to) };
  });
}

function sliceOf(buffer: number, offset: number, count: number): Slice | undefined {
  return buffer < 0 ? undefined : { buffer: planBuffers[buffer], offset, count };
}

function partOf(slice: Slice | undefined, from: number, to: number): Slice | undefined {
  return slice && { buffer: slice.buffer, offset: slice.offset + from, count: to - from };
}

function typeOf(kind: number, forwards: boolean, isUnwritten: boolean): EmittedStepType {
  switch (kind) {
    case OperationCode.send:
      return 's';
    case OperationCode.recv:
      return forwards ? 'rcs' : 'r';
    case OperationCode.recvReduce:
      if (!forwards) return 'rrc';
      return isUnwritten ? 'rrs' : 'rrcs';
    case OperationCode.reduce:
      return 're';
    default:
      return 'cpy';
  }
}

/**
 * Checks whether the runtime accepts a plan at all: ids in order, tables that fit its fixed sizes, operations that it implements, with valid
 * operands, and non-empty buffers. The limits are those of the executor (docs/mscclpp.md).
 */

import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import {
  type ExecutionBlock,
  type ExecutionGpu,
  type ExecutionOperation,
  type ExecutionPlan,
  executionOperations,
  executionLimits as most,
  pairChannelTypes,
} from '../execution-plan.ts';
import { judged } from './limits.ts';
import { checkOperands } from './operands.ts';
import { type OperationPlace, operationName, partLine, storyLine } from './words.ts';

const known: ReadonlySet<string> = new Set(executionOperations);
/** Features that MSCCL++'s own language writes but its runtime does not read. */
const unread: Readonly<Record<string, string>> = {
  glre: 'the runtime only has glres, which also stores what it loads',
};

/** All properties of the plan that the runtime would reject or misinterpret. */
export function acceptance(plan: ExecutionPlan): readonly Finding[] {
  const found = new CheckFindings('malformed');
  if (plan.gpus.length === 0) found.add(() => ({ message: 'It has no gpus.' }));
  if (plan.threadsPerBlock > most.threads) {
    found.add(() => ({ message: `Blocks have at most ${most.threads} threads, not ${plan.threadsPerBlock}.` }));
  }
  if (plan.alignment % 16 !== 0) {
    found.add(() => ({ message: `buffer_alignment must be a multiple of 16, not ${plan.alignment}.` }));
  }
  for (const [at, gpu] of plan.gpus.entries()) checkGpu(plan, gpu, at, found);
  return found.list();
}

function checkGpu(plan: ExecutionPlan, gpu: ExecutionGpu, at: number, found: CheckFindings): void {
  const wrong = (message: string): void =>
    found.add(() => ({ message, story: [partLine(`gpu ${gpu.id}`, at, 0, gpu.range)] }));
  if (gpu.id !== at) wrong(`The gpu at position ${at} has the id ${gpu.id}: ids must be 0, 1, 2 … in order.`);
  for (const buffer of ['input', 'output'] as const) {
    if (gpu.chunks[buffer] === 0) wrong(`gpu ${at} has 0 ${buffer} chunks: the runtime divides by them.`);
  }
  if (gpu.blocks.length > judged.blocks) {
    wrong(
      `gpu ${at} has ${gpu.blocks.length} thread blocks: they wait for each other, and at most ${judged.blocks} can be resident.`,
    );
  }
  for (const type of pairChannelTypes) {
    for (const peer of gpu.channels[type]) {
      if (peer >= plan.gpus.length || peer === at) {
        wrong(
          `gpu ${at} has a ${type} channel to gpu ${peer}: there are gpus 0 to ${plan.gpus.length - 1}, and none has one to itself.`,
        );
      }
    }
  }
  for (const { ranks } of gpu.switches) {
    if (ranks.some((rank) => rank >= plan.gpus.length))
      wrong(`A switch channel of gpu ${at} has a gpu that is not there.`);
    else if (!ranks.includes(at)) wrong(`A switch channel of gpu ${at} does not include that gpu.`);
    if (new Set(ranks).size !== ranks.length) wrong(`A switch channel of gpu ${at} has a gpu twice.`);
  }
  gpu.remoteBuffers.forEach(({ rank }, id) => {
    if (rank >= plan.gpus.length || rank === at) {
      wrong(`Remote buffer ${id} of gpu ${at} is one of gpu ${rank}, which is not another gpu of the plan.`);
    }
  });
  for (const [position, block] of gpu.blocks.entries()) checkBlock(plan, gpu, block, { at, position }, found);
}

function checkBlock(
  plan: ExecutionPlan,
  gpu: ExecutionGpu,
  block: ExecutionBlock,
  { at, position }: { readonly at: number; readonly position: number },
  found: CheckFindings,
): void {
  const wrong = (message: string): void =>
    found.add(() => ({ message, story: [partLine(`gpu ${at}, block ${position}`, at, position, block.range)] }));
  const name = `Block ${position} of gpu ${at}`;
  if (block.id !== position) {
    wrong(
      `${name} has the id ${block.id}: operations go by position and channels by id, so that ids must be 0, 1, 2 … in order.`,
    );
  }
  const operations = block.operations.reduce((sum, { loop }) => sum + 1 + (loop?.operations.length ?? 0), 0);
  if (operations > most.operations) {
    wrong(
      `${name} has ${operations} operations, and the runtime takes ${most.operations} (bodies of pipelines count).`,
    );
  }
  for (const type of ['memory', 'port', 'switch'] as const) {
    const ids = block.channels[type];
    const there = type === 'switch' ? gpu.switches.length : gpu.channels[type].length;
    if (ids.length > most.channels) {
      wrong(`${name} uses ${ids.length} ${type} channels, and the runtime has room for ${most.channels}.`);
    }
    const absent = ids.find((id) => id >= there);
    if (absent !== undefined) wrong(`${name} uses ${type} channel ${absent}, and gpu ${at} has ${there}.`);
  }
  for (const type of pairChannelTypes) {
    const ids = block.remoteBuffers[type];
    if (ids.length > most.channels) {
      wrong(
        `${name} uses ${ids.length} remote buffers over ${type} channels, and the runtime has room for ${most.channels}.`,
      );
    }
    for (const id of ids) {
      const buffer = gpu.remoteBuffers[id];
      if (buffer === undefined)
        wrong(`${name} uses remote buffer ${id}, and gpu ${at} has ${gpu.remoteBuffers.length}.`);
      else if (!buffer.access.includes(type)) {
        wrong(`${name} uses remote buffer ${id} over ${type} channels, which its access_channel_types do not list.`);
      }
    }
  }
  block.operations.forEach((operation, index) => {
    const place: OperationPlace = { gpu: at, block: position, index, name: operation.name, range: operation.range };
    checkOperation(plan, gpu, block, operation, place, found);
    operation.loop?.operations.forEach((inner, innerIndex) => {
      const innerPlace = { ...place, inner: { index: innerIndex, iteration: 0 }, name: inner.name, range: inner.range };
      if (inner.name === 'pipeline') {
        found.add(() => ({
          message: `${operationName(innerPlace)} is a pipeline in a pipeline.`,
          story: [storyLine(innerPlace)],
        }));
      } else checkOperation(plan, gpu, block, inner, innerPlace, found);
    });
  });
}

function checkOperation(
  plan: ExecutionPlan,
  gpu: ExecutionGpu,
  block: ExecutionBlock,
  operation: ExecutionOperation,
  place: OperationPlace,
  found: CheckFindings,
): void {
  const wrong = (what: string): void =>
    found.add(() => ({ message: `${operationName(place)} ${what}`, story: [storyLine(place)] }));
  const { name, channels, semaphores, barrier, share, sources, targets } = operation;
  if (!known.has(name)) {
    wrong(`is no operation of this runtime${unread[name] === undefined ? '' : `: ${unread[name]}`}.`);
    return;
  }
  if (channels.length > most.operationChannels) {
    wrong(`has ${channels.length} channels, and the runtime has room for ${most.operationChannels}.`);
  }
  const threads = Math.max(channels.length, semaphores.length);
  if (threads > plan.threadsPerBlock) wrong(`needs ${threads} threads, and blocks have ${plan.threadsPerBlock}.`);
  if (semaphores.length > most.semaphores) {
    wrong(`has ${semaphores.length} semaphores, and the runtime has room for ${most.semaphores}.`);
  }
  const absent = semaphores.find((id) => id >= gpu.semaphores.length);
  if (absent !== undefined) wrong(`uses semaphore ${absent}, and the gpu has ${gpu.semaphores.length}.`);
  if (barrier !== undefined && barrier.id >= most.barriers) {
    wrong(`has barrier id ${barrier.id}, and ids go up to ${most.barriers - 1}.`);
  }
  if (share !== undefined && share.block >= share.blocks) {
    wrong(`is block ${share.block} of a group of ${share.blocks}: they are counted from 0.`);
  }
  if (sources.length > most.operands || targets.length > most.operands) {
    wrong(`has more than ${most.operands} sources or targets, for which the runtime has no room.`);
  }
  checkOperands(plan, gpu, block, operation, wrong);
}

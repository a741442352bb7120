/** Checks whether the runtime's kernels accept the operands of an operation. */

import type { PlanBuffer } from '../../ir/plan.ts';
import {
  type ChunkReference,
  type ExecutionBlock,
  type ExecutionGpu,
  type ExecutionOperation,
  type ExecutionPlan,
  pairChannelTypes,
} from '../execution-plan.ts';
import { type ExecutionShape, type Operands, type Role, roleOf, shapes } from './shapes.ts';

type Wrong = (what: string) => void;

/** @param wrong called with each defect, as the end of a sentence about the operation */
export function checkOperands(
  plan: ExecutionPlan,
  gpu: ExecutionGpu,
  block: ExecutionBlock,
  operation: ExecutionOperation,
  wrong: Wrong,
): void {
  const shape = shapes[operation.name];
  if (shape === undefined) {
    checkSynchronisation(block, operation, wrong);
    return;
  }
  if (!checkChannels(shape, block, operation, wrong)) return;
  if (!checkCounts(shape, operation, wrong)) return;
  const check = (operands: Operands, chunks: readonly ChunkReference[], what: string): void =>
    chunks.forEach((chunk, at) => {
      const role = roleOf(operands, at);
      const problem = role === undefined ? undefined : misfit(plan, gpu, block, operation, role, chunk);
      if (problem !== undefined) wrong(`has as ${what} ${at} ${problem}.`);
    });
  check(shape.sources, operation.sources, 'source');
  check(shape.targets, operation.targets, 'target');
  checkPeers(gpu, block, operation, wrong);
}

function checkSynchronisation(block: ExecutionBlock, operation: ExecutionOperation, wrong: Wrong): void {
  const { name, channelType, channels, semaphores } = operation;
  switch (name) {
    case 'signal':
    case 'wait':
    case 'rlxsignal':
    case 'rlxwait':
    case 'flush': {
      const types = name === 'flush' ? (['port'] as const) : pairChannelTypes;
      const type = types.find((candidate) => candidate === channelType);
      if (type === undefined) wrong(`needs a channel_type (${types.join(' or ')}).`);
      else checkIds(block.channels[type].length, channels, `${type} channels`, wrong);
      if (channels.length === 0) wrong('needs channel_ids.');
      return;
    }
    case 'sem_acquire':
    case 'sem_release':
      if (semaphores.length === 0) wrong('needs semaphore_ids.');
  }
}

function checkIds(there: number, ids: readonly number[], what: string, wrong: Wrong): void {
  const absent = ids.find((id) => id >= there);
  if (absent !== undefined) wrong(`names ${absent} of the block's ${what}, of which there are ${there}.`);
}

/** Checks the channels. Returns false if the operands cannot be checked any further. */
function checkChannels(
  shape: ExecutionShape,
  block: ExecutionBlock,
  operation: ExecutionOperation,
  wrong: Wrong,
): boolean {
  const { channelType, channels } = operation;
  if (shape.over === undefined) return true;
  if (channelType === undefined || !shape.over.includes(channelType)) {
    wrong(`works over ${shape.over.join(' or ')} channels, not ${channelType ?? 'without a channel_type'}.`);
    return false;
  }
  if (channelType !== 'port') return true;
  checkIds(block.channels.port.length, channels, 'port channels', wrong);
  if (channels.length < operation.targets.length) wrong('needs a port channel for each target.');
  return true;
}

function checkCounts(
  { sources, targets, combines }: ExecutionShape,
  operation: ExecutionOperation,
  wrong: Wrong,
): boolean {
  const fits = ({ first, more }: Operands, count: number): boolean =>
    count >= Math.max(1, first.length) && (more !== undefined || count === first.length);
  const text = ({ first, more }: Operands): string =>
    more === undefined ? `${first.length}` : `${Math.max(1, first.length)} or more`;
  const { sources: from, targets: to } = operation;
  if (!fits(sources, from.length) || !fits(targets, to.length)) {
    wrong(`takes ${text(sources)} sources and ${text(targets)} targets, and has ${from.length} and ${to.length}.`);
    return false;
  }
  if (!combines && from.length !== to.length) {
    wrong(`takes as many sources as targets, and has ${from.length} and ${to.length}.`);
    return false;
  }
  const chunks = [...from, ...to];
  if (combines && chunks.some(({ size }) => size !== chunks[0].size)) {
    wrong('has sources and targets of different sizes.');
    return false;
  }
  if (!combines && from.some(({ size }, at) => size !== to[at].size)) {
    wrong('has a source and a target of different sizes.');
    return false;
  }
  return true;
}

/** The defect of an operand; undefined if it has none. */
function misfit(
  plan: ExecutionPlan,
  gpu: ExecutionGpu,
  block: ExecutionBlock,
  operation: ExecutionOperation,
  role: Role,
  chunk: ChunkReference,
): string | undefined {
  const packets = role.endsWith('packets');
  const where = bufferOf(plan, gpu, block, operation, role, chunk);
  if (typeof where === 'string') return where;
  const { buffer, owner } = where;
  if (packets && buffer !== 'scratch') return `packets in ${buffer}: the runtime keeps packets in scratch alone`;
  const room = owner.chunks[buffer];
  if (chunk.index + chunk.size > room) {
    return `chunks ${chunk.index} to ${chunk.index + chunk.size - 1} of ${buffer}, and gpu ${owner.id} has ${room}`;
  }
  if (packets && plan.protocol !== 'LL' && 2 * (chunk.index + chunk.size) > room) {
    return `packets beyond its scratch, which is twice as large under protocol LL only`;
  }
  return undefined;
}

interface Owned {
  readonly buffer: PlanBuffer;
  readonly owner: ExecutionGpu;
}

/** The gpu and buffer that contain an operand, or a description of its defect. */
function bufferOf(
  plan: ExecutionPlan,
  gpu: ExecutionGpu,
  block: ExecutionBlock,
  { channelType }: ExecutionOperation,
  role: Role,
  { place }: ChunkReference,
): Owned | string {
  const kind = role.startsWith('remote') ? 'remote' : role.startsWith('switch') ? 'switch' : 'local';
  if (place.kind !== kind) return `something ${place.kind}, where it takes something ${kind}`;
  if (place.kind === 'local') return { buffer: place.buffer, owner: gpu };
  if (place.kind === 'switch') {
    const channel = gpu.switches[block.channels.switch[place.id]];
    if (channel === undefined) return `switch channel ${place.id} of its block, which is not there`;
    return { buffer: channel.buffer, owner: gpu };
  }
  const type = pairChannelTypes.find((candidate) => candidate === channelType);
  const remote = type === undefined ? undefined : gpu.remoteBuffers[block.remoteBuffers[type][place.id]];
  const owner = remote === undefined ? undefined : plan.gpus[remote.rank];
  if (remote === undefined || owner === undefined) return `remote buffer ${place.id} of its block, which is not there`;
  return { buffer: remote.buffer, owner };
}

/** Checks that the port channels of an operation lead to the gpus of its remote buffers. */
function checkPeers(gpu: ExecutionGpu, block: ExecutionBlock, operation: ExecutionOperation, wrong: Wrong): void {
  if (operation.channelType !== 'port') return;
  operation.targets.forEach(({ place }, at) => {
    if (place.kind !== 'remote') return;
    const peer = gpu.channels.port[block.channels.port[operation.channels[at]]];
    const rank = gpu.remoteBuffers[block.remoteBuffers.port[place.id]]?.rank;
    if (peer !== undefined && rank !== undefined && peer !== rank) {
      wrong(`puts into memory of gpu ${rank} over a port channel to gpu ${peer}.`);
    }
  });
}

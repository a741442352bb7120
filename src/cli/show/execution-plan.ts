/** Shows an MSCCL++ execution plan: what each thread block of each GPU does, one operation per line. */

import { oneLine } from '../../ir/plain-text.ts';
import { counted } from '../../ir/units.ts';
import type { ChunkReference, ExecutionGpu, ExecutionOperation, ExecutionPlan } from '../../mscclpp/execution-plan.ts';

export function showExecutionPlan(plan: ExecutionPlan): string {
  const { name, collective, protocol, inPlace, gpus } = plan;
  const head = `${oneLine(name)}: ${collective} on ${counted(gpus.length, 'gpu')}, protocol ${protocol}, ${inPlace ? 'in place' : 'out of place'}`;
  return `${[head, ...gpus.flatMap(gpuLines)].join('\n')}\n`;
}

function gpuLines(gpu: ExecutionGpu): string[] {
  const { id, chunks, blocks } = gpu;
  const head = `gpu ${id}: ${chunks.input} input, ${chunks.output} output, ${chunks.scratch} scratch chunks`;
  return [
    head,
    ...blocks.flatMap((block) => [
      `  block ${block.id}`,
      ...block.operations.flatMap((operation, index) => operationLines(gpu, block, operation, `${index}`)),
    ]),
  ];
}

type Block = ExecutionGpu['blocks'][number];

function operationLines(gpu: ExecutionGpu, block: Block, operation: ExecutionOperation, index: string): string[] {
  const { name, sources, targets, channels, channelType, semaphores, barrier, share, loop } = operation;
  const type = channelType === 'port' ? 'port' : 'memory';
  const place = (chunk: ChunkReference): string =>
    `${bufferText(gpu, block, type, chunk)}[${chunk.index}:${chunk.size}]`;
  const peers = channels.map((id) => gpu.channels[type][block.channels[type][id]] ?? '?');
  const isSynchronising = sources.length === 0 && targets.length === 0;
  const parts = [
    oneLine(name),
    ...(isSynchronising ? [] : [`${sources.map(place).join(' ')} -> ${targets.map(place).join(' ')}`]),
    ...(isSynchronising && peers.length > 0 ? [`gpu ${peers.join(' ')} (${type})`] : []),
    ...(semaphores.length > 0 ? [`semaphore ${semaphores.join(' ')}`] : []),
    ...(barrier === undefined ? [] : [`${barrier.id} of ${counted(barrier.blocks, 'block')}`]),
    ...(share === undefined ? [] : [`share ${share.block} of ${share.blocks}`]),
    ...(loop === undefined ? [] : [`${loop.unit} bytes at a time of ${counted(loop.chunks, 'chunk')}`]),
  ];
  const inner = loop?.operations.flatMap((body, at) => operationLines(gpu, block, body, `${index}.${at}`)) ?? [];
  return [`    ${index.padEnd(4)} ${parts.join('  ')}`, ...inner];
}

function bufferText(gpu: ExecutionGpu, block: Block, type: 'memory' | 'port', { place }: ChunkReference): string {
  switch (place.kind) {
    case 'local':
      return place.buffer;
    case 'remote': {
      const remote = gpu.remoteBuffers[block.remoteBuffers[type][place.id]];
      return remote === undefined ? `remote ${place.id}` : `gpu ${remote.rank} ${remote.buffer}`;
    }
    case 'switch': {
      const channel = gpu.switches[block.channels.switch[place.id]];
      return channel === undefined ? `switch ${place.id}` : `gpus ${channel.ranks.join(' ')} ${channel.buffer}`;
    }
  }
}

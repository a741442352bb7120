/** The document: gpus with blocks, channels and buffers, under the keys that the executor reads. */
import type { PlanBuffer } from '../../ir/plan.ts';
import type { ChunkRow } from './flat.ts';

export type EmittedChannelType = 'memory' | 'port';

/** An operation of a gpu on its own memory. */
export interface LocalOperation {
  readonly name: 'copy' | 'upkt' | 're' | 'repkt';
  readonly sources: readonly ChunkRow[];
  readonly target: ChunkRow;
}

/** An operation that writes to the memory of another gpu. */
export interface Put {
  readonly name: 'put' | 'pwsf' | 'ppkt';
  readonly sources: readonly ChunkRow[];
  /** A range of the peer's memory. */
  readonly target: ChunkRow;
  readonly peer: number;
  /** The channel of the gpu, before ids are assigned. */
  readonly channel: number;
}

/** One operation of a block. Channels and remote buffers get the ids of the block when it is written. */
export type Instruction =
  | { readonly name: 'nop' }
  | { readonly name: 'signal' | 'wait'; readonly channel: number }
  | { readonly name: 'sem_acquire' | 'sem_release'; readonly semaphores: readonly number[] }
  | LocalOperation
  | Put;

/** A channel of a gpu. Its id in the file is its index among the channels of its type. */
export interface Channel {
  readonly type: EmittedChannelType;
  readonly peer: number;
}

export interface GpuProgram {
  readonly chunks: Readonly<Record<PlanBuffer, number>>;
  readonly blocks: readonly (readonly Instruction[])[];
  readonly channels: readonly Channel[];
  readonly semaphores: number;
}

export interface Header {
  readonly name: string;
  readonly collective: string;
  readonly packets: boolean;
  readonly inPlace: boolean;
  readonly mostBytes: number;
}

const letters: Readonly<Record<PlanBuffer, string>> = { input: 'i', output: 'o', scratch: 's' };

/** The document as plain data, with keys in the order of the executor's own files. */
export function documentOf(header: Header, gpus: readonly GpuProgram[]): object {
  return {
    name: header.name,
    collective: header.collective,
    protocol: header.packets ? 'LL' : 'Simple',
    inplace: header.inPlace,
    reuse_resources: false,
    gpus: gpus.map(gpuDocument),
    num_threads_per_block: 1024,
    use_double_scratch_buffer: header.packets,
    buffer_alignment: 16,
    min_message_size: 0,
    max_message_size: header.mostBytes,
  };
}

function gpuDocument({ chunks, blocks, channels, semaphores }: GpuProgram, id: number): object {
  const remote = new RemoteBuffers();
  const threadblocks = blocks.map((instructions, block) => blockDocument(block, instructions, channels, remote));
  const ofType = (type: EmittedChannelType): Channel[] => channels.filter((channel) => channel.type === type);
  return {
    id,
    input_chunks: chunks.input,
    output_chunks: chunks.output,
    scratch_chunks: chunks.scratch,
    threadblocks,
    channels: (['memory', 'port'] as const)
      .filter((type) => ofType(type).length > 0)
      .map((type) => ({ channel_type: type, connected_to: ofType(type).map(({ peer }) => peer) })),
    remote_buffers: remote.document(),
    semaphores: Array.from({ length: semaphores }, () => ({ init_value: 0 })),
  };
}

/** The remote buffers that a gpu uses, without duplicates. */
class RemoteBuffers {
  private readonly all: {
    readonly peer: number;
    readonly buffer: PlanBuffer;
    readonly types: Set<EmittedChannelType>;
  }[] = [];

  idOf(peer: number, buffer: PlanBuffer, type: EmittedChannelType): number {
    let id = this.all.findIndex((other) => other.peer === peer && other.buffer === buffer);
    if (id === -1) id = this.all.push({ peer, buffer, types: new Set() }) - 1;
    this.all[id].types.add(type);
    return id;
  }

  document(): object[] {
    return this.all.map(({ peer, buffer, types }) => ({
      rank: peer,
      type: letters[buffer],
      access_channel_types: [...types],
    }));
  }
}

/** A list of ids that the operations of a block refer to by index, without duplicates, in the order of first use. */
class Used {
  readonly ids: Readonly<Record<EmittedChannelType, number[]>> = { memory: [], port: [] };

  place(type: EmittedChannelType, id: number): number {
    const known = this.ids[type].indexOf(id);
    return known === -1 ? this.ids[type].push(id) - 1 : known;
  }

  lists<Key extends string, List extends string>(key: Key, list: List): object[] {
    return (['memory', 'port'] as const)
      .filter((type) => this.ids[type].length > 0)
      .map((type) => ({ [key]: type, [list]: this.ids[type] }));
  }
}

function blockDocument(
  id: number,
  instructions: readonly Instruction[],
  channels: readonly Channel[],
  remote: RemoteBuffers,
): object {
  const usedChannels = new Used();
  const usedBuffers = new Used();
  const channelPlace = (channel: number): { readonly type: EmittedChannelType; readonly place: number } => {
    const { type } = channels[channel];
    const idOfType = channels.slice(0, channel).filter((other) => other.type === type).length;
    return { type, place: usedChannels.place(type, idOfType) };
  };
  const reachOf = ({ peer, channel, target }: Put): object => {
    const { type, place } = channelPlace(channel);
    const buffer_id = usedBuffers.place(type, remote.idOf(peer, target.buffer, type));
    const dst_buff = [{ buffer_id, index: target.index, size: target.size }];
    return { dst_buff, ...(type === 'port' ? { channel_ids: [place] } : {}), channel_type: type };
  };
  const operationOf = (instruction: Instruction): object => {
    const { name } = instruction;
    if ('semaphores' in instruction) return { name, semaphore_ids: instruction.semaphores };
    if ('sources' in instruction) {
      const src_buff = instruction.sources.map(localChunk);
      if ('peer' in instruction) return { name, src_buff, ...reachOf(instruction) };
      const adds = name === 're' || name === 'repkt' ? { reduce_op: 'sum' } : {};
      return { name, src_buff, dst_buff: [localChunk(instruction.target)], ...adds };
    }
    if (!('channel' in instruction)) return { name };
    const { type, place } = channelPlace(instruction.channel);
    return { name, channel_ids: [place], channel_type: type };
  };
  const ops = instructions.map(operationOf);
  return {
    id,
    ops,
    channels: usedChannels.lists('channel_type', 'channel_ids'),
    remote_buffer_refs: usedBuffers.lists('access_channel_type', 'remote_buffer_ids'),
  };
}

function localChunk({ buffer, index, size }: ChunkRow): object {
  return { type: letters[buffer], index, size };
}

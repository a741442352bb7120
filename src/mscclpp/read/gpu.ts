/** Reads the program of one gpu: thread blocks, channels, remote buffers, semaphores. */

import type { PlanBuffer } from '../../ir/plan.ts';
import type { JsonReader } from '../../read/plan/json-reader.ts';
import {
  type ChannelType,
  type ExecutionBlock,
  type ExecutionGpu,
  type PairChannelType,
  pairChannelTypes,
  type RemoteBuffer,
  type SwitchChannel,
} from '../execution-plan.ts';
import { type OperationBudget, readBuffer, readIntegers, readOperations } from './operation.ts';
import { withRequired } from './required.ts';

interface Channels {
  readonly memory: number[];
  readonly port: number[];
  readonly switches: SwitchChannel[];
}

const channelTypes = [...pairChannelTypes, 'switch'] as const;

type Chunks = { -readonly [Buffer in PlanBuffer]?: number };

/** The file's keys that differ from the names in this code. */
const spelling = {
  input: 'input_chunks',
  output: 'output_chunks',
  scratch: 'scratch_chunks',
  blocks: 'threadblocks',
  remoteBuffers: 'remote_buffers',
} as const;

/** @throws CccError 'malformed' for missing fields and fields of the wrong type */
export function readGpu(json: JsonReader, budget: OperationBudget): ExecutionGpu {
  const start = json.offset;
  const fields: {
    id?: number;
    blocks?: readonly ExecutionBlock[];
    channels?: Channels;
    remoteBuffers?: readonly RemoteBuffer[];
    semaphores?: readonly number[];
  } & Chunks = {};
  json.object('a gpu', (key) => {
    if (key === 'id') fields.id = json.integer('the id of a gpu', 0);
    else if (key === 'input_chunks') fields.input = json.integer('a number of chunks', 0);
    else if (key === 'output_chunks') fields.output = json.integer('a number of chunks', 0);
    else if (key === 'scratch_chunks') fields.scratch = json.integer('a number of chunks', 0);
    else if (key === 'threadblocks') fields.blocks = readList(json, 'thread blocks', () => readBlock(json, budget));
    else if (key === 'channels') fields.channels = readChannels(json);
    else if (key === 'remote_buffers') fields.remoteBuffers = readList(json, 'buffers', () => readRemoteBuffer(json));
    else if (key === 'semaphores') fields.semaphores = readList(json, 'semaphores', () => readSemaphore(json));
    else json.skip();
  });
  const keys = ['id', 'input', 'output', 'scratch', 'blocks', 'channels', 'remoteBuffers'] as const;
  const { id, input, output, scratch, blocks, channels, remoteBuffers } = withRequired(
    json,
    'a gpu',
    fields,
    keys,
    start,
    spelling,
  );
  return {
    id,
    chunks: { input, output, scratch },
    blocks,
    channels: { memory: channels.memory, port: channels.port },
    switches: channels.switches,
    remoteBuffers,
    semaphores: fields.semaphores ?? [],
    range: json.range(start),
  };
}

function readList<Item>(json: JsonReader, what: string, read: () => Item): readonly Item[] {
  const items: Item[] = [];
  json.list(`a list of ${what}`, () => items.push(read()));
  return items;
}

function readChannels(json: JsonReader): Channels {
  const channels: Channels = { memory: [], port: [], switches: [] };
  json.list('a list of channels', () => {
    const start = json.offset;
    const fields: { type?: ChannelType; peers?: readonly number[]; buffer?: PlanBuffer; groups?: number[][] } = {};
    json.object('channels of a type', (key) => {
      if (key === 'channel_type') fields.type = json.word('a channel type', channelTypes);
      else if (key === 'connected_to') fields.peers = readIntegers(json, 'gpu');
      else if (key === 'buffer_type') fields.buffer = readBuffer(json);
      else if (key === 'rank_groups') fields.groups = readGroups(json);
      else json.skip();
    });
    const { type } = withRequired(json, 'channels', fields, ['type'], start, { type: 'channel_type' });
    if (type === 'switch') {
      const names = { buffer: 'buffer_type', groups: 'rank_groups' };
      const { buffer, groups } = withRequired(json, 'switch channels', fields, ['buffer', 'groups'], start, names);
      for (const ranks of groups) channels.switches.push({ buffer, ranks });
      return;
    }
    const { peers } = withRequired(json, 'channels', fields, ['peers'], start, { peers: 'connected_to' });
    channels[type].push(...peers);
  });
  return channels;
}

function readGroups(json: JsonReader): number[][] {
  const groups: number[][] = [];
  json.list('a list of groups', () => {
    const start = json.offset;
    const fields: { size?: number; ranks?: number[] } = {};
    json.object('a group', (key) => {
      if (key === 'size') fields.size = json.integer('a size', 0);
      else if (key === 'ranks') fields.ranks = [...readIntegers(json, 'gpu')];
      else json.skip();
    });
    groups.push(withRequired(json, 'a group', fields, ['size', 'ranks'], start).ranks);
  });
  return groups;
}

function readRemoteBuffer(json: JsonReader): RemoteBuffer {
  const start = json.offset;
  const fields: { rank?: number; buffer?: PlanBuffer; access?: PairChannelType[] } = {};
  json.object('a remote buffer', (key) => {
    if (key === 'rank') fields.rank = json.integer('a gpu', 0);
    else if (key === 'type') fields.buffer = readBuffer(json);
    else if (key === 'access_channel_types') {
      const access: PairChannelType[] = [];
      json.list('a list of channel types', () => access.push(json.word('a channel type', pairChannelTypes)));
      fields.access = access;
    } else json.skip();
  });
  const names = { buffer: 'type', access: 'access_channel_types' };
  const keys = ['rank', 'buffer', 'access'] as const;
  const { rank, buffer, access } = withRequired(json, 'a remote buffer', fields, keys, start, names);
  return { rank, buffer, access };
}

function readSemaphore(json: JsonReader): number {
  const start = json.offset;
  const fields: { init?: number } = {};
  json.object('a semaphore', (key) => {
    if (key === 'init_value') fields.init = json.integer('a value');
    else json.skip();
  });
  return withRequired(json, 'a semaphore', fields, ['init'], start, { init: 'init_value' }).init;
}

function readBlock(json: JsonReader, budget: OperationBudget): ExecutionBlock {
  const start = json.offset;
  const fields: {
    id?: number;
    operations?: ExecutionBlock['operations'];
    channels?: Record<ChannelType, number[]>;
    remoteBuffers?: Record<PairChannelType, number[]>;
  } = {};
  json.object('a thread block', (key) => {
    if (key === 'id') fields.id = json.integer('the id of a thread block', 0);
    else if (key === 'ops') fields.operations = readOperations(json, budget);
    else if (key === 'channels') fields.channels = readBlockChannels(json);
    else if (key === 'remote_buffer_refs') fields.remoteBuffers = readBufferIds(json);
    else json.skip();
  });
  const names = { operations: 'ops' };
  const keys = ['id', 'operations', 'channels'] as const;
  const { id, operations, channels } = withRequired(json, 'a thread block', fields, keys, start, names);
  const remoteBuffers = fields.remoteBuffers ?? { memory: [], port: [] };
  return { id, operations, channels, remoteBuffers, range: json.range(start) };
}

function readBlockChannels(json: JsonReader): Record<ChannelType, number[]> {
  const channels: Record<ChannelType, number[]> = { memory: [], port: [], switch: [] };
  json.list('a list of channels', () => {
    const start = json.offset;
    const fields: { type?: ChannelType; ids?: readonly number[] } = {};
    json.object('channels of a type', (key) => {
      if (key === 'channel_type') fields.type = json.word('a channel type', channelTypes);
      else if (key === 'channel_ids') fields.ids = readIntegers(json, 'channel id');
      else json.skip();
    });
    const names = { type: 'channel_type', ids: 'channel_ids' };
    const { type, ids } = withRequired(json, 'channels', fields, ['type', 'ids'], start, names);
    channels[type].push(...ids);
  });
  return channels;
}

function readBufferIds(json: JsonReader): Record<PairChannelType, number[]> {
  const buffers: Record<PairChannelType, number[]> = { memory: [], port: [] };
  json.list('a list of remote buffers', () => {
    const start = json.offset;
    const fields: { type?: PairChannelType; ids?: readonly number[] } = {};
    json.object('remote buffers of a type', (key) => {
      if (key === 'access_channel_type') fields.type = json.word('a channel type', pairChannelTypes);
      else if (key === 'remote_buffer_ids') fields.ids = readIntegers(json, 'buffer id');
      else json.skip();
    });
    const names = { type: 'access_channel_type', ids: 'remote_buffer_ids' };
    const { type, ids } = withRequired(json, 'remote buffers', fields, ['type', 'ids'], start, names);
    buffers[type].push(...ids);
  });
  return buffers;
}

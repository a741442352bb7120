/** Reads one operation of an execution plan. */

import type { PlanBuffer } from '../../ir/plan.ts';
import type { JsonReader } from '../../read/plan/json-reader.ts';
import type { ChannelType, ChunkReference, ExecutionOperation } from '../execution-plan.ts';
import { withRequired } from './required.ts';

/** The file's names of buffers. */
const buffers: Readonly<Record<string, PlanBuffer>> = { i: 'input', o: 'output', s: 'scratch' };
const channelTypes = ['memory', 'port', 'switch', 'none'] as const;

/** Counts operations against a limit. */
export interface OperationBudget {
  /** @throws CccError 'limit' if more operations have been read than the limit allows */
  spend(): void;
}

export function readBuffer(json: JsonReader): PlanBuffer {
  return buffers[json.word('a buffer', ['i', 'o', 's'])];
}

/** Returns undefined if the file states that there is no channel. */
function readChannelType(json: JsonReader): ChannelType | undefined {
  const type = json.word('a channel type', channelTypes);
  return type === 'none' ? undefined : type;
}

export function readIntegers(json: JsonReader, what: string): readonly number[] {
  const found: number[] = [];
  json.list(`a list of ${what}s`, () => found.push(json.integer(`a ${what}`, 0)));
  return found;
}

type Fields = { -readonly [Key in keyof ExecutionOperation]?: ExecutionOperation[Key] | undefined };

/** @throws CccError 'malformed' for missing fields and fields of the wrong type; keys that the runtime does not read are ignored */
export function readExecutionOperation(json: JsonReader, budget: OperationBudget, nested = false): ExecutionOperation {
  budget.spend();
  const start = json.offset;
  const fields: Fields = {};
  const loop: { iterations?: { unit: number; chunks: number }; operations?: readonly ExecutionOperation[] } = {};
  const barrier: { id?: number; blocks?: number } = {};
  json.object('an operation', (key) => {
    if (key === 'name') fields.name = json.string("an operation's name");
    else if (key === 'src_buff') fields.sources = readChunks(json);
    else if (key === 'dst_buff') fields.targets = readChunks(json);
    else if (key === 'channel_type') fields.channelType = readChannelType(json);
    else if (key === 'channel_ids') fields.channels = readIntegers(json, 'channel id');
    else if (key === 'tbg_info') fields.share = readShare(json);
    else if (key === 'barrier_id') barrier.id = json.integer('a barrier id', 0);
    else if (key === 'num_threadblocks') barrier.blocks = json.integer('a number of thread blocks', 1);
    else if (key === 'semaphore_ids') fields.semaphores = readIntegers(json, 'semaphore id');
    else if (key === 'iter_context') loop.iterations = readIterations(json);
    else if (key === 'ops' && !nested) loop.operations = readOperations(json, budget, true);
    else json.skip();
  });
  const { name } = withRequired(json, 'an operation', fields, ['name'], start);
  const range = json.range(start);
  if (name === 'barrier') withRequired(json, name, barrier, ['id', 'blocks'], start, barrierSpelling);
  if (name === 'pipeline') withRequired(json, name, loop, ['iterations', 'operations'], start, loopSpelling);
  const { id, blocks } = barrier;
  const { iterations, operations } = loop;
  return {
    name,
    sources: fields.sources ?? [],
    targets: fields.targets ?? [],
    channelType: fields.channelType,
    channels: fields.channels ?? [],
    share: fields.share,
    barrier: id === undefined || blocks === undefined ? undefined : { id, blocks },
    semaphores: fields.semaphores ?? [],
    loop: iterations === undefined || operations === undefined ? undefined : { ...iterations, operations },
    range,
  };
}

const barrierSpelling = { id: 'barrier_id', blocks: 'num_threadblocks' };
const loopSpelling = { iterations: 'iter_context', operations: 'ops' };

export function readOperations(
  json: JsonReader,
  budget: OperationBudget,
  nested = false,
): readonly ExecutionOperation[] {
  const operations: ExecutionOperation[] = [];
  json.list('a list of operations', () => operations.push(readExecutionOperation(json, budget, nested)));
  return operations;
}

function readChunks(json: JsonReader): readonly ChunkReference[] {
  const chunks: ChunkReference[] = [];
  json.list('a list of chunks', () => chunks.push(readChunk(json)));
  return chunks;
}

function readChunk(json: JsonReader): ChunkReference {
  const start = json.offset;
  const fields: { place?: ChunkReference['place']; index?: number; size?: number } = {};
  json.object('a chunk', (key) => {
    if (key === 'type') fields.place ??= { kind: 'local', buffer: readBuffer(json) };
    else if (key === 'buffer_id') fields.place = { kind: 'remote', id: json.integer('a buffer id', 0) };
    else if (key === 'switch_channel_id') fields.place = { kind: 'switch', id: json.integer('a switch channel id', 0) };
    else if (key === 'index') fields.index = json.integer('the index of a chunk', 0);
    else if (key === 'size') fields.size = json.integer('a number of chunks', 0);
    else json.skip();
  });
  const spelling = { place: "type', 'buffer_id' or 'switch_channel_id" };
  const { place, index, size } = withRequired(json, 'a chunk', fields, ['place', 'index', 'size'], start, spelling);
  return { place, index, size };
}

function readShare(json: JsonReader): { readonly block: number; readonly blocks: number } {
  const start = json.offset;
  const fields: { block?: number; blocks?: number } = {};
  json.object('tbg_info', (key) => {
    if (key === 'tb_id') fields.block = json.integer('a place in the group of blocks', 0);
    else if (key === 'tbg_size') fields.blocks = json.integer('a number of blocks', 1);
    else json.skip();
  });
  const spelling = { block: 'tb_id', blocks: 'tbg_size' };
  const { block, blocks } = withRequired(json, 'tbg_info', fields, ['block', 'blocks'], start, spelling);
  return { block, blocks };
}

function readIterations(json: JsonReader): { readonly unit: number; readonly chunks: number } {
  const start = json.offset;
  const fields: { unit?: number; chunks?: number } = {};
  json.object('iter_context', (key) => {
    if (key === 'unit_size') fields.unit = json.integer('a number of bytes', 1, 2 ** 32 - 1);
    else if (key === 'num_chunks') fields.chunks = json.integer('a number of chunks', 0);
    else json.skip();
  });
  const spelling = { unit: 'unit_size', chunks: 'num_chunks' };
  const { unit, chunks } = withRequired(json, 'iter_context', fields, ['unit', 'chunks'], start, spelling);
  return { unit, chunks };
}

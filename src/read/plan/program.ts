/** Reads the program of one rank: its buffers, and its lanes with their operations. */

import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { PlanBuilder, ProgramBuffers } from '../../ir/plan.ts';
import { counted } from '../../ir/units.ts';
import type { JsonReader } from './json-reader.ts';
import { readPlanOperation, type Wait } from './operation.ts';

/** The tables into which all programs of a plan are read. */
export interface PlanParts {
  readonly builder: PlanBuilder;
  readonly limits: Limits;
  /** Whether operations keep their places in the file; for very large plans these would take more memory than the plan. */
  readonly origins: boolean;
  /** By rank. */
  readonly buffers: Map<number, ProgramBuffers>;
}

/** The state of a program while its lanes are read. */
interface Lanes {
  /** By lane id, the builder's handles of the operations. */
  readonly operations: Map<number, number[]>;
  /** Entries of `after`, which are resolved when all lanes have been read. */
  readonly waits: { readonly operation: number; readonly wait: Wait }[];
}

/** @throws CccError 'malformed' for what is missing or wrong, a second program of a rank, or an `after` of nothing */
export function readProgram(json: JsonReader, parts: PlanParts): void {
  const start = json.offset;
  const found: { rank?: number; buffers?: ProgramBuffers; lanes?: 'read' | number } = {};
  json.object('a program', (key) => {
    if (key === 'rank') {
      found.rank = readRank(json, parts);
    } else if (key === 'buffers') {
      found.buffers = readBuffers(json, parts.limits);
    } else if (key !== 'lanes') {
      json.skip();
    } else if (found.rank === undefined) {
      // Operations are stored by rank: lanes that precede `rank` in the file are postponed until it is known.
      found.lanes = json.postpone();
    } else {
      readLanes(json, found.rank, parts);
      found.lanes = 'read';
    }
  });
  const { rank, buffers, lanes } = found;
  if (rank === undefined) throw json.malformed("a program needs 'rank'", start);
  if (buffers === undefined) throw json.malformed(`the program of rank ${rank} needs 'buffers'`, start);
  if (lanes === undefined) throw json.malformed(`the program of rank ${rank} needs 'lanes'`, start);
  if (lanes !== 'read') json.revisit(lanes, () => readLanes(json, rank, parts));
  parts.buffers.set(rank, buffers);
}

function readRank(json: JsonReader, { buffers, limits }: PlanParts): number {
  const start = json.offset;
  const rank = json.integer('a rank', 0);
  if (buffers.has(rank)) throw json.malformed(`rank ${rank} already has a program`, start);
  if (rank >= limits.ranks) {
    throw new CccError('limit', `rank ${rank} is beyond the limit ranks = ${limits.ranks}`, json.range(start));
  }
  return rank;
}

function readBuffers(json: JsonReader, limits: Limits): ProgramBuffers {
  const sizes = { input: 0, output: 0, scratch: 0 };
  const missing = new Set<string>(Object.keys(sizes));
  const start = json.offset;
  json.object('buffers', (key) => {
    if (key !== 'input' && key !== 'output' && key !== 'scratch') return json.skip();
    const sizeStart = json.offset;
    const size = json.integer('a number of chunks', 0);
    if (size > limits.chunks) {
      const message = `${size} chunks of ${key} are more than the limit chunks = ${limits.chunks}`;
      throw new CccError('limit', message, json.range(sizeStart));
    }
    sizes[key] = size;
    missing.delete(key);
  });
  for (const key of missing) throw json.malformed(`buffers need '${key}'`, start);
  return sizes;
}

function readLanes(json: JsonReader, rank: number, parts: PlanParts): void {
  const lanes: Lanes = { operations: new Map(), waits: [] };
  json.list('lanes', () => readLane(json, rank, lanes, parts));
  for (const { operation, wait } of lanes.waits) {
    const operations = lanes.operations.get(wait.lane);
    if (operations === undefined) {
      throw json.malformed(`rank ${rank} has no lane ${wait.lane} to wait for`, wait.start);
    }
    const awaited = operations[wait.index];
    if (awaited === undefined) {
      const message = `lane ${wait.lane} of rank ${rank} has ${counted(operations.length, 'operation')}, none is number ${wait.index}`;
      throw json.malformed(message, wait.start);
    }
    parts.builder.wait(operation, awaited, wait.bulks);
  }
}

function readLane(json: JsonReader, rank: number, lanes: Lanes, parts: PlanParts): void {
  const start = json.offset;
  const found: { id?: number; operations?: 'read' | number } = {};
  json.object('a lane', (key) => {
    if (key === 'id') {
      const idStart = json.offset;
      found.id = json.integer('a lane id', 0);
      if (lanes.operations.has(found.id)) throw json.malformed(`rank ${rank} already has a lane ${found.id}`, idStart);
    } else if (key !== 'ops') {
      json.skip();
    } else if (found.id === undefined) {
      found.operations = json.postpone();
    } else {
      readOperations(json, rank, found.id, lanes, parts);
      found.operations = 'read';
    }
  });
  const { id, operations } = found;
  if (id === undefined) throw json.malformed("a lane needs 'id'", start);
  if (operations === undefined) throw json.malformed(`lane ${id} of rank ${rank} needs 'ops'`, start);
  if (operations !== 'read') json.revisit(operations, () => readOperations(json, rank, id, lanes, parts));
}

function readOperations(json: JsonReader, rank: number, id: number, lanes: Lanes, parts: PlanParts): void {
  const { builder, limits } = parts;
  const lane = builder.openLane(rank, id);
  const handles: number[] = [];
  lanes.operations.set(id, handles);
  json.list('operations', () => {
    const { operation, after, start } = readPlanOperation(json);
    if (builder.operationCount >= limits.operations) {
      throw new CccError(
        'limit',
        `more operations than the limit operations = ${limits.operations}`,
        json.range(start),
      );
    }
    const handle = builder.add(lane, parts.origins ? { ...operation, origin: json.range(start) } : operation);
    handles.push(handle);
    for (const wait of after) lanes.waits.push({ operation: handle, wait });
  });
}

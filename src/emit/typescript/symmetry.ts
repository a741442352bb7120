/**
 * Finds one program for all ranks, if the plan is symmetric: rank r does what rank 0 does, with peers and shards shifted by r. For some shape, ranks
 * are coordinates that are added axis by axis, and every axis wraps around (`TranslationGroup`).
 */
import { collectiveFacts } from '../../ir/collective.ts';
import { isShifted } from '../../ir/compact.ts';
import type { Plan, Slice } from '../../ir/plan.ts';
import { shapesOf, TranslationGroup } from '../../ir/translation-group.ts';
import { emitLimits } from '../limits.ts';
import type { EmittedLane, LaneOperation, OwnChunks } from './lanes.ts';

/** The program of rank 0, and the shape and blocks by which it applies to other ranks. */
export interface SharedProgram {
  readonly shape: readonly number[];
  readonly blocks: OwnChunks;
  readonly lanes: readonly EmittedLane[];
}

/** The program that all ranks share, shifted; undefined if there is none. `programs[rank]` as `lanesOf` returns them. */
export function sharedProgram(plan: Plan, programs: readonly (readonly EmittedLane[])[]): SharedProgram | undefined {
  const { ranks } = plan.collective;
  if (ranks < 3 || collectiveFacts[plan.collective.kind].rooted || plan.collective.counts !== undefined)
    return undefined;
  if (plan.buffers.some(({ scratch }) => scratch !== plan.buffers[0].scratch)) return undefined;
  const blocks = blocksOf(plan);
  const split = programs.map((lanes) => lanes.map((lane) => splitCopies(lane, blocks)));
  for (const shape of shapesOf(ranks)) {
    if (shape.length > emitLimits.axes) break;
    const group = new TranslationGroup(shape);
    const lanes = relativeProgram(split[0], 0, group, blocks);
    if (lanes === undefined) return undefined;
    const names = laneNames(split[0], 0, group);
    const wanted = withSlotsNamed(lanes);
    const alike = (_: unknown, rank: number): boolean =>
      withSlotsNamed(relativeProgram(split[rank], rank, group, blocks, names)) === wanted;
    if (split.every(alike)) return { shape, blocks, lanes };
  }
  return undefined;
}

/** The blocks of chunks that belong to each rank: shards, or the parts of a vector that is reduced. */
function blocksOf({ collective }: Plan): OwnChunks {
  const { kind, ranks, chunks } = collective;
  if (kind === 'allreduce') {
    return chunks % ranks === 0 ? { input: chunks / ranks, output: chunks / ranks } : {};
  }
  return {
    ...(isShifted(collective, 'input') ? { input: chunks } : {}),
    ...(isShifted(collective, 'output') ? { output: chunks } : {}),
  };
}

/**
 * Cuts the copies of a lane at the boundaries of blocks, if it does nothing else and waits for nothing. Operations that wait for one of its copies
 * then wait for all.
 */
function splitCopies(lane: EmittedLane, blocks: OwnChunks): EmittedLane {
  return isCopies(lane) ? lane.flatMap((copy) => splitCopy(copy, blocks)) : lane;
}

function splitCopy(copy: LaneOperation, blocks: OwnChunks): readonly LaneOperation[] {
  const { src, dst } = copy;
  if (src === undefined || dst === undefined) return [copy];
  const toEdge = (slice: Slice, done: number): number => {
    const size = blockSize(blocks, slice);
    return size === undefined ? Number.POSITIVE_INFINITY : size - ((slice.offset + done) % size);
  };
  const pieces: LaneOperation[] = [];
  for (let done = 0; done < src.count; ) {
    const count = Math.min(src.count - done, toEdge(src, done), toEdge(dst, done));
    const part = (slice: Slice): Slice => ({ ...slice, offset: slice.offset + done, count });
    pieces.push({ ...copy, src: part(src), dst: part(dst) });
    done += count;
  }
  return pieces;
}

function isCopies(lane: EmittedLane): boolean {
  return lane.every(({ op, after }) => op === 'copy' && after.length === 0);
}

/**
 * The lanes with peers and blocks relative to the rank, in the order of the given names (by default its own). Undefined if a slice spans several
 * blocks, or if the names of the lanes differ.
 */
function relativeProgram(
  lanes: readonly EmittedLane[],
  rank: number,
  group: TranslationGroup,
  blocks: OwnChunks,
  order = laneNames(lanes, rank, group),
): readonly EmittedLane[] | undefined {
  const back = group.translation(group.negate(rank));
  const rows = laneNames(lanes, rank, group).map((name) => order.indexOf(name));
  if (lanes.length !== order.length || new Set(rows).size < rows.length || rows.includes(-1)) return undefined;
  const program: EmittedLane[] = [];
  for (const [index, lane] of lanes.entries()) {
    const operations: LaneOperation[] = [];
    const seen = new Map<string, number>();
    for (const operation of lane) {
      const src = relativeSlice(operation.src, blocks, back);
      const dst = relativeSlice(operation.dst, blocks, back);
      if (src === null || dst === null) return undefined;
      const peer = operation.peer === undefined ? undefined : back(operation.peer);
      operations.push({ ...operation, peer, src, dst, after: relativeWaits(operation, lanes, rows, seen) });
    }
    if (isCopies(lane)) operations.sort((a, b) => firstChunk(a) - firstChunk(b));
    program[rows[index]] = operations;
  }
  return program;
}

/** The first chunk of the operand that is not scratch, since ranks number slots of scratch differently. */
function firstChunk({ src, dst }: LaneOperation): number {
  return (src?.buffer === 'scratch' ? dst : src)?.offset ?? 0;
}

/** A program as text, with slots of scratch numbered in the order of their first use, so that texts do not depend on the original numbers. */
function withSlotsNamed(lanes: readonly EmittedLane[] | undefined): string | undefined {
  const names = new Map<number, number>();
  const nameOf = (slot: number): number => {
    const name = names.get(slot) ?? names.size;
    names.set(slot, name);
    return name;
  };
  const named = (slice: Slice | undefined): Slice | readonly number[] | undefined =>
    slice?.buffer === 'scratch' ? Array.from({ length: slice.count }, (_, i) => nameOf(slice.offset + i)) : slice;
  if (lanes === undefined) return undefined;
  return JSON.stringify(lanes.map((lane) => lane.map((o) => ({ ...o, src: named(o.src), dst: named(o.dst) }))));
}

/** The slice relative to the rank; null if it spans several blocks. */
function relativeSlice(
  slice: Slice | undefined,
  blocks: OwnChunks,
  back: (rank: number) => number,
): Slice | undefined | null {
  const size = slice === undefined ? undefined : blockSize(blocks, slice);
  if (slice === undefined || size === undefined) return slice;
  const block = Math.floor(slice.offset / size);
  const within = slice.offset - block * size;
  return within + slice.count > size ? null : { ...slice, offset: back(block) * size + within };
}

/**
 * The dependencies of an operation, without those that an earlier operation of its lane has waited for. `seen` has the last awaited index of each
 * lane.
 */
function relativeWaits(
  { after }: LaneOperation,
  lanes: readonly EmittedLane[],
  rows: readonly number[],
  seen: Map<string, number>,
): LaneOperation['after'] {
  const waits: LaneOperation['after'][number][] = [];
  for (const { lane, index, bulks } of after) {
    const wait = { lane: rows[lane], index: isCopies(lanes[lane]) ? lanes[lane].length - 1 : index, bulks };
    const name = `${wait.lane} ${bulks}`;
    if ((seen.get(name) ?? -1) >= wait.index) continue;
    seen.set(name, wait.index);
    waits.push(wait);
  }
  return waits.sort((a, b) => a.lane - b.lane || a.index - b.index || a.bulks - b.bulks);
}

/** Names lanes by the first connection that they serve, relative to the rank, and local lanes by their index among these. */
function laneNames(lanes: readonly EmittedLane[], rank: number, group: TranslationGroup): readonly string[] {
  const back = group.translation(group.negate(rank));
  let local = 0;
  return lanes.map((lane) => {
    const first = lane.find(({ peer }) => peer !== undefined);
    if (first?.peer === undefined) return `local ${local++}`;
    return `${first.op === 'send' ? 'to' : 'from'} ${back(first.peer)} channel ${first.channel}`;
  });
}

export function blockSize(blocks: OwnChunks, { buffer }: Slice): number | undefined {
  return buffer === 'scratch' ? undefined : blocks[buffer];
}

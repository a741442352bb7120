/** What a run leaves behind: without races every run leaves what this one does. */
import { bytesOf, type Memory, wanted } from './form.ts';
import type { Order } from './order.ts';
import { type Collective, isWhole, need } from './plan.ts';

/** Values are trees of reductions over leaves, each distinct tree once, so that equal values have equal numbers. */
function valuesOf({ kind, op, ordered }: Collective) {
  const keepsOrder = (ordered && kind !== 'barrier') || kind === 'scan' || kind === 'exscan';
  const reduces = ['allreduce', 'reducescatter', 'reduce', 'scan', 'exscan', 'custom'].includes(kind);
  // In a list with an order of its own repeats are not harmless: x ⊕ y ⊕ x is not x ⊕ y.
  const isIdempotent = reduces && !(keepsOrder && kind === 'custom') && !['sum', 'prod', 'xor'].includes(op);
  const mayRepeat = isIdempotent || kind === 'barrier';
  let steps = 0;
  const step = (): void => need(steps++ < 2 ** 30, 'results of more than 2 ** 30 steps', 'limit');
  /** By value its bytes, for reductions its operands, and chains of the reductions with the same one on the left. */
  const [bytes, left, right, newest, older]: number[][] = [[], [], [], [], []];
  const combine = (x: number, y: number): number => {
    if (x === y && mayRepeat) return x;
    const [a, b] = keepsOrder || x <= y ? [x, y] : [y, x];
    for (let v = newest[a]; v !== undefined; v = older[v], step()) if (right[v] === b) return v;
    const value = bytes.push(bytes[a]) - 1;
    [older[value], newest[a], left[value], right[value]] = [newest[a], value, a, b];
    return value;
  };
  /** What stands beside itself counts once if that is harmless, and what stands anywhere if order does not matter either. */
  const listed = (leaves: number[]): string => {
    if (!keepsOrder) leaves.sort((a, b) => a - b);
    return leaves.filter((leaf, i) => !mayRepeat || leaf !== leaves[i - 1]).join();
  };
  /** Whether a value is of these leaves, each as often unless repeats are harmless, and in this order where that matters. */
  const holds = (value: number, leaves: readonly number[]): boolean => {
    const [found, seen, open]: [number[], Set<number>, number[]] = [[], new Set(), [value]];
    for (let next = open.pop(); next !== undefined && (mayRepeat || found.length <= leaves.length); next = open.pop()) {
      step();
      if (seen.has(next)) continue;
      if (mayRepeat && !keepsOrder) seen.add(next);
      if (left[next] === undefined) found.push(next);
      else open.push(right[next], left[next]);
    }
    return listed(found) === listed([...leaves]);
  };
  return { bytes, combine, holds };
}

/**
 * Whether all ranks combine each chunk with the same tree; undefined where nothing is reduced.
 * @param mayBeEmpty whether memory that nothing has written may be read; what that brings is nothing that anybody asks for
 */
export function resultOf({ plan, count, cells: length, happening }: Order, memory: Memory, mayBeEmpty: boolean) {
  const { collective, ops, buffers } = plan;
  const { bytes, combine, holds } = valuesOf(collective);
  const [cells, room] = [new Int32Array(length).fill(-1), new Float64Array(length).fill(Number.POSITIVE_INFINITY)];
  /** Chunk c of rank r's input is value `firstLeaf[r] + c`; then comes one that nobody asks for, and reductions. */
  const firstLeaf: number[] = [];
  for (const [rank, { input, output }] of buffers.entries()) {
    const [inputAt, outputAt] = memory.starts[rank];
    for (let slot = 0; slot < output; slot++) room[outputAt + slot] = bytesOf(collective, 1, rank, slot);
    firstLeaf.push(bytes.length);
    for (let slot = 0; slot < input; slot++) {
      const [cell, size] = [inputAt + slot, bytesOf(collective, 0, rank, slot)];
      // In place, two ranks of an alltoall swap as many bytes.
      need(room[cell] === size || room[cell] === Number.POSITIVE_INFINITY, 'counts in place');
      room[cell] = size;
      cells[cell] = bytes.push(size) - 1;
    }
  }
  const unasked = bytes.push(0) - 1;
  const held = (cell: number, o: number): number => {
    need(mayBeEmpty || cells[cell] >= 0, 'reads what nothing has written', 'uninitialised', o);
    return cells[cell] < 0 ? unasked : cells[cell];
  };
  for (const o of happening) {
    if (o >= count) continue;
    const reduces = ops.kind[o] === 1 || ops.kind[o] === 4;
    for (let i = 0, cell = memory.target[o]; i < memory.size[o]; i++, cell++) {
      let value = held(memory.source[o] + i, o);
      if (reduces) value = ops.receivedFirst[o] === 1 ? combine(value, held(cell, o)) : combine(held(cell, o), value);
      // Where shards differ in size, something is cut off of a chunk that does not fit.
      cells[cell] = bytes[value] > room[cell] ? unasked : value;
    }
  }
  /** By name of what is wanted, the value that was first found to be it. */
  const accepted = new Map<string, number>();
  let isSame: boolean | undefined;
  for (const [rank, { output }] of buffers.entries()) {
    for (let slot = 0; slot < output; slot++) {
      const value = cells[memory.starts[rank][1] + slot];
      const want = wanted(collective, rank, slot);
      if (want === undefined || accepted.get(want.name) === value) continue;
      const parts = want.parts();
      const areThere = parts.every((part) => isWhole(part.chunk, 0, (buffers[part.rank]?.input ?? 0) - 1));
      need(areThere && parts.length > 0, `output[${slot}] of rank ${rank} combines no input`);
      const leaves = parts.map((part) => firstLeaf[part.rank] + part.chunk);
      need(holds(value, leaves), `output[${slot}] of rank ${rank}`, 'wrong-result');
      if (leaves.length > 1 && buffers.length > 1) isSame = isSame !== false && !accepted.has(want.name);
      if (!accepted.has(want.name)) accepted.set(want.name, value);
    }
  }
  return isSame === false ? collective.op !== 'sum' && collective.op !== 'prod' : isSame;
}

/** A barrier: nobody leaves before everybody has entered. What comes before a node is combined as a reduction would be. */
export function checkBarrier({ plan, count, after, run }: Order, { rankOf }: Memory): void {
  const { bytes, combine, holds } = valuesOf(plan.collective);
  const ranks = plan.buffers.map(() => bytes.push(0) - 1);
  const [known, left]: number[][] = [[], [...ranks]];
  for (const node of run) {
    if (node >= 3 * count) continue;
    const rank = rankOf[Math.floor(node / 3)];
    known[node] = combine(known[node] ?? rank, rank);
    left[rank] = combine(left[rank], known[node]);
    for (let edge = after.newest[node]; edge >= 0; edge = after.older[edge]) {
      const later = after.value[edge];
      known[later] = combine(known[later] ?? known[node], known[node]);
    }
  }
  const early = left.findIndex((value) => !holds(value, ranks));
  need(early < 0, `rank ${early} can leave before every rank has entered`, 'wrong-result');
}

/**
 * What a run leaves behind. Values are trees of reductions over input chunks, each distinct tree once, so that equal values have equal
 * numbers. Without races every run leaves what this one does.
 */

import { bytesOf, memoryOf, wanted } from './collective.ts';
import type { Memory } from './form.ts';
import type { Order } from './order.ts';
import { Refusal } from './plan.ts';

/** Numbers of values stay below, so that two of them make a key. */
const mostValues = 2 ** 26;
const reducing = ['allreduce', 'reducescatter', 'reduce', 'scan', 'exscan', 'custom'];

/**
 * Whether all ranks combine each chunk with the same tree; undefined where nothing is reduced.
 * @param unwritten whether it is refused to read memory that nothing has written (`empty`), or that brings what nobody asks for
 * @throws Refusal 'uninitialised' or 'wrong-result'
 */
export function resultOf(order: Order, memory: Memory, run: Int32Array, unwritten: 'empty' | 'unknown') {
  const { collective, ops } = order.plan;
  const { kind, ranks, op, counts } = collective;
  const keepsOrder = collective.ordered || kind === 'scan' || kind === 'exscan';
  const isIdempotent = reducing.includes(kind) && ['max', 'min', 'and', 'or'].includes(op);
  const cells = new Int32Array(memory.first[ranks]).fill(-1);
  /** Chunk c of rank r's input is value `firstLeaf[r] + c`; then come two that nobody asks for, and reductions. */
  const firstLeaf = [0];
  const [left, right, known]: [number[], number[], Map<number, number>] = [[], [], new Map()];
  /** Bytes that cells have room for and that values take, where shards differ in size. */
  const [room, bytes]: [number[], number[]] = [[], []];
  for (let rank = 0; rank < ranks; rank++) {
    const { input, output } = memoryOf(collective, rank);
    for (let slot = 0; slot < input; slot++) cells[memory.buffers[0][rank] + slot] = firstLeaf[rank] + slot;
    for (const side of counts === undefined ? [] : ([0, 1] as const)) {
      for (let slot = 0; slot < [input, output][side]; slot++) {
        const size = bytesOf(collective, side, rank, slot);
        room[memory.buffers[side][rank] + slot] = size;
        if (side === 0) bytes.push(size);
      }
    }
    firstLeaf.push(firstLeaf[rank] + input);
  }
  const [unknown, cutOff, reductions] = [firstLeaf[ranks], firstLeaf[ranks] + 1, firstLeaf[ranks] + 2];
  bytes.push(0, 0);

  const combine = (x: number, y: number): number => {
    if (x === y && isIdempotent) return x;
    const [a, b] = keepsOrder || x <= y ? [x, y] : [y, x];
    const value = known.get(a * mostValues + b) ?? reductions + left.length;
    if (value < reductions + left.length) return value;
    if (value >= mostValues) throw new Refusal('limit', `more than ${mostValues} different values`);
    known.set(a * mostValues + b, value);
    left.push(a);
    right.push(b);
    bytes.push(bytes[a]);
    return value;
  };
  const held = (value: number, o: number): number => {
    if (value >= 0) return value;
    if (unwritten === 'unknown') return unknown;
    throw new Refusal('uninitialised', `${order.name(o)} reads what nothing has written`);
  };
  const messages = new Map<number, Int32Array>();
  for (const o of run) {
    if (o >= order.count) continue;
    const incoming =
      messages.get(order.partner[o]) ?? cells.subarray(memory.source[o], memory.source[o] + ops.srcCount[o]);
    const values = incoming.map((value) => held(value, o));
    if (ops.kind[o] === 2) messages.set(o, values);
    else messages.delete(order.partner[o]);
    for (let i = 0, cell = memory.target[o]; ops.kind[o] !== 2 && i < values.length; i++, cell++) {
      const reduces = ops.kind[o] === 1 || ops.kind[o] === 4;
      const operands = ops.receivedFirst[o] === 1 ? [values[i], cells[cell]] : [cells[cell], values[i]];
      const value = reduces ? combine(held(operands[0], o), held(operands[1], o)) : values[i];
      // Of a chunk that does not fit something is cut off.
      cells[cell] = bytes[value] > room[cell] ? cutOff : value;
    }
  }

  /** The leaves of a value from left to right, those of a node once if `distinct`, and no more than `most` and one. */
  const leavesOf = (value: number, most: number, distinct: boolean): number[] => {
    const [found, seen, open]: [number[], Set<number>, number[]] = [[], new Set(), [value]];
    for (let next = open.pop(); next !== undefined && found.length <= most; next = open.pop()) {
      if (distinct && seen.has(next)) continue;
      if (distinct) seen.add(next);
      if (next < reductions) found.push(next);
      else open.push(right[next - reductions], left[next - reductions]);
    }
    return found;
  };
  /** The same contributions, as often unless repeats are harmless, and in order where that matters. */
  const holds = (value: number, leaves: number[]): boolean => {
    // In a list with an order of its own repeats are not harmless: x ⊕ y ⊕ x is not x ⊕ y.
    const mayRepeat = isIdempotent && !(keepsOrder && kind === 'custom');
    // In rank order only neighbours can be alike, so that k reductions have at most k + 1 leaves.
    const most = !mayRepeat ? leaves.length : keepsOrder ? left.length + 1 : Number.POSITIVE_INFINITY;
    const found = leavesOf(value, most, mayRepeat && !keepsOrder);
    if (!keepsOrder) for (const list of [found, leaves]) list.sort((a, b) => a - b);
    const once = (list: readonly number[]) => list.filter((leaf, i) => !mayRepeat || leaf !== list[i - 1]);
    return once(found).join() === once(leaves).join();
  };
  const [accepted, trees]: [Map<number, string>, Map<string, number>] = [new Map(), new Map()];
  let isSame = true;
  for (let rank = 0; rank < ranks; rank++) {
    const { output } = memoryOf(collective, rank);
    for (let slot = 0; slot < output; slot++) {
      const value = cells[memory.buffers[1][rank] + slot];
      const want = wanted(collective, rank, slot);
      if (want === undefined || accepted.get(value) === want.name) continue;
      const leaves = want.parts().map((part) => firstLeaf[part.rank] + part.chunk);
      if (!holds(value, leaves)) {
        throw new Refusal('wrong-result', `output[${slot}] of rank ${rank} is not what it should be`);
      }
      accepted.set(value, want.name);
      if (leaves.length > 1) isSame &&= (trees.get(want.name) ?? value) === value;
      if (leaves.length > 1) trees.set(want.name, value);
    }
  }
  return trees.size === 0 || ranks === 1 ? undefined : isSame || (op !== 'sum' && op !== 'prod');
}

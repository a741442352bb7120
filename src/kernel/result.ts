/** What a run leaves behind: without races every run leaves what this one does. */
import type { Order } from './order.ts';
import { type Collective, isWhole, need } from './plan.ts';

/** Values are trees of reductions over leaves, each distinct tree once, so that equal values have equal numbers. */
function valuesOf({ kind, op, ordered }: Collective) {
  const keepsOrder = ordered || kind === 'scan' || kind === 'exscan';
  const reduces = ['allreduce', 'reducescatter', 'reduce', 'scan', 'exscan', 'custom'].includes(kind);
  // In a list with an order of its own repeats are not harmless: x ⊕ y ⊕ x is not x ⊕ y.
  const mayRepeat = reduces && !(keepsOrder && kind === 'custom') && !['sum', 'prod', 'xor'].includes(op);
  let steps = 0;
  const step = (): void => need(steps++ < 2 ** 30, 'results of more than 2 ** 30 steps', 'limit');
  // By value its bytes, for reductions its operands, and chains of the reductions with the same one on the left.
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
  /** Whether a value is of the leaves first + offset, each as often unless repeats are harmless, and in this order where that matters. */
  const holds = (value: number, firsts: readonly number[], offset: number): boolean => {
    const [found, seen, open]: [number[], Set<number>, number[]] = [[], new Set(), [value]];
    for (let next = open.pop(); next !== undefined && (mayRepeat || found.length <= firsts.length); next = open.pop()) {
      step();
      if (seen.has(next)) continue;
      if (mayRepeat && !keepsOrder) seen.add(next);
      if (left[next] === undefined) found.push(next);
      else open.push(right[next], left[next]);
    }
    return listed(found) === listed(firsts.map((first) => first + offset));
  };
  return { reduces, bytes, combine, holds };
}
/** Whether all ranks combine each chunk with the same tree; undefined where nothing is reduced. */
export function resultOf(order: Order, mayBeEmpty: boolean): boolean | undefined {
  const { ops, buffers, count, shardsOf, starts, source, target, size, withMessages } = order;
  const { kind, ranks, chunks, op, ordered, counts, custom } = order.collective;
  const { reduces, bytes, combine, holds } = valuesOf(order.collective);
  const unasked = bytes.push(0) - 1;
  const cells = new Int32Array(withMessages).fill(mayBeEmpty ? unasked : -1);
  const room = new Float64Array(withMessages).fill(Number.POSITIVE_INFINITY);
  const bytesOf = (slot: number, shards: readonly number[]): number => counts?.[shards[Math.floor(slot / chunks)]] ?? 0;
  const [firstLeaf, named]: number[][] = [[], []]; // values of first chunks: by rank, and by name of shard on the first rank that has it
  for (const [rank, { input, output }] of buffers.entries()) {
    const [[inputAt, outputAt], [inputs, outputs]] = [starts[rank], shardsOf(rank)];
    for (let slot = 0; slot < output; slot++) room[outputAt + slot] = bytesOf(slot, outputs);
    firstLeaf.push(bytes.length);
    for (const [i, name] of inputs.entries()) named[name] ??= bytes.length + i * chunks;
    for (let slot = 0; slot < input; slot++) {
      const [cell, most] = [inputAt + slot, bytesOf(slot, inputs)];
      need(room[cell] === most || room[cell] === Number.POSITIVE_INFINITY, 'counts in place'); // ranks swap as many bytes
      [cells[cell], room[cell]] = [bytes.push(most) - 1, most];
    }
  }
  for (const o of order.happening.filter((event) => event < count)) {
    const isReduction = ops.kind[o] === 1 || ops.kind[o] === 4;
    for (let i = 0, cell = target[o]; i < size[o]; i++, cell++) {
      const [got, held] = [cells[source[o] + i], cells[cell]];
      need(got >= 0 && (held >= 0 || !isReduction), 'reads what nothing has written', 'uninitialised', o);
      const value = isReduction ? (ops.receivedFirst[o] === 1 ? combine(got, held) : combine(held, got)) : got;
      cells[cell] = bytes[value] > room[cell] ? unasked : value; // of a chunk that does not fit something is cut off
    }
  }
  const accepted = new Map<string, number>(); // by what is wanted, the value that was first found to be it
  let isSame: boolean | undefined;
  for (const [rank, { output }] of buffers.entries()) {
    const last = kind === 'scan' ? rank + 1 : kind === 'exscan' ? rank : reduces ? ranks : 1;
    const [, outputs] = shardsOf(rank);
    for (let slot = 0; slot < output; slot++) {
      const [value, shard, chunk] = [cells[starts[rank][1] + slot], outputs[Math.floor(slot / chunks)], slot % chunks];
      const parts = custom?.results[rank]?.at(slot);
      if (custom ? !parts : last === 0 || counts?.[shard] === 0) continue; // it may hold anything
      const names = parts?.map((part) => `${part.rank}:${part.chunk}`) ?? [shard, chunk, last];
      const name = (custom && !ordered ? names.sort() : names).join();
      if (accepted.get(name) === value) continue;
      const areThere = (parts ?? []).every((part) => isWhole(part.chunk, 0, (buffers[part.rank]?.input ?? 0) - 1));
      need(areThere && names.length > 0, `output[${slot}] of rank ${rank} combines no input`);
      const firsts = parts?.map((part) => firstLeaf[part.rank] + part.chunk) ?? firstLeaf.slice(0, last);
      need(
        holds(value, firsts, parts ? 0 : named[shard] + chunk - firstLeaf[0]),
        `output[${slot}] of rank ${rank}`,
        'wrong-result',
      );
      if (firsts.length > 1 && ranks > 1) isSame = isSame !== false && !accepted.has(name);
      if (!accepted.has(name)) accepted.set(name, value);
    }
  }
  return isSame === false ? op !== 'sum' && op !== 'prod' : isSame;
}
/** Nobody leaves a barrier before everybody has entered: something that each rank does comes before something that each other rank does. */
export function checkBarrier({ buffers, rankOf, count, width, first, before, run }: Order): void {
  need(run.length * buffers.length <= 2 ** 36, 'a barrier of too many operations and ranks', 'limit');
  const [own, everybody] = [buffers.map((_, rank) => 1n << BigInt(rank)), (1n << BigInt(buffers.length)) - 1n];
  const [entered, left]: bigint[][] = [[], [...own]]; // as bits the ranks that have entered when a node runs, and when a rank leaves
  for (const node of run.filter((one) => one < width * count)) {
    const rank = rankOf[Math.floor(node / width)];
    entered[node] = own[rank];
    for (let e = first[node]; e < first[node + 1]; e++) entered[node] |= entered[before[e]];
    left[rank] |= entered[node];
  }
  for (const [rank, ranks] of left.entries()) need(ranks === everybody, `rank ${rank} can leave early`, 'wrong-result');
}

/** What a collective asks for (docs/collectives.md), whether a plan of it is well formed, which the rest relies on, and where all lies. */
import { type Collective, isWhole, need, type Parts, type Tables } from './plan.ts';

type Wants = (slot: number, rank: number, c: Collective) => readonly [chunk: number, rank: number, last?: number];
const shardOf: Wants = (slot, _, { chunks }) => [slot % chunks, Math.floor(slot / chunks)];
/** Input and output: one shard of C chunks, or all N, perhaps at the root alone; and which chunk of which ranks an output slot combines. */
const kinds: Readonly<Record<string, readonly [input: string, output: string, wants: Wants]>> = {
  allgather: ['one', 'all', shardOf],
  gather: ['one', 'all at root', shardOf],
  alltoall: ['all', 'all', (slot, rank, { chunks }) => [rank * chunks + (slot % chunks), Math.floor(slot / chunks)]],
  broadcast: ['one at root', 'one', (slot, _, { root }) => [slot, root]],
  scatter: ['all at root', 'one', (slot, rank, { root, chunks }) => [rank * chunks + slot, root]],
  reducescatter: ['all', 'one', (slot, rank, { ranks, chunks }) => [rank * chunks + slot, 0, ranks - 1]],
  allreduce: ['one', 'one', (slot, _, { ranks }) => [slot, 0, ranks - 1]],
  reduce: ['one', 'one at root', (slot, _, { ranks }) => [slot, 0, ranks - 1]],
  scan: ['one', 'one', (slot, rank) => [slot, 0, rank]],
  exscan: ['one', 'one', (slot, rank) => [slot, 0, rank - 1]],
};

/** The chunks of a rank's input and output, and where in its memory they and scratch begin: in place the smaller lies in the larger. */
function memoryOf({ kind, ranks, chunks, root, custom, inPlace }: Collective, rank: number): readonly number[] {
  const sizeOf = (extent: string): number =>
    extent.endsWith('root') && rank !== root ? 0 : chunks * (extent.startsWith('all') ? ranks : 1);
  const [inputs, outputs] = kinds[kind] ?? [];
  const input = inputs ? sizeOf(inputs) : (custom?.input[rank] ?? 1);
  const output = outputs ? sizeOf(outputs) : (custom?.output[rank] ?? 0);
  if (!inPlace || input === 0 || output === 0) return [input, output, 0, input, input + output];
  const at = custom ? (custom.inputAt?.[rank] ?? 0) : Math.sign(output - input) * rank * chunks;
  need(isWhole(at, -input, output), `where the input of rank ${rank} lies`);
  return [
    input,
    output,
    Math.max(0, at),
    Math.max(0, -at),
    Math.max(input + Math.max(0, at), output + Math.max(0, -at)),
  ];
}

/** Bytes of the shard that a slot of a rank's input (0) or output (1) belongs to, where shards differ in size; otherwise 0. */
export function bytesOf({ kind, ranks, chunks, counts }: Collective, side: 0 | 1, rank: number, slot: number): number {
  const shard = Math.floor(slot / chunks);
  if (kind === 'alltoall') return counts?.[side === 0 ? rank * ranks + shard : shard * ranks + rank] ?? 0;
  return counts?.[kinds[kind][side].startsWith('all') ? shard : rank] ?? 0;
}

/** The input chunks that an output slot must combine, in order, and a name for them; undefined if anything will do. */
export function wanted(c: Collective, rank: number, slot: number): { name: string; parts: () => Parts } | undefined {
  if (c.custom !== undefined) {
    const parts = c.custom.results[rank]?.at(slot);
    const names = parts?.map((part) => `${part.rank}:${part.chunk}`) ?? [];
    return parts ? { name: (c.ordered ? names : names.sort()).join(' '), parts: () => parts } : undefined;
  }
  const [chunk, first, last = first] = kinds[c.kind][2](slot, rank, c);
  if (last < first || (c.counts !== undefined && bytesOf(c, 1, rank, slot) === 0)) return undefined;
  const parts = () => Array.from({ length: last - first + 1 }, (_, i) => ({ rank: first + i, chunk }));
  return { name: `${chunk} ${first} ${last}`, parts };
}

function checkCollective({ kind, ranks, chunks, root, op, counts, custom, inPlace }: Collective): void {
  const [isKnown, areSizes] = [Object.hasOwn(kinds, kind), isWhole(ranks, 1, 2 ** 20) && isWhole(chunks, 1)];
  need((isKnown || kind === 'barrier' || kind === 'custom') && areSizes && isWhole(root, 0, ranks - 1), 'collective');
  need('sum prod max min and or xor minloc maxloc'.split(' ').includes(op), 'op');
  need((kind === 'custom') === (custom !== undefined), 'a custom collective, and no other, states a condition');
  if (custom !== undefined) {
    const { input, output, inputAt = input, results } = custom;
    const areLists = [input, output, inputAt].every(({ length }) => length === ranks);
    need(areLists && [...input, ...output].every((size) => isWhole(size, 0)), 'custom');
    // Output slots that there are combine input chunks that there are, at least one.
    for (const [rank, slots] of results.entries()) {
      for (let slot = 0; slot < slots.length; slot++) {
        const parts = slots.at(slot) ?? undefined;
        const isThere = parts?.every((from) => isWhole(from.chunk, 0, (input[from.rank] ?? 0) - 1)) && parts.length > 0;
        need(parts === undefined || (isThere === true && slot < output[rank]), `output[${slot}] of rank ${rank}`);
      }
    }
  }
  if (counts === undefined) return;
  const isTaken = isKnown && kinds[kind].slice(0, 2).join().includes('all');
  const [rows, isSwap] = [kind === 'alltoall' ? ranks : 1, kind === 'alltoall' && inPlace];
  // In place, two ranks of an alltoall swap as many bytes.
  const other = (i: number): number => (isSwap ? (i % ranks) * ranks + Math.floor(i / ranks) : i);
  const areBytes = counts.every((bytes, i) => isWhole(bytes, 0) && bytes === counts[other(i)]);
  need(isTaken && counts.length === rows * ranks && areBytes, 'counts');
}

/**
 * One bulk's memory as one row of cells: slot 0 of rank r's input, output and scratch is cell `starts[0 … 2][r]`, and its memory ends before
 * `ends[r]`. Operation o reads from cell `source[o]` on and writes from `target[o]` on; messages get cells of their own behind these.
 * @param most the most chunks that buffers may hold, and that operations may touch
 */
export function layOut({ collective, ops, firstLane, firstOp, bulks, scratchPerBulk, buffers }: Tables, most: number) {
  checkCollective(collective);
  need(isWhole(bulks, 1, 2 ** 28) && isWhole(scratchPerBulk, 1), 'bulks or scratchPerBulk');
  need(buffers.length === collective.ranks, 'the number of programs');
  const [source, target, laneOf, rankOf] = [0, 1, 2, 3].map(() => new Int32Array(ops.kind.length));
  const [ends, ...starts] = [0, 1, 2, 3].map(() => new Int32Array(collective.ranks));
  let [cells, touched] = [0, 0];
  for (const [rank, { input, output, scratch }] of buffers.entries()) {
    const [inputs, outputs, ...offsets] = memoryOf(collective, rank);
    need(input === inputs && output === outputs && isWhole(scratch, 0), `the buffers of rank ${rank}`);
    for (const i of [0, 1, 2]) starts[i][rank] = cells + offsets[i];
    cells += offsets[2] + scratch;
    need(cells <= most, `buffers of more than ${most} chunks`, 'limit');
    ends[rank] = cells;
    /** The first cell of a slice, −1 if it is none. */
    const cellOf = (buffer: number, offset: number, count: number): number => {
      const isSlice = offset >= 0 && count >= 1 && offset + count <= ([input, output, scratch][buffer] ?? 0);
      return isSlice ? starts[buffer][rank] + offset : -1;
    };
    const [start, end] = [firstOp[firstLane[rank]], firstOp[firstLane[rank + 1]]];
    for (let o = start, lane = firstLane[rank]; o < end; o++) {
      while (firstOp[lane + 1] <= o) lane++;
      laneOf[o] = lane;
      rankOf[o] = rank;
      const [kind, peer, count] = [ops.kind[o], ops.peer[o], Math.max(ops.srcCount[o], ops.dstCount[o])];
      source[o] = cellOf(ops.srcBuffer[o], ops.srcOffset[o], ops.srcCount[o]);
      target[o] = cellOf(ops.dstBuffer[o], ops.dstOffset[o], ops.dstCount[o]);
      touched += count;
      let isSound = isWhole(kind, 0, 4) && source[o] >= 0 === kind < 3 && target[o] >= 0 === (kind !== 2);
      // Out of place the input is only read; source and destination of a copy or reduction are alike and apart; nobody sends to itself.
      isSound &&= (kind === 2 || collective.inPlace || ops.dstBuffer[o] !== 0) && isWhole(ops.receivedFirst[o], 0, 1);
      if (kind > 1) isSound &&= isWhole(peer, 0, collective.ranks - 1) && peer !== rank && isWhole(ops.channel[o], 0);
      else isSound &&= peer < 0 && ops.srcCount[o] === ops.dstCount[o] && Math.abs(source[o] - target[o]) >= count;
      for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
        isSound &&= isWhole(ops.afterOp[a], start, end - 1) && isWhole(ops.afterBulks[a], ops.afterOp[a] === o ? 1 : 0);
      }
      need(isSound, 'is no operation', 'malformed', o);
    }
  }
  need(touched <= most, `operations that touch more than ${most} chunks`, 'limit');
  return { starts, ends, source, target, laneOf, rankOf };
}
export type Memory = ReturnType<typeof layOut>;

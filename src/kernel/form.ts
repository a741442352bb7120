/** What a collective asks for (docs/collectives.md), whether a plan of it is well formed, which the rest relies on, and where all lies. */
import { type Collective, isWhole, need, type Parts, type Tables } from './plan.ts';

type Shards = (c: Collective, rank: number) => number;
const [none, one, all]: Shards[] = [() => 0, () => 1, ({ ranks }) => ranks];
const oneAtRoot: Shards = ({ root }, rank) => (rank === root ? 1 : 0);
const allAtRoot: Shards = ({ ranks, root }, rank) => (rank === root ? ranks : 0);
type Wants = (slot: number, rank: number, c: Collective) => readonly [chunk: number, rank: number, last?: number];
const shardOf: Wants = (slot, _, { chunks }) => [slot % chunks, Math.floor(slot / chunks)];
/** Shards, of C chunks each, of a rank's input and output; which chunk of which ranks a slot of the output combines. */
const kinds: Readonly<Record<string, readonly [input: Shards, output: Shards, wants: Wants]>> = {
  allgather: [one, all, shardOf],
  gather: [one, allAtRoot, shardOf],
  alltoall: [all, all, (slot, rank, { chunks }) => [rank * chunks + (slot % chunks), Math.floor(slot / chunks)]],
  broadcast: [oneAtRoot, one, (slot, _, { root }) => [slot, root]],
  scatter: [allAtRoot, one, (slot, rank, { root, chunks }) => [rank * chunks + slot, root]],
  reducescatter: [all, one, (slot, rank, { ranks, chunks }) => [rank * chunks + slot, 0, ranks - 1]],
  allreduce: [one, one, (slot, _, { ranks }) => [slot, 0, ranks - 1]],
  reduce: [one, oneAtRoot, (slot, _, { ranks }) => [slot, 0, ranks - 1]],
  scan: [one, one, (slot, rank) => [slot, 0, rank]],
  exscan: [one, one, (slot, rank) => [slot, 0, rank - 1]],
  barrier: [one, none, shardOf],
  custom: [none, none, shardOf],
};

/** The chunks of a rank's input and output, and where in its memory they and scratch begin: in place the smaller lies in the larger. */
function memoryOf(c: Collective, rank: number): readonly number[] {
  const [input, output] = c.custom
    ? [c.custom.input[rank], c.custom.output[rank]]
    : [0, 1].map((side) => c.chunks * (side === 0 ? kinds[c.kind][0] : kinds[c.kind][1])(c, rank));
  const shared = c.custom ? (c.custom.inputAt?.[rank] ?? 0) : Math.sign(output - input) * rank * c.chunks;
  const at = c.inPlace && input > 0 && output > 0 ? shared : output;
  need(isWhole(at, -input, output), `where the input of rank ${rank} lies`);
  const [inputAt, outputAt] = [Math.max(0, at), Math.max(0, -at)];
  return [input, output, inputAt, outputAt, Math.max(inputAt + input, outputAt + output)];
}

/** Bytes of the shard that a slot of a rank's input (0) or output (1) belongs to, where shards differ in size; otherwise 0. */
export function bytesOf(c: Collective, side: 0 | 1, rank: number, slot: number): number {
  const shard = Math.floor(slot / c.chunks);
  const [row, column] = side === 0 ? [rank, shard] : [shard, rank];
  if (c.kind === 'alltoall') return c.counts?.[row * c.ranks + column] ?? 0;
  return c.counts?.[kinds[c.kind][side](c, rank) > 1 ? shard : rank] ?? 0;
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

function checkCollective({ kind, ranks, chunks, root, op, counts, custom }: Collective): void {
  const areSizes = isWhole(ranks, 1, 2 ** 20) && isWhole(chunks, 1) && isWhole(root, 0, ranks - 1);
  need(Object.hasOwn(kinds, kind) && areSizes, 'collective');
  need('sum prod max min and or xor minloc maxloc'.split(' ').includes(op), 'op');
  need((kind === 'custom') === (custom !== undefined), 'a custom collective, and no other, states a condition');
  if (custom !== undefined) {
    const { input, output, inputAt = input, results } = custom;
    const areLists = [input, output, inputAt].every(({ length }) => length === ranks);
    const areOfSlots = results.every(({ length }, rank) => length <= (output[rank] ?? 0));
    need(areOfSlots && areLists && [...input, ...output].every((size) => isWhole(size, 0)), 'custom');
  }
  const isTaken = [all, allAtRoot].some((of) => kinds[kind].includes(of));
  const shards = isTaken ? ranks ** (kind === 'alltoall' ? 2 : 1) : Number.NaN;
  need(!counts || (counts.length === shards && counts.every((bytes) => isWhole(bytes, 0))), 'counts');
}

/**
 * One bulk's memory as one row of cells: slot 0 of rank r's input, output and scratch is cell `starts[r][0 … 2]`. Operation o moves `size[o]`
 * chunks from cell `source[o]` on to `target[o]` on; messages get cells of their own behind all ranks' `cells`.
 * @param most the most chunks that buffers may hold, and that operations may touch
 */
export function layOut(plan: Tables, most: number) {
  const { collective, ops, firstLane, firstOp, bulks, scratchPerBulk, buffers } = plan;
  checkCollective(collective);
  const areWhole = isWhole(bulks, 1, 2 ** 28) && isWhole(scratchPerBulk, 1);
  need(areWhole && buffers.length === collective.ranks, 'bulks, scratchPerBulk or the number of programs');
  const [source, target, size, laneOf, rankOf] = [0, 1, 2, 3, 4].map(() => new Int32Array(ops.kind.length));
  const starts: number[][] = [];
  let [cells, touched] = [0, 0];
  for (const [rank, { input, output, scratch }] of buffers.entries()) {
    const [inputs, outputs, ...offsets] = memoryOf(collective, rank);
    need(input === inputs && output === outputs && isWhole(scratch, 0), `the buffers of rank ${rank}`);
    const at = offsets.map((offset) => cells + offset);
    starts.push(at);
    cells = at[2] + scratch;
    /** The first cell of a slice, −1 if it is none. */
    const cellOf = (buffer: number, offset: number, count: number): number =>
      offset >= 0 && count >= 1 && offset + count <= [input, output, scratch][buffer] ? at[buffer] + offset : -1;
    const [start, end] = [firstOp[firstLane[rank]], firstOp[firstLane[rank + 1]]];
    for (let o = start, lane = firstLane[rank]; o < end; o++) {
      while (firstOp[lane + 1] <= o) lane++;
      [laneOf[o], rankOf[o]] = [lane, rank];
      const [kind, peer] = [ops.kind[o], ops.peer[o]];
      source[o] = cellOf(ops.srcBuffer[o], ops.srcOffset[o], ops.srcCount[o]);
      target[o] = cellOf(ops.dstBuffer[o], ops.dstOffset[o], ops.dstCount[o]);
      size[o] = kind === 2 ? ops.srcCount[o] : ops.dstCount[o];
      touched += size[o];
      let isSound = isWhole(kind, 0, 4) && source[o] >= 0 === kind < 3 && target[o] >= 0 === (kind !== 2);
      // Out of place the input is only read; source and destination of a copy or reduction are alike and apart; nobody sends to itself.
      isSound &&= (kind === 2 || collective.inPlace || ops.dstBuffer[o] !== 0) && isWhole(ops.receivedFirst[o], 0, 1);
      if (kind > 1) isSound &&= isWhole(peer, 0, collective.ranks - 1) && peer !== rank && isWhole(ops.channel[o], 0);
      else isSound &&= peer < 0 && ops.srcCount[o] === size[o] && Math.abs(source[o] - target[o]) >= size[o];
      for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
        isSound &&= isWhole(ops.afterOp[a], start, end - 1) && isWhole(ops.afterBulks[a], ops.afterOp[a] === o ? 1 : 0);
      }
      need(isSound, 'is no operation', 'malformed', o);
    }
    need(Math.max(cells, touched) <= most, `buffers hold, or operations touch, more than ${most} chunks`, 'limit');
  }
  return { ...plan, starts, cells, touched, source, target, size, laneOf, rankOf };
}

type Connection = readonly [sends: number[], receives: number[]];
/** The k-th send of a connection meets its k-th receive; by operation its connection and its k. The message gets cells behind all others. */
export function connect(plan: ReturnType<typeof layOut>, inflight: number) {
  const { ops, bulks, limits, rankOf, laneOf, source, target, size } = plan;
  const connections = new Map<string, Connection>();
  const [connectionOf, turn]: [Connection[], number[]] = [[], []];
  for (const [o, rank] of rankOf.entries()) {
    if (ops.kind[o] < 2) continue;
    const [isSend, peer] = [ops.kind[o] === 2, ops.peer[o]];
    const key = isSend ? `${rank} ${peer} ${ops.channel[o]}` : `${peer} ${rank} ${ops.channel[o]}`;
    connectionOf[o] = connections.get(key) ?? [[], []];
    connections.set(key, connectionOf[o]);
    const side = connectionOf[o][isSend ? 0 : 1];
    turn[o] = side.push(o) - 1;
    need(laneOf[side[0]] === laneOf[o], 'is not in the lane of its connection', 'malformed', o);
  }
  let withMessages = plan.cells;
  for (const [sends, receives] of connections.values()) {
    const most = Math.min(inflight, sends.length * bulks);
    need(most <= (limits?.messageIds ?? most), 'has more messages on their way than ids', 'over-capacity', sends[0]);
    for (let k = 0; k < sends.length || k < receives.length; k++) {
      need(size[sends[k]] === size[receives[k]], 'has no such other end', 'mismatched', sends[k] ?? receives[k]);
      target[sends[k]] = withMessages;
      source[receives[k]] = withMessages;
      withMessages += size[sends[k]];
    }
  }
  return { ...plan, connectionOf, turn, withMessages };
}
export type Form = ReturnType<typeof connect>;

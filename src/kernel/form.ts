/** What a collective asks for (docs/collectives.md), whether a plan of it is well formed, which the rest relies on, and where all lies. */
import { type Collective, isWhole, need, type Tables } from './plan.ts';

type Shards = readonly number[];
/** Names of the shards, of C chunks each, of a rank's input and output. An output chunk combines the input chunks that have its name. */
const kinds: Readonly<Record<string, (rank: number, root: number, all: Shards) => readonly Shards[]>> = {
  allgather: (rank, _, all) => [[rank], all],
  gather: (rank, root, all) => [[rank], rank === root ? all : []],
  alltoall: (rank, _, all) => [all.map((to) => rank * all.length + to), all.map((from) => from * all.length + rank)],
  broadcast: (rank, root) => [rank === root ? [0] : [], [0]],
  scatter: (rank, root, all) => [rank === root ? all : [], [rank]],
  reducescatter: (rank, _, all) => [all, [rank]],
  reduce: (rank, root) => [[0], rank === root ? [0] : []],
  ...{ allreduce: () => [[0], [0]], scan: () => [[0], [0]], exscan: () => [[0], [0]] },
  ...{ barrier: () => [[0], []], custom: () => [[], []] },
};
function checkCollective({ kind, ranks, chunks, root, op, counts, custom }: Collective): void {
  const areSizes = isWhole(ranks, 1, 2 ** 20) && isWhole(chunks, 1) && isWhole(root, 0, ranks - 1);
  const isKnown = Object.hasOwn(kinds, kind) && 'sum prod max min and or xor minloc maxloc'.split(' ').includes(op);
  need(areSizes && isKnown && (kind === 'custom') === (custom !== undefined), 'collective');
  if (custom !== undefined) {
    const { input, output, inputAt = input, results } = custom;
    const areLists = [input, output, inputAt].every(({ length }) => length === ranks);
    const areOfSlots = results.every(({ length }, rank) => length <= (output[rank] ?? 0));
    need(areOfSlots && areLists && [...input, ...output].every((size) => isWhole(size, 0)), 'custom');
  }
  const haveShards = ['allgather', 'gather', 'alltoall', 'scatter', 'reducescatter'].includes(kind);
  const shards = haveShards ? ranks ** (kind === 'alltoall' ? 2 : 1) : Number.NaN;
  need(!counts || (counts.length === shards && counts.every((bytes) => isWhole(bytes, 0))), 'counts');
}
/** C; the token of a barrier and each slot of a custom collective is a shard of one chunk, whatever the plan gives as C. */
export function chunksPerShard({ kind, chunks }: Collective): number {
  return kind === 'barrier' || kind === 'custom' ? 1 : chunks;
}
/** One bulk's memory as one row of cells: rank r's input, output and scratch begin at cells `starts[r][0 … 2]`.
 *  Operation o moves `size[o]` chunks from cell `source[o]` on to `target[o]` on; messages get cells of their own behind all ranks' `cells`. */
export function layOut(plan: Tables, most: number) {
  const { collective, ops, firstLane, firstOp, bulks, scratchPerBulk, buffers } = plan;
  checkCollective(collective);
  const { kind: name, ranks, root, inPlace, custom } = collective;
  const chunks = chunksPerShard(collective);
  need(isWhole(bulks, 1, 2 ** 28) && isWhole(scratchPerBulk, 1) && buffers.length === ranks, 'bulks or programs');
  const [source, target, size, laneOf, rankOf] = [0, 1, 2, 3, 4].map(() => new Int32Array(ops.kind.length));
  const [starts, all]: [number[][], Shards] = [[], Array.from({ length: ranks }, (_, rank) => rank)];
  const shardsOf = (rank: number): readonly Shards[] => kinds[name](rank, root, all);
  const chunksOf = (shards: Shards): number => shards.length * chunks;
  let [cells, touched] = [0, 0];
  for (const [rank, { input, output, scratch }] of buffers.entries()) {
    const held = custom ? [custom.input[rank], custom.output[rank]] : shardsOf(rank).map(chunksOf);
    need(input === held[0] && output === held[1] && isWhole(scratch, 0), `the buffers of rank ${rank}`);
    // Out of place the input lies behind the output; in place the smaller one lies in the larger.
    const shared = custom ? (custom.inputAt?.[rank] ?? 0) : Math.sign(output - input) * rank * chunks;
    const inputAt = inPlace && input > 0 && output > 0 ? shared : output;
    need(isWhole(inputAt, -input, output), `where the input of rank ${rank} lies`);
    const [from, to] = [cells + Math.max(0, inputAt), cells + Math.max(0, -inputAt)];
    const at = [from, to, Math.max(from + input, to + output)];
    starts.push(at);
    cells = at[2] + scratch;
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
      isSound &&= (kind === 2 || inPlace || ops.dstBuffer[o] !== 0) && isWhole(ops.receivedFirst[o], 0, 1);
      if (kind > 1) isSound &&= isWhole(peer, 0, ranks - 1) && peer !== rank && isWhole(ops.channel[o], 0);
      else isSound &&= peer < 0 && ops.srcCount[o] === size[o] && Math.abs(source[o] - target[o]) >= size[o];
      for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
        isSound &&= isWhole(ops.afterOp[a], start, end - 1) && isWhole(ops.afterBulks[a], ops.afterOp[a] === o ? 1 : 0);
      }
      need(isSound, 'is no operation', 'malformed', o);
    }
    need(Math.max(cells, touched) <= most, `buffers hold, or operations touch, more than ${most} chunks`, 'limit');
  }
  return { ...plan, shardsOf, starts, cells, touched, source, target, size, laneOf, rankOf };
}
/** The k-th send of a connection meets its k-th receive; by operation its connection and its k. The message gets cells behind all others. */
export function connect(plan: ReturnType<typeof layOut>, inflight: number) {
  const { ops, bulks, limits, rankOf, laneOf, source, target, size } = plan;
  type Connection = readonly [sends: number[], receives: number[]];
  const [connections, connectionOf, turn] = [new Map<string, Connection>(), [] as Connection[], [] as number[]];
  for (const [o, rank] of rankOf.entries()) {
    if (ops.kind[o] < 2) continue;
    const isSend = ops.kind[o] === 2;
    const key = [...(isSend ? [rank, ops.peer[o]] : [ops.peer[o], rank]), ops.channel[o]].join();
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
      [target[sends[k]], source[receives[k]]] = [withMessages, withMessages];
      withMessages += size[sends[k]];
    }
  }
  return { ...plan, connectionOf, turn, withMessages };
}
export type Form = ReturnType<typeof connect>;

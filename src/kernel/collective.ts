/** What goes in, what must come out, and which of it is the same memory in place (docs/collectives.md). N ranks, C chunks to a shard. */
import { type Collective, Refusal } from './plan.ts';

type Extent = 'one' | 'all' | 'root one' | 'root all';
/** An output slot: its shard, its chunk of the shard, and the first chunk of the rank's own shard. */
type Slot = Readonly<Record<'slot' | 'shard' | 'within' | 'own' | 'rank' | 'root' | 'last', number>>;
/** Input and output (C chunks or N·C, perhaps at the root alone); and which chunk of which ranks a slot combines. */
const kinds: Readonly<Record<string, readonly [Extent, Extent, (s: Slot) => readonly [number, number, number]]>> = {
  allgather: ['one', 'all', (s) => [s.within, s.shard, s.shard]],
  gather: ['one', 'root all', (s) => [s.within, s.shard, s.shard]],
  alltoall: ['all', 'all', (s) => [s.own + s.within, s.shard, s.shard]],
  broadcast: ['root one', 'one', (s) => [s.slot, s.root, s.root]],
  scatter: ['root all', 'one', (s) => [s.own + s.slot, s.root, s.root]],
  reducescatter: ['all', 'one', (s) => [s.own + s.slot, 0, s.last]],
  allreduce: ['one', 'one', (s) => [s.slot, 0, s.last]],
  reduce: ['one', 'root one', (s) => [s.slot, 0, s.last]],
  scan: ['one', 'one', (s) => [s.slot, 0, s.rank]],
  exscan: ['one', 'one', (s) => [s.slot, 0, s.rank - 1]],
};

/** A rank's input and output chunks, and the cells of its memory at which they and scratch begin. */
export function memoryOf({ kind, ranks, chunks, root, custom, inPlace }: Collective, rank: number) {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!known && kind !== 'barrier' && kind !== 'custom') throw new Refusal('malformed', 'the kind of collective');
  const sizeOf = (extent: Extent): number =>
    extent.startsWith('root') && rank !== root ? 0 : chunks * (extent.endsWith('all') ? ranks : 1);
  const input = known ? sizeOf(known[0]) : (custom?.input[rank] ?? 1);
  const output = known ? sizeOf(known[1]) : (custom?.output[rank] ?? 0);
  if (!inPlace || input === 0 || output === 0) return { input, output, starts: [0, input, input + output] };
  // The smaller one lies in the larger, where the rank's shard is.
  const at = custom?.inputAt?.[rank] ?? (known ? Math.sign(output - input) * rank * chunks : 0);
  const [inputAt, outputAt] = [Math.max(0, at), Math.max(0, -at)];
  return { input, output, starts: [inputAt, outputAt, Math.max(inputAt + input, outputAt + output)] };
}

/** Bytes of the shard that a slot of a rank's input (0) or output (1) belongs to, where shards differ in size. */
export function bytesOf({ kind, ranks, chunks, counts }: Collective, side: 0 | 1, rank: number, slot: number): number {
  const shard = Math.floor(slot / chunks);
  if (kind === 'alltoall') return counts?.[side === 0 ? rank * ranks + shard : shard * ranks + rank] ?? 1;
  return counts?.[kinds[kind][side].endsWith('all') ? shard : rank] ?? 1;
}

/** What an output slot must combine, in order, and a name for it; undefined if anything will do. */
export function wanted(c: Collective, rank: number, slot: number) {
  if (c.counts !== undefined && bytesOf(c, 1, rank, slot) === 0) return undefined;
  if (c.custom !== undefined) {
    const parts = c.custom.wants(rank, slot);
    const names = parts?.map((part) => `${part.rank}:${part.chunk}`) ?? [];
    return parts ? { name: (c.ordered ? names : names.sort()).join(' '), parts: () => parts } : undefined;
  }
  const own = { slot, shard: Math.floor(slot / c.chunks), within: slot % c.chunks, own: rank * c.chunks };
  const [chunk, first, last] = kinds[c.kind][2]({ ...own, rank, root: c.root, last: c.ranks - 1 });
  const parts = () => Array.from({ length: last - first + 1 }, (_, i) => ({ rank: first + i, chunk }));
  return last < first ? undefined : { name: `${chunk} ${first} ${last}`, parts };
}

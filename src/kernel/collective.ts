/** What a collective asks for (docs/collectives.md), and which collectives make sense. Section 1 of docs/verification.md. */
import { isWhole, requireForm } from './refusal.ts';
import type { BufferSlots, CollectiveRecord, CustomRecord } from './tables.ts';

const operators = ['sum', 'prod', 'max', 'min', 'and', 'or', 'xor', 'minloc', 'maxloc'];

/**
 * The shards that a rank's input and output consist of, by name, in the order in which they lie there. Names are numbers; the chunks of an output
 * shard combine the chunks of the input shards that have the same name.
 */
export interface ShardNames {
  readonly input: readonly number[];
  readonly output: readonly number[];
}

/** The shards of a rank's buffers; undefined for a kind that is not known. A custom collective has no shards: its condition names chunks. */
function shardNames(kind: string, ranks: number, root: number, rank: number): ShardNames | undefined {
  const isRoot = rank === root;
  /** One shard for each rank, named by a function of the rank. */
  const perRank = (name: (other: number) => number): number[] =>
    Array.from({ length: ranks }, (_, other) => name(other));
  const ofAll = (): number[] => perRank((other) => other);
  switch (kind) {
    case 'allgather':
      return { input: [rank], output: ofAll() };
    case 'gather':
      return { input: [rank], output: isRoot ? ofAll() : [] };
    case 'alltoall':
      return { input: perRank((to) => rank * ranks + to), output: perRank((from) => from * ranks + rank) };
    case 'reducescatter':
      return { input: ofAll(), output: [rank] };
    case 'scatter':
      return { input: isRoot ? ofAll() : [], output: [rank] };
    case 'broadcast':
      return { input: isRoot ? [0] : [], output: [0] };
    case 'reduce':
      return { input: [0], output: isRoot ? [0] : [] };
    case 'allreduce':
    case 'scan':
    case 'exscan':
      return { input: [0], output: [0] };
    case 'barrier':
      return { input: [0], output: [] };
    case 'custom':
      return { input: [], output: [] };
    default:
      return undefined;
  }
}

/** The shards of a rank's input and output. @throws Refusal for a kind that is not known */
export function shardsOf({ kind, ranks, root }: CollectiveRecord, rank: number): ShardNames {
  const names = shardNames(kind, ranks, root, rank);
  requireForm(names !== undefined, 'the kind of collective is not known');
  return names;
}

/** C. The token of a barrier and each slot of a custom collective is a shard of one chunk, whatever the plan gives as C. */
export function chunksPerShard({ kind, chunks }: CollectiveRecord): number {
  return kind === 'barrier' || kind === 'custom' ? 1 : chunks;
}

/** Slots of a rank's input and output. */
export function slotsOf(collective: CollectiveRecord, rank: number): Omit<BufferSlots, 'scratch'> {
  const { custom } = collective;
  if (custom !== undefined) return { input: custom.input[rank] ?? 0, output: custom.output[rank] ?? 0 };
  const { input, output } = shardsOf(collective, rank);
  const chunks = chunksPerShard(collective);
  return { input: input.length * chunks, output: output.length * chunks };
}

/** Output chunks are reductions. The other kinds move chunks. */
export function reduces({ kind }: CollectiveRecord): boolean {
  return ['allreduce', 'reducescatter', 'reduce', 'scan', 'exscan', 'custom'].includes(kind);
}

/** Contributions are combined in rank order, or in the order that a condition lists them in. */
export function keepsOrder({ kind, ordered }: CollectiveRecord): boolean {
  return ordered || kind === 'scan' || kind === 'exscan';
}

/** Contributions may be combined more than once: x ⊕ x = x. In a list with an order of its own they may not, since x ⊕ y ⊕ x is not x ⊕ y. */
export function allowsRepeats(collective: CollectiveRecord): boolean {
  const { kind, op } = collective;
  const isIdempotent = !['sum', 'prod', 'xor'].includes(op);
  return reduces(collective) && isIdempotent && !(kind === 'custom' && keepsOrder(collective));
}

/** @throws Refusal for a collective that no plan could be right for */
export function checkCollective(collective: CollectiveRecord): void {
  const { kind, ranks, chunks, root, op, counts, custom } = collective;
  requireForm(isWhole(ranks, 1, 2 ** 20), 'ranks is not a whole number from 1 to 2 ** 20');
  requireForm(isWhole(chunks, 1), 'chunks is not a whole number of at least 1');
  requireForm(isWhole(root, 0, ranks - 1), 'root is not a rank');
  requireForm(operators.includes(op), 'the operator is not known');
  requireForm(shardNames(kind, 1, 0, 0) !== undefined, 'the kind of collective is not known');
  requireForm(
    (kind === 'custom') === (custom !== undefined),
    'custom is not there for a custom collective, or for another one',
  );
  if (custom !== undefined) checkCondition(custom, ranks);
  if (counts !== undefined) checkCounts(kind, ranks, counts);
}

function checkCondition({ input, output, inputAt = input, results }: CustomRecord, ranks: number): void {
  for (const list of [input, output, inputAt])
    requireForm(list.length === ranks, 'a list of custom does not have an entry for each rank');
  for (const slots of [...input, ...output])
    requireForm(isWhole(slots, 0), 'custom has a buffer that is not a whole number of slots');
  for (const [rank, { length }] of results.entries()) {
    requireForm(length <= (output[rank] ?? 0), 'custom asks for more output slots than there are');
  }
}

/** One size for each shard. Kinds whose shards cannot differ have no sizes. */
function checkCounts(kind: string, ranks: number, counts: readonly number[]): void {
  const hasShards = ['allgather', 'gather', 'alltoall', 'scatter', 'reducescatter'].includes(kind);
  requireForm(hasShards, 'counts are given for a collective whose shards cannot differ');
  requireForm(counts.length === (kind === 'alltoall' ? ranks ** 2 : ranks), 'counts are more or fewer than shards');
  for (const bytes of counts) requireForm(isWhole(bytes, 0), 'counts are not whole numbers of bytes');
}

/** Determines which chunks of a schedule must have the same size. */
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import { DisjointSets } from '../ir/disjoint-sets.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, scheduleBuffers } from '../ir/schedule.ts';

/** Chunks of one class have one size; classes are numbered from 0 in the order of the slots. */
export interface SizeClasses {
  readonly count: number;
  /** By slot of the `data` buffer and, behind them, of scratch. */
  readonly of: Int32Array;
  /** Slots of the `data` buffer. */
  readonly slots: number;
  /** Classes of the chunks of each shard. Collectives without shards have one entry for the whole message. */
  readonly shards: readonly Int32Array[];
}

/**
 * Computes the size classes. A slot has the same size on all ranks, and a transfer requires equal sizes of its source and destination slots; no other
 * constraints exist.
 *
 * @param alike whether all shards must be cut in the same way
 * @returns undefined for collectives without a `data` buffer
 */
export function sizeClasses(schedule: Schedule, alike: boolean): SizeClasses | undefined {
  const { collective, scratch } = schedule;
  const { chunks, ranks } = collective;
  const slots = dataWindow(collective, 0).size;
  if (slots === 0) return undefined;
  const ties = new DisjointSets(slots + scratch);
  if (alike) for (let slot = chunks; slot < slots; slot++) ties.join(slot % chunks, slot);
  tieMoves(schedule, ties, slots);
  const { count, classOf } = numbered(ties, slots + scratch);
  const shardCount = collectiveFacts[collective.kind].sharded ? ranks : 1;
  const shards = Array.from({ length: shardCount }, (_, i) => classOf.subarray(i * chunks, (i + 1) * chunks));
  return { count, of: classOf, slots, shards };
}

function tieMoves({ collective, steps }: Schedule, ties: DisjointSets, slots: number): void {
  const first = Array.from({ length: collective.ranks }, (_, rank) => firstSlots(collective, rank, slots));
  for (let transfer = 0; transfer < steps.transferCount; transfer++) {
    const from = first[steps.source[transfer]];
    const to = first[steps.destination[transfer]];
    for (let p = steps.pieceStart[transfer]; p < steps.pieceStart[transfer + 1]; p++) {
      const source = from[scheduleBuffers[steps.from[p]]] + steps.fromOffset[p];
      const destination = to[scheduleBuffers[steps.to[p]]] + steps.toOffset[p];
      for (let chunk = 0; chunk < steps.count[p]; chunk++) ties.join(source + chunk, destination + chunk);
    }
  }
}

/**
 * The first slot of each buffer of a rank, where slots are those of data followed by scratch. Input and output lie where `dataWindow` places them in
 * data.
 */
export function firstSlots(
  collective: Collective,
  rank: number,
  slots: number,
): Readonly<Record<ScheduleBuffer, number>> {
  const { input, output } = dataWindow(collective, rank);
  return { data: 0, input: Math.max(0, input), output, scratch: slots };
}

/** Numbers the sets in the order of their smallest slots. */
function numbered(ties: DisjointSets, slots: number): { readonly count: number; readonly classOf: Int32Array } {
  const classOf = new Int32Array(slots);
  let count = 0;
  for (let slot = 0; slot < slots; slot++) {
    const first = ties.of(slot);
    classOf[slot] = first === slot ? count++ : classOf[first];
  }
  return { count, classOf };
}

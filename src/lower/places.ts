/**
 * Determines whether a schedule ever keeps a chunk in a slot of `data` where another one belongs, as an alltoall inside a scan or on a hypercube
 * does. Where sizes do not divide evenly, chunks differ by one element, so that such a chunk could be cut off in the memory of the output. Lowering
 * therefore keeps the `data` of these schedules in scratch, whose slots have room for any chunk.
 */
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import { none } from '../ir/none.ts';
import type { Schedule } from '../ir/schedule.ts';
import { BufferCode } from './memory/pieces.ts';

export function movesPlaces({ collective, scratch, steps }: Schedule): boolean {
  const { kind, ranks } = collective;
  if (kind === 'barrier' || kind === 'custom') return false;
  const { stepStart, stepCount, pieceStart, source, destination, from, fromOffset, to, toOffset, count } = steps;
  // Chunks of a range belong to consecutive slots, so that the first one represents all. Ranges in scratch are checked chunk by chunk, since scratch
  // may be filled and read in different ranges.
  const placeIn = new Int32Array(ranks * scratch).fill(none);
  const cells: number[] = [];
  const places: number[] = [];
  for (let step = 0; step < stepCount; step++) {
    for (let t = stepStart[step]; t < stepStart[step + 1]; t++) {
      for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
        const fills = to[p] === BufferCode.scratch;
        const isLong = fills || from[p] === BufferCode.scratch;
        for (let i = 0; i < (isLong ? count[p] : 1); i++) {
          const place =
            from[p] === BufferCode.scratch
              ? placeIn[source[t] * scratch + fromOffset[p] + i]
              : placeOf(collective, source[t], from[p], fromOffset[p] + i);
          if (place === none) continue;
          if (fills) {
            cells.push(destination[t] * scratch + toOffset[p] + i);
            places.push(place);
          } else if (to[p] === BufferCode.data) {
            if (place !== placeOf(collective, destination[t], to[p], toOffset[p] + i)) return true;
          }
        }
      }
    }
    // Writes take effect after the step: all transfers of a step read before any writes.
    for (let i = 0; i < cells.length; i++) placeIn[cells[i]] = places[i];
    cells.length = 0;
    places.length = 0;
  }
  return false;
}

/** A number for the chunk that belongs to a slot; chunks with the same number have the same size. */
function placeOf({ kind, ranks, chunks }: Collective, rank: number, buffer: number, offset: number): number {
  if (!collectiveFacts[kind].sharded) return offset;
  if (kind === 'alltoall') {
    // Shards of an alltoall have the same size if the numbers of their two ranks have the same sum (docs/running.md).
    const shard = Math.floor(offset / chunks);
    return ((rank + shard) % ranks) * chunks + offset - shard * chunks;
  }
  const gathers = kind === 'allgather' || kind === 'gather';
  const isOneShard = buffer === (gathers ? BufferCode.input : BufferCode.output);
  return isOneShard ? rank * chunks + offset : offset;
}

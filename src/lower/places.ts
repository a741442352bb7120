/**
 * Whether a schedule keeps chunks in `data` where others belong, be it for a while: an alltoall inside a scan does, and a hypercube's. In the
 * memory of the output such a chunk would be cut off where the one that belongs there is smaller by an element, because sizes do not
 * divide. So lowering keeps the `data` of these schedules in scratch, which has room for any chunk.
 */
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import { none } from '../ir/none.ts';
import type { Schedule } from '../ir/schedule.ts';
import { BufferCode } from './memory/pieces.ts';

export function movesPlaces({ collective, scratch, steps }: Schedule): boolean {
  const { kind, ranks } = collective;
  if (kind === 'barrier' || kind === 'custom') return false;
  const { stepStart, stepCount, pieceStart, source, destination, from, fromOffset, to, toOffset, count } = steps;
  // A range goes on as it begins: only its first chunk is looked at, but in scratch, which is filled and read in other ranges.
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
    // All of a step is read before anything is written.
    for (let i = 0; i < cells.length; i++) placeIn[cells[i]] = places[i];
    cells.length = 0;
    places.length = 0;
  }
  return false;
}

/** Which chunk belongs to a slot, as a number: all that have the same one are of one size. */
function placeOf({ kind, ranks, chunks }: Collective, rank: number, buffer: number, offset: number): number {
  if (!collectiveFacts[kind].sharded) return offset;
  if (kind === 'alltoall') {
    // What two ranks give each other is of one size, and what others do whose numbers have the same sum (docs/running.md).
    const shard = Math.floor(offset / chunks);
    return ((rank + shard) % ranks) * chunks + offset - shard * chunks;
  }
  const gathers = kind === 'allgather' || kind === 'gather';
  const isOneShard = buffer === (gathers ? BufferCode.input : BufferCode.output);
  return isOneShard ? rank * chunks + offset : offset;
}

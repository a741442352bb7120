/** Determines which waits between the steps of a rank must be written, because nothing else implies them. */
import type { Action } from './actions.ts';

/** The position of an action: its thread block, and its index among the actions of that block. */
export interface ActionPlace {
  readonly block: number;
  readonly index: number;
}

/**
 * For each action, the actions of other thread blocks for which it must wait (with vector clocks). Other waits are implied, since thread blocks run
 * in order and the awaited action has itself waited.
 */
export function threadBlockWaits(actions: readonly Action[], blocks: number): readonly (readonly ActionPlace[])[] {
  const placeInBlock = new Int32Array(actions.length);
  const lengths = new Int32Array(blocks);
  /** The vector clock of each action: by block, the last action of that block that is complete when the action runs; −1 for none. */
  const clocks: Int32Array[] = [];
  const latest: (Int32Array | undefined)[] = new Array(blocks).fill(undefined);
  return actions.map(({ block, before }, at) => {
    placeInBlock[at] = lengths[block]++;
    const wanted = before.filter((other) => actions[other].block !== block).sort((a, b) => b - a);
    const previous = latest[block];
    const clock = previous !== undefined && wanted.length === 0 ? previous : new Int32Array(blocks).fill(-1);
    if (previous !== undefined && clock !== previous) clock.set(previous);
    const waits: ActionPlace[] = [];
    for (const other of wanted) {
      const place = { block: actions[other].block, index: placeInBlock[other] };
      if (clock[place.block] >= place.index) continue;
      waits.push(place);
      merge(clock, clocks[other]);
      clock[place.block] = Math.max(clock[place.block], place.index);
    }
    clocks.push(clock);
    latest[block] = clock;
    return waits;
  });
}

function merge(clock: Int32Array, other: Int32Array): void {
  for (let block = 0; block < clock.length; block++) if (other[block] > clock[block]) clock[block] = other[block];
}

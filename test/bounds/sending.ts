/** Messages of schedules made by hand. */
import type { StepsBuilder } from '../../src/ir/schedule.ts';

/** A message with `count` chunks of the data from chunk `first` on, which go where they are. */
export function sendChunks(
  steps: StepsBuilder,
  source: number,
  destination: number,
  { first, count }: { readonly first: number; readonly count: number },
): void {
  steps.add({
    kind: 'copy',
    source,
    destination,
    channel: 0,
    order: 'held-first',
    pieces: [{ from: 'data', fromOffset: first, to: 'data', toOffset: first, count }],
    origin: undefined,
  });
}

/** The allreduce that reduces a part of the data up each tree and sends the result down the same tree. */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import type { Tree } from './pack.ts';

/**
 * Step h − d + 1 reduces over the edges of depth d of a tree of height h, step h + d copies back over them. Every tree has a
 * channel of its own on each connection, so that nothing stands in line behind data that comes later.
 *
 * @param collective an allreduce whose C is a multiple of the number of trees
 */
export function twoWaySchedule(name: string, trees: readonly Tree[], collective: Collective): Schedule {
  const { ranks, chunks } = collective;
  const count = chunks / trees.length;
  const steps: Transfer[][] = [];
  const channels = new Map<number, number>();
  const send = (step: number, kind: Transfer['kind'], source: number, destination: number, offset: number): void => {
    const connection = source * ranks + destination;
    const channel = channels.get(connection) ?? 0;
    channels.set(connection, channel + 1);
    const pieces = [{ from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count } as const];
    while (steps.length < step) steps.push([]);
    steps[step - 1].push({ kind, source, destination, channel, order: 'held-first', pieces, origin: undefined });
  };
  for (const [index, { edges }] of trees.entries()) {
    const height = edges[edges.length - 1].depth;
    for (const { from, to, depth } of edges) {
      send(height - depth + 1, 'reduce', to, from, index * count);
      send(height + depth, 'copy', from, to, index * count);
    }
  }
  const builder = new StepsBuilder();
  for (const step of steps) {
    for (const transfer of step) builder.add(transfer);
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: true, ring: false, steps: builder.build() };
}

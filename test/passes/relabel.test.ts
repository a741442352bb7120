/** The same schedule played by other ranks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collective, collectiveFacts, inputChunks, outputChunks } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { relabel } from '../../src/passes/index.ts';
import { collectiveOf, unorderedKinds } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { outputsOf } from '../lower/meaning.ts';
import { schedules } from '../lower/random-schedules.ts';
import { binomialScatter, ringAllgather, transfersOf } from './algorithms.ts';

describe('relabelling', () => {
  it('moves transfers to other ranks and shards with their ranks', () => {
    const moved = relabel(ringAllgather(3), [2, 0, 1]);
    expect(transfersOf(moved)[0]).toEqual([
      copy(2, 0, piece('data 4 2')),
      copy(0, 1, piece('data 0 2')),
      copy(1, 2, piece('data 2 2')),
    ]);
  });

  it('cuts pieces where shards part and joins them where shards meet', () => {
    const moved = relabel(binomialScatter(4), [0, 2, 3, 1]);
    expect(transfersOf(moved)[0]).toEqual([copy(0, 3, piece('data 3'), piece('data 1'))]);
    const kept = relabel(binomialScatter(4), [1, 0, 2, 3]);
    expect(transfersOf(kept)[0]).toEqual([copy(1, 2, piece('data 2 2'))]);
  });

  it('moves the root', () => {
    expect(relabel(binomialScatter(4), [2, 1, 0, 3]).collective.root).toBe(2);
    expect(relabel(ringAllgather(3), [2, 1, 0]).collective.root).toBe(0);
  });

  it('of any schedule gives every rank what the position had', () => {
    const samples = schedules({ kinds: unorderedKinds, namesInput: true }).chain((forward) => {
      const ranks = Array.from({ length: forward.collective.ranks }, (_, rank) => rank);
      return fc.tuple(fc.constant(forward), fc.shuffledSubarray(ranks, { minLength: ranks.length }));
    });
    fc.assert(
      fc.property(samples, ([forward, order]) => {
        const moved = relabel(forward, order);
        const outputs = outputsOf(moved);
        outputsOf(forward).forEach((output, position) => {
          output.forEach((value, chunk) => {
            const there = moveChunk(chunk, outputChunks(forward.collective, position), forward.collective, order);
            expect(outputs[order[position]][there]).toBe(renamed(value, forward.collective, order));
          });
        });
      }),
      drawn(300),
    );
  });

  it.each([
    ['a scan', schedule(collectiveOf('scan', 2), []), [1, 0]],
    ['an operator that does not commute', schedule(collectiveOf('allreduce', 2, { ordered: true }), []), [1, 0]],
    ['a rank twice', ringAllgather(3), [0, 0, 1]],
    ['a rank missing', ringAllgather(3), [0, 1]],
    ['a rank that does not exist', ringAllgather(3), [0, 1, 3]],
  ])('is refused for %s', (_, forward, order) => {
    expect(() => relabel(forward, order)).toThrow(CccError);
  });
});

/** Where a chunk of a buffer goes: with its shard if the buffer has one per rank. */
function moveChunk(chunk: number, size: number, { kind, ranks, chunks }: Collective, order: readonly number[]): number {
  if (!collectiveFacts[kind].sharded || size !== ranks * chunks) return chunk;
  return order[Math.floor(chunk / chunks)] * chunks + (chunk % chunks);
}

/** A value whose contributions come from the ranks that now play their positions. */
function renamed(value: string, target: Collective, order: readonly number[]): string {
  return value.replaceAll(/(\d+)\.(\d+)/g, (_, rank: string, chunk: string) => {
    const there = moveChunk(Number(chunk), inputChunks(target, Number(rank)), target, order);
    return `${order[Number(rank)]}.${there}`;
  });
}

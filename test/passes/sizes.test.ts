/** Slices of a schedule written out, and chunks of any size: the results stay what the collective says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputChunks } from '../../src/ir/collective.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { resize, sizeClasses, unroll } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { outputsOf } from '../lower/meaning.ts';
import { algorithms, bruckAllgather, ringAllgather, sorted, wanted } from './algorithms.ts';

const named = Object.entries(algorithms);

function expectRight(made: Schedule): void {
  outputsOf(made).forEach((output, rank) => {
    const chunks = outputChunks(made.collective, rank);
    expect(output.map(sorted)).toEqual(wanted(made.collective, rank, chunks));
  });
}

describe('slices written out', () => {
  it.each(named)('of %s come to the same, slice by slice', (_, make) => {
    const single = make(5);
    const sliced = unroll(single, 3);
    expect(sliced.collective.chunks).toBe(3 * single.collective.chunks);
    expect(sliced.steps.stepCount).toBe(3 * single.steps.stepCount);
    expect(sliced.steps.transferCount).toBe(3 * single.steps.transferCount);
    expectRight(sliced);
  });

  it('have scratch of their own, and messages of several shards have several pieces', () => {
    const steps = [
      [copy(0, 1, piece('data 0 2', 'scratch 0'))],
      [copy(1, 1, piece('scratch 0 2', 'data 0'))],
      [copy(1, 0, piece('data 2 2', 'data 2'))],
    ];
    const single = schedule(collectiveOf('allgather', 2, { chunks: 2 }), steps, { scratch: 2 });
    const sliced = unroll(single, 2);
    expect(sliced.scratch).toBe(4);
    expectRight(sliced);
    const both = schedule(collectiveOf('alltoall', 2, { chunks: 1 }), [[copy(0, 1, piece('data 0 2'))]]);
    expect(
      unroll(both, 2)
        .steps.transfer(1)
        .pieces.map(({ fromOffset }) => fromOffset),
    ).toEqual([1, 3]);
  });
});

describe('chunks of any size', () => {
  it.each(named)('of %s come to the same, and need no more messages', (_, make) => {
    const single = unroll(make(4), 2);
    const classes = sizeClasses(single, true);
    if (classes === undefined) throw new Error('this collective has shards');
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: classes.count, maxLength: classes.count }), (sizes) => {
        const counts = Int32Array.from(sizes, (size, of) => (of === 0 ? size + 1 : size));
        const resized = resize(single, classes, counts);
        expect(resized.steps.transferCount).toBeLessThanOrEqual(single.steps.transferCount);
        expectRight(resized);
      }),
      drawn(20),
    );
  });

  it('may be different in every shard where shards stay in their places', () => {
    const ring = ringAllgather(3);
    const classes = sizeClasses(ring, false);
    expect(classes?.count).toBe(6);
    if (classes === undefined) return;
    const resized = resize(ring, classes, Int32Array.of(1, 3, 4, 0, 2, 2));
    expect(resized.collective.chunks).toBe(4);
    expectRight(resized);
    expect(() => resize(ring, classes, Int32Array.of(1, 3, 4, 1, 2, 2))).toThrow('shards of 4, 5, 4 chunks');
  });

  it('are the same where shards move through the places of others', () => {
    // Bruck gathers into the places behind the own one, and turns the result round at the end.
    expect(sizeClasses(unroll(bruckAllgather(5), 2), false)?.count).toBe(2);
  });

  it('need a data buffer', () => {
    expect(sizeClasses(schedule(collectiveOf('barrier', 2), []), true)).toBeUndefined();
  });
});

/** Shards of different sizes: a chunk that is put where a smaller one belongs is cut off, and the plan is wrong. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchDefaults } from '../../src/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { planOf } from './plans.ts';

describe('a chunk on its way through other places', () => {
  /** Rank 1 takes rank 0's shard in at `place`, and then brings it where it belongs. */
  const through = (place: string, counts: readonly number[], inPlace = false) =>
    planOf({
      collective: collectiveOf('allgather', 3, { counts, inPlace }),
      scratch: 1,
      programs: [
        [['copy i0 o0', 'send i0 1', 'send i0 2', 'recv o1 1', 'recv o2 2']],
        [[`recv ${place} 0`, `copy ${place} o0`, 'copy i0 o1', 'send i0 0', 'send i0 2', 'recv o2 2']],
        [['copy i0 o2', 'recv o0 0', 'recv o1 1', 'send i0 0', 'send i0 1']],
      ],
    });

  it('is right where the place is as large, and in scratch', () => {
    expect(verify(through('o2', [4, 8, 4])).verdict).toBe('correct');
    expect(verify(through('o2', [4, 8, 400])).verdict).toBe('correct');
    expect(verify(through('s0', [400, 8, 4])).verdict).toBe('correct');
  });

  it('is cut off where the place is smaller, and the story says where', () => {
    const { verdict, findings } = verify(through('o2', [400, 8, 4]));
    expect(verdict).toBe('wrong-result');
    expect(findings[0].message).toContain(
      'output[0] of rank 1 should hold in[0][0], but holds a larger chunk, cut off',
    );
    expect(findings[0].story?.some(({ text }) => text.includes('recv output[2] from rank 0'))).toBe(true);
  });

  it('fits exactly where its own size says so', () => {
    const counts = fc.array(fc.nat(3), { minLength: 3, maxLength: 3 });
    const place = fc.constantFrom(1, 2);
    fc.assert(
      fc.property(counts, place, (sizes, slot) => {
        // Of a shard of no bytes nobody asks.
        const fits = sizes[0] === 0 || sizes[0] <= sizes[slot];
        expect(verify(through(`o${slot}`, sizes)).verdict).toBe(fits ? 'correct' : 'wrong-result');
      }),
    );
  });

  it('is missing in the sum that it was for', () => {
    // In place rank 0 takes rank 1's part of shard 0 in where its own shard 1 was.
    const summed = (counts: readonly number[]) =>
      planOf({
        collective: collectiveOf('reducescatter', 2, { counts, inPlace: true }),
        programs: [[['send i1 1', 'recv i1 1', 'reduce i1 o0']], [['send i0 0'], ['recvReduce o0 0']]],
      });
    expect(verify(summed([4, 8])).verdict).toBe('correct');
    expect(verify(summed([8, 4])).verdict).toBe('wrong-result');
  });
});

describe('an alltoall in place', () => {
  const swap = (counts: readonly number[]) =>
    planOf({
      collective: collectiveOf('alltoall', 2, { counts, inPlace: true }),
      scratch: 1,
      programs: [[['copy i1 s0', 'send s0 1', 'recv o1 1']], [['copy i0 s0', 'send s0 0', 'recv o0 0']]],
    });

  it('needs pairs of one size, since one takes the place of the other', () => {
    expect(verify(swap([4, 8, 8, 12])).verdict).toBe('correct');
    const { verdict, findings } = verify(swap([4, 8, 4, 12]));
    expect(verdict).toBe('malformed');
    expect(findings[0].message).toContain('ranks 0 and 1 must give each other the same number of bytes');
  });

  it('is not compiled for others', () => {
    const topology = resolveTopology('ring:2');
    const target = collectiveOf('alltoall', 2, { counts: [4, 8, 4, 12], inPlace: true });
    expect(() => searchPlan({ ...searchDefaults, collective: target, topology, size: 16 })).toThrow(
      'ranks 0 and 1 must give each other the same number of bytes, not 8 and 4',
    );
  });
});

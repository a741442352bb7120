/** What whole chunks cost, against counting by hand: n chunks over k links alike put ⌈n/k⌉ on one of them. */
import { describe, expect, it } from 'vitest';
import { wholeChunkFactor } from '../../src/compile/whole-chunks.ts';
import { resolveTopology } from '../../src/read/index.ts';

const factor = (kind: 'allgather' | 'reducescatter' | 'broadcast', name: string, chunks: number): number =>
  wholeChunkFactor(kind, resolveTopology(name), chunks);

describe('wholeChunkFactor', () => {
  it('rounds up what one of the links must carry', () => {
    // 63 chunks come in over 6 links: 11 over one of them, not 10.5.
    expect(factor('allgather', 'hypercube:6', 1)).toBeCloseTo(11 / 10.5, 12);
    expect(factor('reducescatter', 'hypercube:6', 2)).toBe(1);
    expect(factor('allgather', 'ring:4', 1)).toBeCloseTo(2 / 1.5, 12);
  });

  it('asks the chips with the fewest links', () => {
    // A corner of a mesh has two links for 63 chunks.
    expect(factor('allgather', 'mesh:8x8', 1)).toBeCloseTo(32 / 31.5, 12);
  });

  it('claims nothing where links differ, or of collectives that it does not know', () => {
    expect(factor('allgather', 'mi250', 1)).toBe(1);
    expect(factor('broadcast', 'hypercube:6', 1)).toBe(1);
    expect(factor('allgather', 'ring:1', 1)).toBe(1);
  });
});

/** Which numbers of ranks a map has rows for. */
import { describe, expect, it } from 'vitest';
import { topologiesNamed } from '../../src/cli/tune/map.ts';

describe('the rows of a map of ranks and sizes', () => {
  const rows = (first: number, last: number): readonly number[] =>
    topologiesNamed('ring:N', { first, last }).map((name) => Number(name?.replace('ring:', '')));

  it('are all numbers up to sixteen of them', () => {
    expect(rows(2, 17)).toEqual(Array.from({ length: 16 }, (_, index) => index + 2));
  });

  it('are both ends, powers of two and their neighbours where there are more', () => {
    const some = rows(2, 23);
    expect(some).toHaveLength(16);
    expect(some).toEqual(expect.arrayContaining([2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23]));
    expect(rows(2, 1000)).toEqual(expect.arrayContaining([2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 3, 5, 9]));
    expect(rows(100, 130)).toEqual(expect.arrayContaining([100, 127, 128, 129, 130]));
  });
});

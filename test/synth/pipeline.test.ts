/** The search for a pipeline's depth, on costs whose minimum is known. */
import { describe, expect, it } from 'vitest';
import { bestDepth } from '../../src/synth/index.ts';

/** A chain of `ranks`: (N + k − 2)(α + M/(kβ)), least at k* = √((N − 2)M/(αβ)). */
const chain =
  (ranks: number, ratio: number) =>
  (k: number): number =>
    (ranks + k - 2) * (1 + ratio / k);

const goOn = () => true;
const most = 2 ** 20;

describe('the best depth', () => {
  it.each([
    [3, 100],
    [10, 8],
    [64, 1000],
    [5, 0.01],
  ])(
    'of a chain of %i with M/(αβ) = %d is next to √((N − 2)·ratio), from wherever the search starts',
    (ranks, ratio) => {
      const exact = Math.max(1, Math.sqrt((ranks - 2) * ratio));
      const cost = chain(ranks, ratio);
      const least = Math.min(cost(Math.floor(exact)), cost(Math.ceil(exact)));
      for (const start of [1, 2, 7, 300, 100_000]) {
        expect(bestDepth(cost, most, goOn, start).seconds).toBe(least);
      }
    },
  );

  it('is 1 where depth only costs, and the greatest where it always pays', () => {
    expect(bestDepth((k) => k, most, goOn, 50).depth).toBe(1);
    expect(bestDepth((k) => 1 / k, 100, goOn, 3).depth).toBe(100);
    expect(bestDepth(() => 1, most, goOn, 9).depth).toBe(1);
  });

  it('is the best seen when the search is ended', () => {
    let left = 2;
    expect(bestDepth(chain(64, 1000), most, () => left-- > 0, 8).depth).toBe(16);
    expect(bestDepth(chain(64, 1000), most, () => false, 8)).toEqual({ depth: 1, seconds: Number.POSITIVE_INFINITY });
  });

  it('is found to within the precision asked for, in fewer looks', () => {
    const cost = chain(64, 1000);
    const looksOf = (precision: number) => {
      let looks = 0;
      const { seconds } = bestDepth(cost, most, () => looks++ >= 0, 1, precision);
      return { looks, seconds };
    };
    const [coarse, fine] = [looksOf(0.25), looksOf(0)];
    expect(coarse.looks).toBeLessThan(fine.looks);
    expect(coarse.seconds).toBeLessThan(fine.seconds * 1.02);
  });
});

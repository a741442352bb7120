/** Attempts of which one is given up in the middle: what the others had found is kept. */
import { describe, expect, it } from 'vitest';
import { WorkBudgetExceeded } from '../../../src/ir/effort.ts';
import { fastest } from '../../../src/synth/list/attempts.ts';

/** Attempts that take so long; undefined is one that is given up. */
function fastestOf(...times: readonly (number | undefined)[]): number | undefined {
  let given = 0;
  const attempt = (number: number) => {
    given = number;
    const seconds = times[number];
    if (seconds === undefined) throw new WorkBudgetExceeded();
    return { seconds, work: 1 };
  };
  const isGivenUp = (): boolean => times[given] === undefined;
  return fastest(attempt, 0, { effort: 'full', shouldStop: isGivenUp })?.seconds;
}

describe('attempts', () => {
  it('leave the best of those before one that is given up, and there are none after it', () => {
    expect(fastestOf(3, 2, 4, undefined, 1)).toBe(2);
  });

  it('are given up where the first is: there is nothing to keep', () => {
    expect(() => fastestOf(undefined, 1)).toThrow(WorkBudgetExceeded);
  });
});

import { describe, expect, it } from 'vitest';
import { testFactor, testSeed } from '../../draw.ts';
import { agree, type Tally } from '../agreement.ts';
import { mutationScores } from './mutation-score.ts';
import { nearRight } from './near-right.ts';

describe('the verifier agrees with trying every interleaving', () => {
  it('on plans that are right or nearly so', () => {
    const tally: Tally = new Map();
    const count = 2000 * testFactor;
    for (let plan = 0; plan < count; plan++) {
      const found = nearRight(testSeed * count + plan);
      if (found !== undefined) agree(found.plan, found.inflight, tally, () => found.about);
    }
    expect(tally.get('correct')).toBeGreaterThan(100);
    for (const verdict of ['malformed', 'mismatched', 'race', 'wrong-result', 'strictly free']) {
      expect(tally.get(verdict) ?? 0, `plans judged ${verdict}`).toBeGreaterThan(10);
    }
    for (const verdict of ['uninitialised', 'deadlock', 'strictly race']) {
      expect(tally.get(verdict) ?? 0, `plans judged ${verdict}`).toBeGreaterThan(0);
    }
  });
});

describe('mistakes in plans of shipped schedules', () => {
  const scores = mutationScores({
    ranks: [2, 3, 4],
    perKind: 1,
    mostStates: 5000,
    runs: 5,
    seed: testSeed,
    oneIn: testFactor > 1 ? 1 : 4,
  });

  it.each([...scores])('are all rejected for the right reason: %s', (_name, score) => {
    expect(score.failures).toEqual([]);
    expect(score.rightReason).toBe(score.wrong);
    expect(score.wrong).toBeGreaterThan(0);
  });

  it('are of every kind', () => {
    expect([...scores.keys()].sort()).toEqual([
      ...[
        'change a buffer',
        'change a channel',
        'change a chunk',
        'change a count',
        'change a peer',
        'copy for reduce',
      ],
      ...['double a transfer', 'drop a dependency', 'drop a transfer', 'shrink in-flight', 'swap two operations'],
      'turn the operands',
    ]);
  });
});

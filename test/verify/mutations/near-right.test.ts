import { describe, expect, it } from 'vitest';
import { agree, type Tally } from '../agreement.ts';
import { mutationScores } from './mutation-score.ts';
import { nearRight } from './near-right.ts';

describe('the verifier agrees with trying every interleaving', () => {
  // The long part: npx tsx test/verify/exhaustive/long.ts 20000
  it('on plans that are right or nearly so', () => {
    const tally: Tally = new Map();
    for (let seed = 1; seed <= 2000; seed++) {
      const found = nearRight(seed);
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
  // The long part: npx tsx test/verify/mutations/mutation-long.ts 20
  const scores = mutationScores({ ranks: [2, 3, 4], perKind: 1, mostStates: 5000, runs: 5, seed: 3, oneIn: 4 });

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

/** Barriers of allgathers: the messages stay, of one token each. */
import { describe, expect, it } from 'vitest';
import { StepsBuilder } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { reverse, tokensOf } from '../../src/passes/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { bruckAllgather, ringAllgather } from './algorithms.ts';

const verdictOf = (ranks: number, move: ReturnType<typeof ringAllgather>): string =>
  verify(lower(tokensOf(move, collectiveOf('barrier', ranks)))).verdict;

describe('tokens', () => {
  it('of an allgather are a barrier', () => {
    for (const ranks of [1, 2, 3, 5, 8]) {
      expect(verdictOf(ranks, ringAllgather(ranks))).toBe('correct');
      expect(verdictOf(ranks, bruckAllgather(ranks))).toBe('correct');
    }
  });

  it('are one for each message, however many chunks it has', () => {
    const { steps } = tokensOf(bruckAllgather(8), collectiveOf('barrier', 8));
    // Everyone puts its own token down; then one message per rank in each of three steps.
    expect(steps.transferCount).toBe(8 + 3 * 8);
    expect(steps.count.every((count) => count === 1)).toBe(true);
  });

  it('of less than an allgather leave somebody unheard', () => {
    const { steps, ...rest } = ringAllgather(4);
    const lastStep = steps.stepStart[steps.stepCount - 1];
    const builder = new StepsBuilder();
    for (let step = 0; step < steps.stepCount - 1; step++) {
      for (const transfer of steps.inStep(step)) builder.add(transfer);
      builder.endStep();
    }
    expect(lastStep).toBeGreaterThan(0);
    expect(verdictOf(4, { ...rest, steps: builder.build() })).toBe('wrong-result');
  });

  it('are made of allgathers of as many ranks only', () => {
    const reducescatter = reverse(ringAllgather(3), collectiveOf('reducescatter', 3, { chunks: 2 }));
    expect(() => tokensOf(reducescatter, collectiveOf('barrier', 3))).toThrow('is no allgather of 3 ranks');
    expect(() => tokensOf(ringAllgather(3), collectiveOf('barrier', 4))).toThrow('is no allgather of 4 ranks');
  });
});

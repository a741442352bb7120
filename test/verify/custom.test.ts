/** What custom collectives want has to be in the memories of ranks, run by run to the last slot. */
import { describe, expect, it } from 'vitest';
import type { Contribution } from '../../src/ir/collective.ts';
import { CustomResultsBuilder } from '../../src/ir/custom-results.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { planOf } from './plans.ts';

/** Rank 0 wants `count` slots that combine what stands from `parts` on; both ranks have three chunks of input and of output. */
function messages(parts: readonly Contribution[] | null, count: number): string[] {
  const results = new CustomResultsBuilder();
  results.openRank();
  results.add(parts, count);
  results.openRank();
  const custom = { input: [3, 3], output: [3, 3], results: results.build() };
  const shape = { ranks: 2, chunks: 3, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
  const plan = planOf({ collective: { kind: 'custom', ...shape, custom }, programs: [[], []] });
  const { verdict, findings } = verify(plan, { topology: resolveTopology('ring:2') });
  return verdict === 'malformed' ? findings.map(({ message }) => message) : [];
}

describe('what a custom collective wants', () => {
  const where = (slot: number): string => `What the custom collective wants in output[${slot}] of rank 0`;

  it('may be all there is', () => {
    expect(messages([{ rank: 1, chunk: 0 }], 3)).toEqual([]);
    expect(messages(null, 3)).toEqual([]);
  });

  it('may not be more input than there is, where only the end of a run is', () => {
    expect(messages([{ rank: 1, chunk: 1 }], 2)).toEqual([]);
    const [finding, ...others] = messages([{ rank: 1, chunk: 1 }], 3);
    expect([finding, others]).toEqual([`${where(2)} needs input[3] of rank 1, which is no input.`, []]);
  });

  it('may not be wanted where there is no output, where only the end of a run is', () => {
    expect(messages([{ rank: 0, chunk: 0 }], 4)).toEqual([`${where(3)} lies outside its output.`]);
    expect(messages([{ rank: 0, chunk: -1 }], 1)).toEqual([
      `${where(0)} needs input[-1] of rank 0, which is no input.`,
    ]);
  });

  it('may not be the reduction of nothing', () => {
    expect(messages([], 1)).toEqual([`${where(0)} is the reduction of nothing.`]);
  });
});

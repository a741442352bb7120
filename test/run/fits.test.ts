/** Sizes that do not divide: plans that keep chunks where others belong are right at the others, and refused at these. */
import { describe, expect, it } from 'vitest';
import { runDefaults, searchDefaults } from '../../src/index.ts';
import { lower } from '../../src/lower/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { run } from '../../src/run/index.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { prove } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { planOf } from '../verify/plans.ts';

/** An allgather of two ranks, in which rank 0 first takes rank 1's shard in where its own belongs. */
const detour = planOf({
  collective: collectiveOf('allgather', 2),
  programs: [[['recv o0 1', 'copy o0 o1', 'copy i0 o0'], ['send i0 1']], [['copy i0 o1', 'send i0 0', 'recv o0 0']]],
});

/** The same through scratch. */
const throughScratch = planOf({
  collective: collectiveOf('allgather', 2),
  scratch: 1,
  programs: [[['recv s0 1', 'copy s0 o1', 'copy i0 o0'], ['send i0 1']], [['copy i0 o1', 'send i0 0', 'recv o0 0']]],
});

async function runsWith(plan: typeof detour, elements: number): Promise<void> {
  const { proved } = prove(plan);
  if (proved === undefined) throw new Error('the plan is not correct');
  const { wrong } = await run(proved, { ...runDefaults, size: 4 * elements, repetitions: 1, warmups: 0, threads: 0 });
  expect(wrong).toEqual([]);
}

describe('a chunk where another belongs', () => {
  // Rank 0's shard has ⌊n/2⌋ elements, rank 1's ⌈n/2⌉.
  it.each([0, 2, 4, 10])('fits with %i elements, which two ranks share evenly', async (elements) => {
    await runsWith(detour, elements);
  });

  it.each([1, 3, 5, 11])('does not with %i', async (elements) => {
    await expect(runsWith(detour, elements)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('a multiple of 8 bytes'),
    });
  });

  it.each([0, 1, 2, 3, 11])('has room in scratch with %i', async (elements) => {
    await runsWith(throughScratch, elements);
  });
});

describe('a schedule that keeps chunks where others belong', () => {
  /** Two ranks swap the halves of a vector and swap them back: in between, each holds a half where the other one belongs. */
  const swap = (inPlace: boolean) =>
    schedule(collectiveOf('broadcast', 2, { chunks: 2, inPlace }), [
      [copy(0, 1, piece('data 0', 'data 1')), copy(0, 1, piece('data 1', 'data 0'))],
      [copy(1, 1, piece('data 0', 'scratch 0')), copy(1, 1, piece('data 1', 'data 0'))],
      [copy(1, 1, piece('scratch 0', 'data 1'))],
    ]);

  it.each([false, true])('becomes a plan that is right at any size (in place: %s)', async (inPlace) => {
    const plan = lower({ ...swap(inPlace), scratch: 1 });
    for (const elements of [0, 1, 2, 3, 8, 9]) await runsWith(plan, elements);
  });
});

describe('scans as two alltoalls', () => {
  it.each(['scan', 'exscan'] as const)('%s is right at sizes that do not divide', async (kind) => {
    const topology = resolveTopology('ring:4');
    const request = { ...searchDefaults, engine: 'scans', collective: collectiveOf(kind, 4), topology, size: 2 ** 18 };
    const { bundle } = searchPlan(request);
    expect(bundle.origin?.recipe).toContain('local scan and back');
    for (const elements of [1, 7, 2501]) await runsWith(bundle.proved.plan, elements);
  });
});

/** The fixed rules of MPI libraries, against cases read off their sources by hand. */
import { describe, expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { listShipped } from '../../src/read/index.ts';
import { compareWithLibraries } from '../../src/tune/comparing.ts';
import { ruleBooks } from '../../src/tune/fixed-rules/index.ts';
import { tuneSizes } from '../../src/tune/tune.ts';
import { requestFor } from './request.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Library, collective, ranks, M in bytes: the schedule and its segment. */
const cases: readonly (readonly [string, CollectiveKind, number, number, string, number?])[] = [
  ['MPICH (2005)', 'allgather', 8, 512 * KiB - 1, 'recursive-doubling-allgather'],
  ['MPICH (2005)', 'allgather', 8, 512 * KiB, 'ring-allgather'],
  ['MPICH (2005)', 'allgather', 6, 80 * KiB - 1, 'bruck-allgather'],
  ['MPICH (2005)', 'allgather', 6, 80 * KiB, 'ring-allgather'],
  ['MPICH (2005)', 'allreduce', 5, 2 * KiB, 'recursive-doubling-allreduce'],
  ['MPICH (2005)', 'allreduce', 5, 2 * KiB + 1, 'rabenseifner-allreduce'],
  ['MPICH (2005)', 'reducescatter', 6, 256 * KiB - 1, 'folded-recursive-halving-reducescatter'],
  ['MPICH (2005)', 'reducescatter', 6, 256 * KiB, 'pairwise-reducescatter'],
  ['MPICH (2005)', 'alltoall', 8, 8 * 256, 'bruck-alltoall'],
  ['MPICH (2005)', 'alltoall', 7, 7 * 256, 'full-mesh-alltoall'],
  ['MPICH (2005)', 'alltoall', 8, 8 * 32 * KiB, 'full-mesh-alltoall'],
  ['MPICH (2005)', 'alltoall', 8, 8 * 32 * KiB + 8, 'pairwise-alltoall'],
  ['MPICH 4.0 to 5.0', 'allreduce', 5, 8, 'recursive-doubling-allreduce'],
  ['MPICH 4.0 to 5.0', 'allreduce', 5, 9, 'rabenseifner-allreduce'],
  ['MPICH 4.0 to 5.0', 'broadcast', 7, MiB, 'binomial-broadcast'],
  ['MPICH 4.0 to 5.0', 'broadcast', 8, 12 * KiB, 'binomial-broadcast'],
  ['MPICH 4.0 to 5.0', 'broadcast', 8, 512 * KiB, 'scatter-recursive-doubling-allgather-broadcast'],
  ['MPICH 4.0 to 5.0', 'broadcast', 8, 512 * KiB + 1, 'scatter-ring-allgather-broadcast'],
  ['MPICH 4.0 to 5.0', 'broadcast', 9, 12 * KiB + 1, 'scatter-ring-allgather-broadcast'],
  ['MPICH 4.0 to 5.0', 'reducescatter', 8, 512 * KiB - 1, 'recursive-halving-reducescatter'],
  ['MPICH 4.0 to 5.0', 'reducescatter', 8, 512 * KiB, 'pairwise-reducescatter'],
  ['MPICH 4.0 to 5.0', 'reduce', 8, 2 * KiB, 'binomial-reduce'],
  ['MPICH 4.0 to 5.0', 'reduce', 8, 2 * KiB + 1, 'rabenseifner-reduce'],
  ['Open MPI up to 4.0', 'allreduce', 4, 9_999, 'recursive-doubling-allreduce'],
  ['Open MPI up to 4.0', 'allreduce', 4, 10_000, 'ring-allreduce'],
  ['Open MPI up to 4.0', 'allreduce', 4, 4 * MiB, 'ring-allreduce'],
  ['Open MPI up to 4.0', 'allreduce', 4, 4 * MiB + 1, 'segmented-ring-allreduce', MiB],
  ['Open MPI up to 4.0', 'broadcast', 5, 2047, 'binomial-broadcast'],
  ['Open MPI up to 4.0', 'broadcast', 5, 2048, 'segmented-binary-tree-broadcast', KiB],
  // 1.6134e-6 · 2 MiB + 2.1102 = 5.49: a chain for 5 ranks, for 6 a tree; 2.3679e-6 · 6 MiB + 1.1787 = 16.1, 1.6134e-6 · 6 MiB + 2.1102 = 12.3.
  ['Open MPI up to 4.0', 'broadcast', 5, 2 * MiB, 'pipelined-chain-broadcast', 128 * KiB],
  ['Open MPI up to 4.0', 'broadcast', 6, 2 * MiB, 'segmented-binary-tree-broadcast', 8 * KiB],
  ['Open MPI up to 4.0', 'broadcast', 16, 6 * MiB, 'pipelined-chain-broadcast', 64 * KiB],
  // 3.2118e-6 · 6 MiB + 8.7936 = 29.0.
  ['Open MPI up to 4.0', 'broadcast', 28, 6 * MiB, 'pipelined-chain-broadcast', 16 * KiB],
  ['Open MPI up to 4.0', 'broadcast', 30, 6 * MiB, 'pipelined-chain-broadcast', 8 * KiB],
  ['Open MPI up to 4.0', 'reduce', 7, 511, 'linear-reduce'],
  ['Open MPI up to 4.0', 'reduce', 7, 20_479, 'binomial-reduce'],
  // 32 KiB: 0.6016 · 32 + 1.35 = 20.6, 0.041 · 32 + 9.7 = 11.02, 0.0422 · 32 + 1.16 = 2.51.
  ['Open MPI up to 4.0', 'reduce', 21, 32 * KiB, 'binomial-reduce', KiB],
  ['Open MPI up to 4.0', 'reduce', 20, 32 * KiB, 'pipelined-chain-reduce', KiB],
  ['Open MPI up to 4.0', 'reduce', 11, 32 * KiB, 'segmented-binary-tree-reduce', 32 * KiB],
  // 1 MiB: 0.0422 · 1024 + 1.16 = 44.4, 0.0033 · 1024 + 1.68 = 5.06, but 0.041 · 1024 + 9.71 = 51.7.
  ['Open MPI up to 4.0', 'reduce', 44, MiB, 'pipelined-chain-reduce', 32 * KiB],
  ['Open MPI up to 4.0', 'reduce', 5, MiB, 'pipelined-chain-reduce', 64 * KiB],
  ['Open MPI up to 4.0', 'gather', 11, 11 * 1023, 'binomial-gather'],
  ['Open MPI up to 4.0', 'gather', 11, 11 * 1024, 'linear-gather'],
  ['Open MPI up to 4.0', 'gather', 61, 61 * 6000, 'binomial-gather'],
  ['Open MPI up to 4.0', 'scatter', 11, 11 * 299, 'binomial-scatter'],
  ['Open MPI up to 4.0', 'scatter', 10, 10 * 299, 'linear-scatter'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 4, 15, 'ring-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 7, 8191, 'recursive-doubling-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 7, 8192, 'rabenseifner-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 64, 262_143, 'recursive-doubling-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 128, 131_071, 'reduce-broadcast-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 5000, 20_000, 'recursive-doubling-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allgather', 31, MiB, 'bruck-allgather'],
  ['Open MPI 4.1 and 5.0', 'allgather', 16, MiB, 'recursive-doubling-allgather'],
  ['Open MPI 4.1 and 5.0', 'allgather', 32, 32 * 65_535, 'neighbour-exchange-allgather'],
  ['Open MPI 4.1 and 5.0', 'allgather', 33, 33 * 65_535, 'ring-allgather'],
  ['Open MPI 4.1 and 5.0', 'allgather', 32, 32 * 65_536, 'ring-allgather'],
  ['Open MPI 4.1 and 5.0', 'alltoall', 20, 20 * 511, 'bruck-alltoall'],
  ['Open MPI 4.1 and 5.0', 'alltoall', 20, 20 * 512, 'full-mesh-alltoall'],
  ['Open MPI 4.1 and 5.0', 'alltoall', 7, 7 * 524_288, 'pairwise-alltoall'],
  ['Open MPI 4.1 and 5.0', 'broadcast', 7, 8192, 'linear-broadcast'],
  ['Open MPI 4.1 and 5.0', 'broadcast', 7, MiB, 'chain-broadcast'],
  ['Open MPI 4.1 and 5.0', 'broadcast', 40, 2048, 'k-nomial-broadcast'],
  ['Open MPI 4.1 and 5.0', 'broadcast', 16, MiB, 'scatter-recursive-doubling-allgather-broadcast'],
  ['Open MPI 4.1 and 5.0', 'reduce', 8, 8191, 'segmented-binary-tree-reduce'],
  ['Open MPI 4.1 and 5.0', 'reduce', 8, 8192, 'binomial-reduce'],
  ['Open MPI 4.1 and 5.0', 'reducescatter', 7, 262_143, 'folded-recursive-halving-reducescatter'],
  ['Open MPI 4.1 and 5.0', 'reducescatter', 8, 262_144, 'ring-reducescatter'],
  ['Open MPI 4.1 and 5.0', 'gather', 7, 7 * 1024, 'linear-gather'],
  ['Open MPI 4.1 and 5.0', 'gather', 8, 8 * MiB, 'binomial-gather'],
  ['Open MPI 4.1 and 5.0', 'scatter', 9, 9 * 16_383, 'binomial-scatter'],
  ['Open MPI 4.1 and 5.0', 'scatter', 9, 9 * 16_384, 'linear-scatter'],
];

/** The same for operators that do not commute. */
const casesInOrder: readonly (readonly [string, CollectiveKind, number, number, string])[] = [
  ['MPICH (2005)', 'reducescatter', 6, 255, 'recursive-doubling-reducescatter'],
  ['MPICH (2005)', 'reducescatter', 6, 256, 'in-order-pairwise-reducescatter'],
  ['MPICH (2005)', 'allreduce', 6, MiB, 'recursive-doubling-allreduce'],
  ['MPICH 4.0 to 5.0', 'reducescatter', 8, MiB, 'in-order-recursive-halving-reducescatter'],
  ['MPICH 4.0 to 5.0', 'reducescatter', 9, MiB, 'recursive-doubling-reducescatter'],
  ['MPICH 4.0 to 5.0', 'reduce', 9, MiB, 'in-order-binomial-reduce'],
  ['Open MPI up to 4.0', 'allreduce', 9, 9_999, 'recursive-doubling-allreduce'],
  ['Open MPI up to 4.0', 'allreduce', 9, 10_000, 'reduce-broadcast-allreduce'],
  ['Open MPI up to 4.0', 'reduce', 11, 2047, 'linear-reduce'],
  ['Open MPI up to 4.0', 'reduce', 12, 2047, 'in-order-binary-reduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 3, 131_072, 'single-node-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 15, MiB, 'reduce-broadcast-allreduce'],
  ['Open MPI 4.1 and 5.0', 'allreduce', 127, MiB, 'recursive-doubling-allreduce'],
  ['Open MPI 4.1 and 5.0', 'reduce', 7, MiB, 'linear-reduce'],
  ['Open MPI 4.1 and 5.0', 'reduce', 8, 16_383, 'in-order-binary-reduce'],
  ['Open MPI 4.1 and 5.0', 'reducescatter', 8, MiB, 'nonoverlapping-reducescatter'],
];

/** What rules may name that `schedules/` does not have. */
const missing = ['k-nomial-broadcast', 'two-chain-reduce', 'in-order-binary-reduce', 'butterfly-reducescatter'];

describe('fixed rules', () => {
  const named = cases.map(([library, kind, ranks, size, schedule, segment]) => ({
    library,
    kind,
    ranks,
    size,
    schedule,
    segment,
  }));
  it.each(named)('of $library: $kind of $ranks ranks, $size bytes by $schedule', (given) => {
    const { library, kind, ranks, size, schedule, segment } = given;
    const book = ruleBooks.find((candidate) => candidate.library === library);
    expect(book?.rules[kind]?.(ranks, size)).toEqual(segment === undefined ? { schedule } : { schedule, segment });
  });

  it.each(casesInOrder)('in order of %s: %s of %i ranks, %i bytes by %s', (library, kind, ranks, size, schedule) => {
    const book = ruleBooks.find((candidate) => candidate.library === library);
    expect(book?.inOrder[kind]?.(ranks, size)).toEqual({ schedule });
  });

  it('are compared for operators that do not commute as well, by plans that keep the order', () => {
    const { collective, ...rest } = requestFor('reducescatter', 'switch:8', 2, { sizes: [128, 65_536] });
    const request = { ...rest, collective: { ...collective, ordered: true } };
    const compared = compareWithLibraries(request, tuneSizes(request));
    expect(compared.map(({ library }) => library)).toEqual(ruleBooks.map(({ library }) => library));
    const named = compared.flatMap(({ outcomes }) => outcomes.map(({ choice }) => choice.schedule));
    expect(new Set(named)).toEqual(
      new Set(casesInOrder.flatMap(([, kind, , , name]) => (kind === 'reducescatter' ? name : []))),
    );
    // Three exchanges of (1 − 1/8)·M in all, on 1 µs, 10 GB/s and 50 GB/s: the butterfly.
    const butterfly = compared.find(({ library }) => library.startsWith('MPICH 4'))?.outcomes[1].seconds;
    expect(butterfly).toBeCloseTo(3e-6 + (7 / 8) * 65_536 * (1 / 10e9 + 1 / 50e9), 12);
  });

  it('name schedules that there are, or known gaps, for every number of ranks and size', () => {
    const known = new Set([...listShipped('schedules'), ...missing]);
    for (const { rules, inOrder } of ruleBooks) {
      for (const rule of [...Object.values(rules), ...Object.values(inOrder)]) {
        for (const ranks of [2, 3, 4, 6, 8, 9, 16, 24, 33, 64, 100, 200, 300, 1000, 3000, 5000]) {
          for (let size = 1; size <= 2 ** 30; size *= 2) expect(known).toContain(rule(ranks, size).schedule);
        }
      }
    }
  });

  it('are timed on the machine and compared with what was tuned', () => {
    const request = requestFor('allgather', 'sg2260x4', 3);
    const result = tuneSizes(request);
    const compared = compareWithLibraries(request, result);
    const books = ruleBooks.map(({ library }) => library);
    expect(compared.map(({ library }) => library)).toEqual([...books, "NCCL's rings and trees"]);
    for (const { outcomes } of compared.filter(({ library }) => books.includes(library))) {
      expect(outcomes).toHaveLength(3);
      outcomes.forEach(({ seconds = Number.NaN, ratio, size, choice: { schedule } }, index) => {
        const alone = searchPlan({
          ...searchDefaults,
          ...request,
          size,
          algorithm: schedule,
          engine: 'library',
          bulks: 1,
        });
        // Compiling may put a ring in a better order than a library knows of.
        expect(seconds).toBeGreaterThanOrEqual(alone.bundle.cost.seconds * (1 - 1e-9));
        expect(ratio).toBeCloseTo(seconds / result.sizes[index].seconds, 9);
      });
    }
  });

  it('stand beside the rings and trees of NCCL, each in the bulks that suit the size', () => {
    const request = requestFor('allreduce', 'sg2260x4', 3);
    const result = tuneSizes(request);
    const [outcomes] = compareWithLibraries(request, result)
      .slice(-1)
      .map((compared) => compared.outcomes);
    outcomes.forEach(({ size, seconds = Number.NaN, ratio, optimality }, index) => {
      const times = ['nccl-ring', 'nccl-tree'].map((algorithm) => {
        const alone = searchPlan({ ...searchDefaults, ...request, size, algorithm, engine: 'nccl', bulks: 'auto' });
        return alone.bundle.cost.seconds;
      });
      // Plans are kept in use over several sizes, as long as they are within the tolerance.
      expect(seconds).toBeLessThanOrEqual(Math.min(...times) * (1 + request.tolerance + 1e-9));
      expect(ratio).toBeCloseTo(seconds / result.sizes[index].seconds, 9);
      expect(optimality).toBeCloseTo(result.sizes[index].bound / seconds, 9);
    });
  });

  it('that name an algorithm which the schedules lack have no time', () => {
    const request = requestFor('broadcast', 'ring:12', 2, { engine: 'library', sizes: [1024, 65_536] });
    const compared = compareWithLibraries(request, tuneSizes(request));
    const { outcomes } = compared.find(({ library }) => library === 'Open MPI 4.1 and 5.0') ?? { outcomes: [] };
    expect(outcomes.map(({ choice }) => choice.schedule)).toEqual(['k-nomial-broadcast', 'linear-broadcast']);
    expect(outcomes.map(({ seconds }) => seconds === undefined)).toEqual([true, false]);
  });
});

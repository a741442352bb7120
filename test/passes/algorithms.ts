/** Textbook schedules, written from their descriptions, for the passes to work on. */
import { type Collective, expectation } from '../../src/ir/collective.ts';
import type { Schedule, Transfer } from '../../src/ir/schedule.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, reduce, schedule } from '../lower/building.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Powers of two below N, rising. */
const distances = (ranks: number): number[] =>
  range(31)
    .map((k) => 2 ** k)
    .filter((distance) => distance < ranks);

const shards = (first: number, count: number, chunks: number): string => `data ${first * chunks} ${count * chunks}`;

export function ringAllgather(ranks: number, chunks = 2): Schedule {
  const steps = range(ranks - 1).map((s) =>
    range(ranks).map((r) => copy(r, (r + 1) % ranks, piece(shards((r - s + ranks) % ranks, 1, chunks)))),
  );
  return schedule(collectiveOf('allgather', ranks, { chunks }), steps, { ring: true });
}

export function meshAllgather(ranks: number): Schedule {
  const step = range(ranks).flatMap((r) =>
    range(ranks)
      .filter((peer) => peer !== r)
      .map((peer) => copy(r, peer, piece(`data ${r}`))),
  );
  return schedule(collectiveOf('allgather', ranks), [step]);
}

/** Bruck et al. 1997: place j of scratch holds shard (r + j) mod N; turned into place at the end. */
export function bruckAllgather(ranks: number): Schedule {
  const first = range(ranks).map((r) => copy(r, r, piece(`data ${r}`, 'scratch 0')));
  const exchanges = distances(ranks).map((held) =>
    range(ranks).map((r) => {
      const more = Math.min(held, ranks - held);
      return copy(r, (r - held + ranks) % ranks, piece(`scratch 0 ${more}`, `scratch ${held}`));
    }),
  );
  const last = range(ranks).map((r) => {
    const turned = [piece(`scratch 0 ${ranks - r}`, `data ${r}`)];
    return copy(r, r, ...turned, ...(r === 0 ? [] : [piece(`scratch ${ranks - r} ${r}`, 'data 0')]));
  });
  return schedule(collectiveOf('allgather', ranks), [first, ...exchanges, last], { scratch: ranks });
}

export function binomialBroadcast(ranks: number): Schedule {
  const steps = distances(ranks)
    .reverse()
    .map((d) =>
      range(ranks)
        .filter((r) => r % (2 * d) === 0 && r + d < ranks)
        .map((r) => copy(r, r + d, piece('data 0'))),
    );
  return schedule(collectiveOf('broadcast', ranks), steps);
}

export function binomialReduce(ranks: number): Schedule {
  const steps = distances(ranks).map((d) =>
    range(ranks)
      .filter((r) => r % (2 * d) === 0 && r + d < ranks)
      .map((r) => reduce(r + d, r, piece('data 0'))),
  );
  return schedule(collectiveOf('reduce', ranks), steps);
}

export function binomialScatter(ranks: number): Schedule {
  const steps = distances(ranks)
    .reverse()
    .map((d) =>
      range(ranks)
        .filter((r) => r % (2 * d) === 0 && r + d < ranks)
        .map((r) => copy(r, r + d, piece(shards(r + d, Math.min(d, ranks - r - d), 1)))),
    );
  return schedule(collectiveOf('scatter', ranks), steps);
}

/** Everyone exchanges shards with the ranks s before and s after. */
export function pairwiseAlltoall(ranks: number): Schedule {
  const steps = range(Math.floor(ranks / 2)).map((index) => {
    const s = index + 1;
    const offsets = 2 * s < ranks ? [s, ranks - s] : [s];
    return range(ranks).flatMap((r) =>
      offsets.map((offset) => {
        const peer = (r + offset) % ranks;
        return copy(r, peer, piece(`data ${peer}`, `data ${r}`));
      }),
    );
  });
  return schedule(collectiveOf('alltoall', ranks), steps);
}

export const algorithms = {
  ringAllgather,
  meshAllgather,
  bruckAllgather,
  binomialBroadcast,
  binomialReduce,
  binomialScatter,
  pairwiseAlltoall,
} as const;

/** Contributions in an output slot, sorted: `0.1 2.1 `. */
export function sorted(value: string): string {
  return value
    .split(' ')
    .filter((part) => part !== '')
    .sort()
    .map((part) => `${part} `)
    .join('');
}

/** What docs/collectives.md wants of a rank's output, as sorted contributions. */
export function wanted(target: Collective, rank: number, chunks: number): string[] {
  return range(chunks).map((slot) => {
    const expected = expectation(target, rank, slot);
    if (expected.kind !== 'ranks') throw new Error(`${target.kind} leaves slots undefined`);
    const ranks = range(expected.last - expected.first + 1).map((index) => expected.first + index);
    return sorted(ranks.map((source) => `${source}.${expected.chunk} `).join(''));
  });
}

export function transfersOf({ steps }: Schedule): Transfer[][] {
  return range(steps.stepCount).map((step) => steps.inStep(step));
}

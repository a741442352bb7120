/** Schedules and collectives that the tests of `ccc show` print. */
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import type { Schedule, ScheduleBuffer, TransferKind } from '../../../src/ir/schedule.ts';
import { StepsBuilder } from '../../../src/ir/schedule.ts';
import { collectiveOf } from '../../collectives.ts';

export function collective(kind: CollectiveKind, ranks: number, chunks = 1, root = 0): Collective {
  return collectiveOf(kind, ranks, { chunks, root });
}

/** `[kind, source, destination, offset, count?, from?, to?, toOffset?]`, in the data buffer unless told otherwise. */
export type Line = readonly [
  kind: TransferKind,
  source: number,
  destination: number,
  offset: number,
  count?: number,
  from?: ScheduleBuffer,
  to?: ScheduleBuffer,
  toOffset?: number,
];

export function schedule(
  name: string,
  of: Collective,
  steps: readonly (readonly Line[])[],
  { scratch = 0, rounds = 0 } = {},
): Schedule {
  const builder = new StepsBuilder();
  for (const step of steps) {
    for (const [kind, source, destination, fromOffset, count = 1, from = 'data', to = 'data', toOffset] of step) {
      const piece = { from, fromOffset, to, toOffset: toOffset ?? fromOffset, count };
      builder.add({ kind, source, destination, channel: 0, order: 'held-first', pieces: [piece], origin: undefined });
    }
    builder.endStep(rounds);
  }
  return { name, collective: of, scratch, commutative: false, ring: false, steps: builder.build() };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** In step s everyone passes on the shard that came from s − 1 places back. */
export function ringAllgather(ranks: number, chunks = 1): Schedule {
  const steps = range(ranks - 1).map((s) =>
    range(ranks).map((r): Line => ['copy', r, (r + 1) % ranks, ((r - s + ranks) % ranks) * chunks, chunks]),
  );
  return schedule('ring-allgather', collective('allgather', ranks, chunks), steps);
}

export function recursiveDoublingAllgather(ranks: number): Schedule {
  const steps = range(Math.log2(ranks)).map((level) => {
    const distance = 2 ** level;
    return range(ranks).map((r): Line => ['copy', r, r ^ distance, r - (r % distance), distance]);
  });
  return schedule('recursive-doubling-allgather', collective('allgather', ranks), steps);
}

/** The pairs of a binomial tree towards rank 0: 1→0, 3→2, …; then 2→0, 6→4, …; … */
function binomialPairs(ranks: number): readonly (readonly number[])[] {
  return range(Math.log2(ranks)).map((level) => range(ranks).filter((r) => r % 2 ** (level + 1) === 2 ** level));
}

export function binomialReduce(ranks: number): Schedule {
  const steps = binomialPairs(ranks).map((senders, level) =>
    senders.map((r): Line => ['reduce', r, r - 2 ** level, 0]),
  );
  return schedule('binomial-reduce', collective('reduce', ranks), steps);
}

export function binomialGather(ranks: number): Schedule {
  const steps = binomialPairs(ranks).map((senders, level) =>
    senders.map((r): Line => ['copy', r, r - 2 ** level, r, 2 ** level]),
  );
  return schedule('binomial-gather', collective('gather', ranks), steps);
}

/** The notes' staggered ring: node i starts with element i and sends to its left; round once to add, once to spread. */
export function staggeredRingAllreduce(ranks: number): Schedule {
  const steps = range(2 * (ranks - 1)).map((s) =>
    range(ranks).map((r): Line => [s < ranks - 1 ? 'reduce' : 'copy', r, (r - 1 + ranks) % ranks, (r + s) % ranks]),
  );
  return schedule('ring-allreduce', collective('allreduce', ranks, ranks), steps);
}

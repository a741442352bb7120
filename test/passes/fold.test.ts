/** Gather, then reduce. */
import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { lower } from '../../src/lower/index.ts';
import { gatherThenReduce, reverse } from '../../src/passes/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { bruckAllgather, ringAllgather } from './algorithms.ts';

const others = (ranks: number, rank: number) => Array.from({ length: ranks }, (_, r) => r).filter((r) => r !== rank);

/** Everybody sends everybody their shard, from the input, since data changes as it arrives. */
const directAlltoall = (ranks: number) =>
  schedule(collectiveOf('alltoall', ranks), [
    Array.from({ length: ranks }, (_, r) => r).flatMap((r) =>
      others(ranks, r).map((peer) => copy(r, peer, piece(`input ${peer}`, `data ${r}`))),
    ),
  ]);

const directGather = (ranks: number, root: number) =>
  schedule(collectiveOf('gather', ranks, { root }), [
    others(ranks, root).map((r) => copy(r, root, piece(`data ${r}`))),
  ]);

describe('folding', () => {
  it.each(['allreduce', 'scan', 'exscan'] as const)(
    'makes %s of an allgather, in rank order',
    (kind: CollectiveKind) => {
      for (const ranks of [1, 2, 3, 5, 8]) {
        for (const inPlace of [false, true]) {
          const target = collectiveOf(kind, ranks, { chunks: 2, inPlace, ordered: true });
          const folded = gatherThenReduce(ringAllgather(ranks), target);
          expect(verify(lower(folded), { bitwise: true })).toMatchObject({ findings: [], verdict: 'correct' });
          expect(folded.commutative).toBe(false);
        }
      }
    },
  );

  it('makes reduce of a gather and reducescatter of an alltoall', () => {
    for (const [move, target] of [
      [directGather(5, 2), collectiveOf('reduce', 5, { root: 2, ordered: true })],
      [directAlltoall(4), collectiveOf('reducescatter', 4, { ordered: true })],
    ] as const) {
      expect(verify(lower(gatherThenReduce(move, target)), { bitwise: true })).toMatchObject({
        findings: [],
        verdict: 'correct',
      });
    }
  });

  it('takes no more steps than the move, the local ones apart: one for each operand, one for the result', () => {
    const folded = gatherThenReduce(ringAllgather(5), collectiveOf('allreduce', 5, { chunks: 2 }));
    expect(folded.steps.stepCount).toBe(4 + 5 + 1);
  });

  it('refuses moves that do not bring the operands together', () => {
    const reducescatter = reverse(ringAllgather(3), collectiveOf('reducescatter', 3, { chunks: 2 }));
    expect(() => gatherThenReduce(reducescatter, collectiveOf('allreduce', 3, { chunks: 2 }))).toThrow(CccError);
    expect(() => gatherThenReduce(ringAllgather(3), collectiveOf('allreduce', 3, { chunks: 1 }))).toThrow(
      /does not bring together/,
    );
    // Bruck's last step turns the shards into place, a rank's own among them.
    expect(() => gatherThenReduce(bruckAllgather(3), collectiveOf('allreduce', 3))).toThrow(
      /writes what a rank contributes/,
    );
  });
});

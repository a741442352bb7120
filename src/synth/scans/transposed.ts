/** Scans as two alltoalls, of any engine, with a local scan between them (passes/transpose-scan.ts). */
import type { Collective } from '../../ir/collective.ts';
import { transposeScan } from '../../passes/index.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';

/** @param movers asked for alltoalls, in this order */
export function* proposeTransposed(problem: Problem, movers: readonly Engine[]): Iterable<Proposal> {
  const { collective, chunks } = problem;
  const { ranks, op, inPlace } = collective;
  if (ranks === 1) return;
  if (chunks !== undefined && chunks % ranks !== 0) {
    const reason = `needs a multiple of ${ranks} chunks, not ${chunks}`;
    return yield { kind: 'dismissed', dismissal: { name: 'transposed scan', reason } };
  }
  const moved: Collective = { kind: 'alltoall', ranks, chunks: 1, root: 0, op, ordered: false, inPlace };
  const shard = chunks === undefined ? undefined : chunks / ranks;
  for (const mover of movers) {
    for (const proposal of mover.propose({ ...problem, collective: moved, chunks: shard })) {
      if (proposal.kind === 'candidate')
        yield { kind: 'candidate', candidate: transposed(proposal.candidate, collective) };
    }
  }
}

function transposed(candidate: Candidate, collective: Collective): Candidate {
  return {
    name: `${candidate.name}, local scan and back`,
    origin: { ...candidate.origin, engine: 'scans', mover: candidate.origin.engine },
    build: (multiple) => {
      const alltoall = candidate.build(multiple);
      const chunks = alltoall.collective.chunks * collective.ranks;
      return transposeScan(alltoall, { ...collective, chunks });
    },
  };
}

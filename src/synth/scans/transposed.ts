/** Scans as an alltoall, a local scan at every rank, and an alltoall back (passes/transpose-scan.ts); the alltoalls come from other engines. */
import type { Collective } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { transposeScan } from '../../passes/index.ts';
import { type Candidate, candidatesOf, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { becomesUnsynchronised } from './estimate.ts';

/**
 * Proposes one scan per alltoall that the movers propose.
 * @param movers the engines that are queried for alltoalls
 */
export function* proposeTransposed(problem: Problem, movers: readonly Engine[]): Iterable<Proposal> {
  const { collective, chunks } = problem;
  const { ranks, op, inPlace } = collective;
  if (ranks === 1) return;
  if (ranks > maxRanksFor.alltoalls && problem.byName !== true) {
    const reason = `two alltoalls of ${ranks} ranks take too long to make; --engine scans tries it`;
    return yield dismissed('transposed scan', reason);
  }
  if (problem.incumbent !== undefined && atLeast(problem) >= problem.incumbent) {
    return yield dismissed('transposed scan', 'the bytes of two alltoalls alone take longer than another plan');
  }
  if (chunks !== undefined && chunks % ranks !== 0) {
    const reason = `needs a multiple of ${ranks} chunks, not ${chunks}`;
    return yield dismissed('transposed scan', reason);
  }
  const moved: Collective = { kind: 'alltoall', ranks, chunks: 1, root: 0, op, ordered: false, inPlace };
  const wanted = { ...problem, collective: moved, chunks: chunks && chunks / ranks };
  for (const candidate of candidatesOf(movers, wanted))
    yield { kind: 'candidate', candidate: transposed(candidate, problem) };
}

/** The time in seconds for the bytes of two alltoalls if all links were occupied equally long: no choice of routes takes less. */
function atLeast({ routes, size }: Problem): Seconds {
  const { links, chips } = routes.topology;
  let held = 0;
  for (const from of chips.keys()) {
    for (const to of chips.keys()) {
      const route = from === to ? undefined : routes.between(from, to);
      for (const link of route?.links ?? []) held += 1 / links[link].bandwidth;
    }
  }
  return (2 * held * size) / chips.length / links.length;
}

function transposed(candidate: Candidate, { collective, routes }: Problem): Candidate {
  const excluding = becomesUnsynchronised(routes);
  return {
    name: `${candidate.name}, local scan and back`,
    origin: { ...candidate.origin, engine: 'scans', mover: candidate.origin.engine },
    // More bulks gain nothing: links idle while chips run local scans.
    ...(excluding && { isDeepEnough: true }),
    build: (multiple) => {
      const alltoall = candidate.build(multiple);
      const chunks = alltoall.collective.chunks * collective.ranks;
      return transposeScan(alltoall, { ...collective, chunks }, excluding);
    },
  };
}

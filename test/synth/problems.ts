/** What engines are asked, and what they answer. */
import type { Collective } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import type { Candidate, Problem, Proposal } from '../../src/synth/index.ts';

/** A message of 1 GiB with nothing else asked for, unless `wishes` say otherwise. */
export function problemFor(collective: Collective, topology: Topology, wishes: Partial<Problem> = {}): Problem {
  return {
    collective,
    routes: new Routes(topology),
    size: 2 ** 30,
    chunks: undefined,
    algorithm: undefined,
    parameters: {},
    limits: defaultLimits,
    seed: 0,
    ...wishes,
  };
}

export function candidatesAmong(proposals: Iterable<Proposal>): Candidate[] {
  return [...proposals].flatMap((proposal) => (proposal.kind === 'candidate' ? [proposal.candidate] : []));
}

/** Why algorithms are not proposed. */
export function reasonsAmong(proposals: Iterable<Proposal>): string[] {
  return [...proposals].flatMap((proposal) => (proposal.kind === 'dismissed' ? [proposal.dismissal.reason] : []));
}

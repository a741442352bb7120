import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/cost/index.ts';
import type { Collective } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import type { Candidate, Problem, Proposal } from '../../src/synth/engine.ts';
import { proposeRouted } from '../../src/synth/list/routed/index.ts';
import { prove } from '../../src/verify/index.ts';

const size = 2 ** 30;

function alltoallOn(topology: Topology, options: Partial<Collective> = {}): Collective {
  const ranks = topology.chips.length;
  return { kind: 'alltoall', ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, ...options };
}

function problemOn(topology: Topology, collective: Collective, chunks?: number): Problem {
  const routes = new Routes(topology);
  return { collective, routes, size, chunks, algorithm: undefined, parameters: {}, limits: defaultLimits, seed: 1 };
}

function candidates(proposals: Iterable<Proposal>): Candidate[] {
  return [...proposals].flatMap((proposal) => (proposal.kind === 'candidate' ? [proposal.candidate] : []));
}

/** Seconds of a candidate in one bulk; undefined if it is wrong. */
function provedTime(candidate: Candidate, topology: Topology, bytes = size): number | undefined {
  const plan = lower(candidate.build(1));
  const { proved } = prove(plan, { topology });
  return proved === undefined ? undefined : simulate(plan, new Routes(topology), bytes).seconds;
}

describe('routed alltoall', () => {
  // Loads of the busiest link in chunks per pair: bytes × shortest hops over all links where every link is alike, the
  // bisection elsewhere; dgx1: 16 chunks over six links of 25 GB/s.
  it.each([
    ['ring:7', 6, 10e9],
    ['ring:8', 8, 10e9],
    ['torus:4x4', 8, 10e9],
    ['torus:4x8', 32, 10e9],
    ['hypercube:4', 8, 10e9],
    ['full:8', 1, 10e9],
    ['mesh:4x4', 16, 10e9],
    ['tree:7', 12, 10e9],
    ['switch:8', 7, 10e9],
    ['dgx1', 8 / 3, 25e9],
    ['sg2260x4', 2, 64e9],
    ['sg2260x8', 8, 64e9],
  ])('keeps the busiest links of %s busy for hardly longer than %d chunks take', (name, load, bandwidth) => {
    const topology = resolveTopology(name);
    const problem = problemOn(topology, alltoallOn(topology));
    const times = candidates(proposeRouted(problem)).map((candidate) => provedTime(candidate, topology));
    expect(times).not.toContain(undefined);
    const bound = (load * size) / topology.chips.length / bandwidth;
    const best = Math.min(...times.map((time) => time ?? Number.NaN));
    expect(best).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
    expect(best).toBeLessThan(bound / 0.95);
  });
});

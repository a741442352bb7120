/** What the tests of routed schedules share: problems, machines at random, proofs and times. */
import fc from 'fast-check';
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import type { Link, Node, Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import type { Candidate, Problem } from '../../../src/synth/engine.ts';
import { proposeRouted } from '../../../src/synth/list/routed/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

/** One candidate with its name, as soon as it is asked for. */
export interface Proposed {
  readonly candidates: readonly Candidate[];
  readonly dismissals: readonly string[];
}

export function problemOn(
  topology: Topology,
  kind: CollectiveKind,
  options: Partial<Collective> = {},
  more: Partial<Problem> = {},
): Problem {
  return problemFor(collectiveOf(kind, topology.chips.length, options), topology, { seed: 1, ...more });
}

export function proposed(problem: Problem): Proposed {
  const proposals = [...proposeRouted(problem)];
  return {
    candidates: candidatesAmong(proposals),
    dismissals: reasonsAmong(proposals),
  };
}

/** What is wrong with a candidate on a machine, once in a single bulk and once in a pipeline of three; nothing if it is right. */
export function faults(candidate: Candidate, topology: Topology, multiple = 1): readonly string[] {
  const schedule = candidate.build(multiple);
  return [1, 3].flatMap((bulks) =>
    prove(lower(schedule, { bulks }), { topology }).verification.findings.map(({ message }) => message),
  );
}

/** Simulated seconds of the fastest candidate in one bulk. */
export function fastest(problem: Problem, size: number): number {
  const times = proposed(problem).candidates.map(
    (candidate) => simulate(lower(candidate.build(1)), problem.routes, size).seconds,
  );
  return Math.min(...times);
}

const latency = 1e-6;

function node(kind: Node['kind'], ports: number): Node {
  const unlimited = { reduce: undefined, copy: undefined, multicast: false, origin: undefined };
  return { kind, name: kind, ports: { send: ports, receive: ports }, ...unlimited };
}

/** A machine of chips, then switches; links go one way. */
export function machine(
  chips: number,
  switches: number,
  links: readonly { readonly from: number; readonly to: number; readonly bandwidth: number; readonly held: boolean }[],
  ports = Number.POSITIVE_INFINITY,
): Topology {
  const place = { units: 1, origin: undefined, latency };
  return {
    name: 'made up',
    nodes: Array.from({ length: chips + switches }, (_, n) => node(n < chips ? 'chip' : 'switch', ports)),
    links: links.map(
      ({ from, to, bandwidth, held }): Link => ({
        ...place,
        from,
        to,
        bandwidth,
        occupancy: held ? 'blocking' : 'pipelined',
      }),
    ),
    chips: Array.from({ length: chips }, (_, rank) => rank),
    inflight: undefined,
    shape: undefined,
    groups: [],
    notes: [],
  };
}

/** Machines of 2 to 7 chips and up to two switches: a one-way circle through all nodes, and any other links. */
export const machines = fc
  .record({
    chips: fc.integer({ min: 2, max: 7 }),
    switches: fc.integer({ min: 0, max: 2 }),
    held: fc.boolean(),
    ports: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
    chords: fc.array(fc.record({ from: fc.nat(8), to: fc.nat(8), bandwidth: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: 12,
    }),
  })
  .map(({ chips, switches, held, ports, chords }) => {
    const nodes = chips + switches;
    const circle = Array.from({ length: nodes }, (_, n) => ({ from: n, to: (n + 1) % nodes, bandwidth: 1 }));
    const inside = chords
      .map(({ from, to, bandwidth }) => ({ from: from % nodes, to: to % nodes, bandwidth }))
      .filter(({ from, to }) => from !== to);
    const links = [...circle, ...inside].map((link) => ({ ...link, bandwidth: link.bandwidth * 1e9, held }));
    return machine(chips, switches, links, ports);
  });

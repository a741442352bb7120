/** Candidates of the list engine on a machine, proved and timed. */
import { expect } from 'vitest';
import type { Collective } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import type { Candidate, Problem, Proposal } from '../../../src/synth/index.ts';
import { listEngine } from '../../../src/synth/list/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

export interface Wanted extends Partial<Omit<Problem, 'collective'>> {
  readonly kind: Collective['kind'];
  readonly root?: number;
  readonly ordered?: boolean;
}

export function problemOn(machine: string | Topology, { kind, root = 0, ordered = false, ...rest }: Wanted): Problem {
  const topology = typeof machine === 'string' ? resolveTopology(machine) : machine;
  return problemFor(collectiveOf(kind, ranksOf(topology), { root, ordered }), topology, { size: 2 ** 20, ...rest });
}

export function proposalsOn(machine: string | Topology, wanted: Wanted): Proposal[] {
  return [...listEngine.propose(problemOn(machine, wanted))];
}

export function candidatesOn(machine: string | Topology, wanted: Wanted): Candidate[] {
  const proposals = proposalsOn(machine, wanted);
  return candidatesAmong(proposals);
}

/** Reasons why strategies propose nothing. */
export function reasonsOn(machine: string | Topology, wanted: Wanted): string[] {
  const proposals = proposalsOn(machine, wanted);
  return reasonsAmong(proposals);
}

/** The schedule of the strategy `steps`, if it fits the machine; else that of the only candidate. */
export function scheduleOn(machine: string | Topology, wanted: Wanted): Schedule {
  const all = candidatesOn(machine, wanted).filter(({ name }) => !name.startsWith('list-rows'));
  const inSteps = all.filter(({ name }) => name.startsWith('list-steps'));
  const [candidate, ...others] = inSteps.length > 0 ? inSteps : all;
  expect(others.map(({ name }) => name)).toEqual([]);
  return candidate.build(1);
}

/** Proves a schedule on its machine and returns its simulated time in seconds. */
export function provedSeconds(schedule: Schedule, machine: string | Topology, size = 2 ** 20): number {
  const topology = typeof machine === 'string' ? resolveTopology(machine) : machine;
  const plan = lower(schedule);
  const { proved, verification } = prove(plan, { topology });
  if (proved === undefined)
    expect.fail(`${schedule.name}: ${verification.verdict}: ${verification.findings[0]?.message}`);
  return simulate(plan, new Routes(topology), size).seconds;
}

/** The job of `ccc compile` as a worker does it: what it says first where there is a time limit, and what it keeps. */
import { describe, expect, it } from 'vitest';
import { searchDefaults } from '../../src/index.ts';
import { operationCount } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import type { FoundPlan } from '../../src/session/compile/found-plan.ts';
import { type PlanWork, searchJob } from '../../src/session/compile/search-job.ts';
import { collectiveOf } from '../collectives.ts';

type Objective = PlanWork['request']['objective'];

/** Often enough for everything to be tried once. */
const mostAsked = 400;

/** Compiles until so many answers have been given, as with a limit that is over then. */
async function answersTo(machine: string, objective: Objective, answers: number): Promise<FoundPlan[]> {
  const topology = resolveTopology(machine);
  const collective = collectiveOf('allreduce', topology.chips.length);
  const work: PlanWork = {
    machine: { topology, groups: undefined },
    request: { ...searchDefaults, collective, topology, size: 2 ** 26, objective },
    target: 'json',
    fillsTime: true,
    solver: undefined,
    roundsSolver: undefined,
  };
  const said: FoundPlan[] = [];
  let asked = 0;
  const last = await searchJob(work, {
    index: 0,
    workers: 1,
    shouldStop: () => said.length >= answers || ++asked > mostAsked,
    onProgress: () => {},
    onResult: (found) => said.push(found),
    onModel: () => {},
  });
  return [...said, last];
}

describe('a compile with a time limit', () => {
  it('says the first plan that there is', async () => {
    const [first] = await answersTo('torus:4x4', 'time', 1);
    expect([first.effort, first.stoppedEarly]).toEqual(['full', true]);
  });

  it('begins with a plan of few operations on large machines', async () => {
    const [first] = await answersTo('mesh:9x9', 'time', 1);
    expect(first.stoppedEarly).toBe(true);
    // A ring allreduce has 2·81·80 messages, a send and a receive each; trees have 2·80.
    expect(operationCount(first.bundle.proof.plan)).toBeLessThan(81 * 80);
  });

  it.each(['time', 'latency'] as const)(
    'never says anything worse than before, by its objective: %s',
    async (objective) => {
      const answers = await answersTo('ring:6', objective, Number.POSITIVE_INFINITY);
      const routes = new Routes(resolveTopology('ring:6'));
      const values = answers.map(({ bundle: { cost, proof } }) =>
        objective === 'time' ? cost.seconds : simulate(proof.plan, routes, 0).seconds,
      );
      expect(values.length).toBeGreaterThan(2);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(answers.map(({ value }) => value)).toEqual(values);
    },
  );
});

/** The job of `ccc compile` as a worker does it: what it says first where there is a time limit, and what it keeps. */
import { describe, expect, it } from 'vitest';
import type { FoundPlan } from '../../../src/cli/compile/found-plan.ts';
import { type CompileWork, compileJob } from '../../../src/cli/compile/job.ts';
import { compileDefaults } from '../../../src/index.ts';
import { operationCount } from '../../../src/ir/plan.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';

type Objective = CompileWork['request']['objective'];

/** Often enough for everything to be tried once. */
const mostAsked = 400;

/** Compiles until so many answers have been given, as with a limit that is over then. */
async function answersTo(machine: string, objective: Objective, answers: number): Promise<FoundPlan[]> {
  const topology = resolveTopology(machine);
  const { bulks, dtype, engine, seed } = compileDefaults;
  const collective = collectiveOf('allreduce', topology.chips.length);
  const work: CompileWork = {
    machine: { topology, groups: undefined },
    request: { ...compileDefaults, collective, topology, size: 2 ** 26, objective },
    options: { bulks, dtype, engine, seed, objective, emit: 'json', op: 'sum', root: 0, solver: 'auto', timeLimit: 1 },
    solver: undefined,
    inRounds: undefined,
  };
  const said: FoundPlan[] = [];
  let asked = 0;
  const last = await compileJob(work, {
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
    expect(operationCount(first.bundle.proved.plan)).toBeLessThan(81 * 80);
  });

  it.each(['time', 'latency'] as const)(
    'never says anything worse than before, by its objective: %s',
    async (objective) => {
      const answers = await answersTo('ring:6', objective, Number.POSITIVE_INFINITY);
      const routes = new Routes(resolveTopology('ring:6'));
      const values = answers.map(({ bundle: { cost, proved } }) =>
        objective === 'time' ? cost.seconds : simulate(proved.plan, routes, 0).seconds,
      );
      expect(values.length).toBeGreaterThan(2);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(answers.map(({ value }) => value)).toEqual(values);
    },
  );
});

/** Exact instances on shipped machines: asked, and what is found lowered and proved. */
import { expect } from 'vitest';
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { ranksOf } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { loadSolver, type Solver, type SolverName } from '../../../src/solver/index.ts';
import { Oracle } from '../../../src/synth/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';

export function collectiveOn(kind: CollectiveKind, topo: string, root = 0): Collective {
  const ranks = ranksOf(resolveTopology(topo));
  return collectiveOf(kind, ranks, { root });
}

export function oracleFor(kind: CollectiveKind, topo: string, solver?: Solver, root = 0): Oracle {
  const control = { seed: 0, shouldStop: () => false, solver };
  return new Oracle(collectiveOn(kind, topo, root), new Routes(resolveTopology(topo)), control);
}

export type ShapeRow = readonly [chunks: number, steps: number, rounds: number];

/** What is said of a shape; a schedule that is found is proved and keeps to its steps and rounds. */
export async function statusOf(
  kind: CollectiveKind,
  topo: string,
  [chunks, steps, rounds]: ShapeRow,
  solverName: SolverName | 'none' = 'auto',
  root = 0,
): Promise<'feasible' | 'infeasible' | 'unknown'> {
  const solver = solverName === 'none' ? undefined : await loadSolver(solverName);
  const verdict = oracleFor(kind, topo, solver, root).query({ chunks, steps, rounds });
  if (verdict.status !== 'feasible') return verdict.status;
  const schedule = verdict.schedule(1);
  const topology = resolveTopology(topo);
  const { verification } = prove(lower(schedule, { bulks: 1, name: schedule.name }), { topology, slots: 2 ** 27 });
  expect(verification.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(verification.verdict).toBe('correct');
  expect(schedule.collective.chunks).toBe(chunks);
  const claimed = schedule.steps.rounds;
  // Steps in which nothing is sent are local, and count neither as steps nor as rounds.
  const sending = [...claimed.keys()].filter((step) =>
    schedule.steps.inStep(step).some((transfer) => transfer.source !== transfer.destination),
  );
  expect(sending.every((step) => claimed[step] > 0)).toBe(true);
  expect(sending.length).toBeLessThanOrEqual(steps);
  expect(claimed.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(rounds);
  return 'feasible';
}

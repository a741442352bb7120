/** What the time of a plan is made of. α = 1 s and β = 8 bytes/s; a chunk has 8 bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/ir/plan.ts';
import type { PathTime } from '../../../src/ir/report.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { simulate, timeOfPath } from '../../../src/model/index.ts';
import { drawn } from '../../draw.ts';
import { line, star } from '../machines.ts';
import { collective, copy, type Programs, plan, recv, reduce, send } from '../plans.ts';
import { evenSize, randomMachine, randomPlan } from '../random.ts';

const chunk = 8;

function timeOf(made: Plan, topology: Topology, size: number): PathTime {
  const routes = new Routes(topology);
  return timeOfPath(simulate(made, routes, size).criticalPath, made, routes);
}

const partsOf = (programs: Programs, topology: Topology): PathTime =>
  timeOf(plan(collective('broadcast', programs.length), programs), topology, chunk);

const none = { latency: 0, bytes: 0, reducing: 0, copying: 0 };

describe('the time of a critical path', () => {
  it('is latency, bytes and what is reduced at its end', () => {
    // Rank 0's message to 2 waits for the link that 0 → 1 holds.
    const programs = [[[send(1), send(2)]], [[recv(0), copy()]], [[recv(0), reduce()]]];
    expect(partsOf(programs, star(3, { reduce: { throughput: chunk, overlap: true } }))).toEqual({
      messages: 2,
      reductions: 1,
      copies: 0,
      seconds: { ...none, latency: 2, bytes: 2, reducing: 1 },
    });
  });

  it('counts no latency behind which the next message hides', () => {
    const programs = [
      [[send(1)], [send(1, 1, { channel: 1 })]],
      [[recv(0)], [recv(0, 1, { channel: 1 })]],
    ];
    const { seconds } = partsOf(programs, line(2, { occupancy: 'pipelined' }));
    expect(seconds).toEqual({ ...none, latency: 1, bytes: 2 });
  });

  it('counts copies where there is an engine for them', () => {
    const programs = [[[copy(2), send(1, 2)]], [[recv(0, 2)]]];
    const { copies, seconds } = partsOf(programs, line(2, { copy: chunk }));
    expect(copies).toBe(1);
    expect(seconds).toEqual({ ...none, latency: 1, bytes: 2, copying: 2 });
  });

  it('adds up to the time of the plan', () => {
    const cases = fc.integer({ min: 2, max: 5 }).chain((ranks) => fc.tuple(randomPlan(ranks), randomMachine(ranks)));
    fc.assert(
      fc.property(cases, ([made, topology]) => {
        const routes = new Routes(topology);
        const { seconds, criticalPath } = simulate(made, routes, evenSize);
        const parts = Object.values(timeOfPath(criticalPath, made, routes).seconds);
        expect(parts.every((part) => part >= 0)).toBe(true);
        const sum = parts.reduce((total, part) => total + part, 0);
        expect(sum).toBeCloseTo(seconds, 9);
      }),
      drawn(200),
    );
  });
});

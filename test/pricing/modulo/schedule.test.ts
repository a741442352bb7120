/** Modulo schedules, checked against their definition: waits kept across bulks, no resource used beyond its capacity at any instant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BulkEvents, bulkEvents, bulkLoads, leastRecurrence } from '../../../src/cost/index.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { moduloSchedule } from '../../../src/pricing/modulo/index.ts';
import { line, ring } from '../../cost/machines.ts';
import { chainScan, ringAllgather } from '../../cost/plans.ts';

interface Job {
  readonly resource: number;
  readonly seconds: number;
  /** Jobs that must be over before, in the same bulk. */
  readonly after: readonly number[];
}

function eventsOf(jobs: readonly Job[], capacity: readonly number[]): BulkEvents {
  const waits = jobs.flatMap(({ after }, job) => after.map((before) => ({ before, job })));
  return {
    waits: {
      events: jobs.length,
      from: waits.map(({ before }) => before),
      to: waits.map(({ job }) => job),
      weight: waits.map(({ before }) => jobs[before].seconds),
      bulks: waits.map(() => 0),
    },
    uses: jobs.map(({ resource, seconds }) => [{ resource, seconds, amount: 1 }]),
    capacity: Float64Array.from(capacity),
  };
}

/** What is wrong with times, by laying several bulks side by side. */
function faults({ waits, uses, capacity }: BulkEvents, times: Float64Array, interval: number): string[] {
  const found: string[] = [];
  waits.from.forEach((from, wait) => {
    const { to, weight, bulks } = waits;
    const earliest = times[from] + weight[wait] - bulks[wait] * interval;
    if (times[to[wait]] < earliest - 1e-6 * interval) found.push(`${to[wait]} comes before ${from} lets it`);
  });
  const span = Math.ceil(Math.max(...times) / interval) + 2;
  const all = uses.flatMap((list, event) =>
    list.flatMap((use) =>
      Array.from({ length: 2 * span }, (_, bulk) => ({ ...use, start: times[event] + bulk * interval })),
    ),
  );
  for (const { resource, start } of all) {
    const instant = start + 1e-6 * interval;
    const taken = all.filter(
      (use) => use.resource === resource && use.start <= instant && instant < use.start + use.seconds,
    );
    if (taken.reduce((sum, { amount }) => sum + amount, 0) > capacity[resource] + 1e-8)
      found.push(`${resource} is taken twice`);
  }
  return found;
}

describe('a modulo schedule', () => {
  it('keeps to waits and resources', () => {
    const job = fc.record({
      resource: fc.nat(2),
      seconds: fc.integer({ min: 1, max: 5 }),
      after: fc.array(fc.nat(11), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(job, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 4 }), (raw, more) => {
        const jobs = raw.map((one, index) => ({ ...one, after: one.after.filter((before) => before < index) }));
        const problem = eventsOf(jobs, [1, 1, 2]);
        const busy = [0, 1, 2].map((resource) =>
          jobs.reduce((sum, one) => sum + (one.resource === resource ? one.seconds : 0), 0),
        );
        const interval = Math.max(5, busy[0], busy[1], busy[2] / 2) + more;
        const times = moduloSchedule(problem, interval);
        if (times !== undefined) expect(faults(problem, times, interval)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('reaches the load of the busiest resource where jobs of other bulks fill its gaps', () => {
    // On resource 0 a bulk has a job of 2, waits 3 for resource 1, and has another of 1 there: 3 in all, though a bulk takes 6.
    const problem = eventsOf(
      [
        { resource: 0, seconds: 2, after: [] },
        { resource: 1, seconds: 3, after: [0] },
        { resource: 0, seconds: 1, after: [1] },
      ],
      [1, 1],
    );
    const times = moduloSchedule(problem, 3);
    expect(times).toBeDefined();
    if (times !== undefined) expect(faults(problem, times, 3)).toEqual([]);
    expect(moduloSchedule(problem, 2.9)).toBeUndefined();
  });

  it('of a ring allgather is found for the load of its links', () => {
    const routes = new Routes(ring(4));
    const plan = ringAllgather(4);
    const problem = bulkEvents(plan, routes, 64);
    const interval = Math.max(bulkLoads(plan, routes, 64)[0].seconds, leastRecurrence(plan, routes, 64) ?? 0);
    // Three messages of α + 16/β = 3 s each, one after the other on every link.
    expect(interval).toBeCloseTo(9, 12);
    const times = moduloSchedule(problem, interval);
    expect(times).toBeDefined();
    if (times !== undefined) expect(faults(problem, times, interval)).toEqual([]);
  });

  it('keeps reductions from messages where chips do one or the other', () => {
    const routes = new Routes(line(3, { reduce: { throughput: 4, overlap: false } }));
    const plan = chainScan(3);
    const problem = bulkEvents(plan, routes, 8);
    // Chip 1 receives, reduces and sends: links are held for α + 8/β = 2 s, of which one reception and one sending may meet; 8/γ = 2 s.
    const times = moduloSchedule(problem, 4);
    expect(times).toBeDefined();
    if (times !== undefined) expect(faults(problem, times, 4)).toEqual([]);
    expect(moduloSchedule(problem, 3.9)).toBeUndefined();
  });
});

/** One plan with chunks of many sizes: as long as the plan in which these are whole chunks takes, and linear along each chain. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { dataWindow, type Schedule } from '../../../src/ir/schedule.ts';
import { lower } from '../../../src/lower/index.ts';
import { chainTime, SizedRuns, simulate } from '../../../src/model/index.ts';
import { resize, type SizeClasses, sizeClasses, unroll } from '../../../src/passes/index.ts';
import { instantiate, loadScheduleFile, resolveTopology, withLink } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { drawn } from '../../draw.ts';
import { copy, piece, schedule } from '../../lower/building.ts';

function scheduleNamed(name: string, ranks: number): Schedule {
  const request = { ranks, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  return instantiate(loadScheduleFile(name), { ...request, limits: defaultLimits });
}

function sized(schedule: Schedule): { readonly classes: SizeClasses; runsOn(routes: Routes): SizedRuns } {
  const classes = sizeClasses(schedule, false);
  if (classes === undefined) throw new Error(`${schedule.name} has no data buffer`);
  const classAt = (rank: number, slot: number) => classes.of[dataWindow(schedule.collective, rank).input + slot];
  const plan = lower(schedule);
  return { classes, runsOn: (routes) => new SizedRuns(plan, routes, classes.count, classAt) };
}

const algorithms = [
  'ring-reducescatter',
  'bruck-allgather',
  'rabenseifner-allreduce',
  'binomial-scatter',
  'binomial-reduce',
  'pairwise-alltoall',
];
const machines = ['sg2260x4', 'sg2260x4-ddr', 'switch:4', 'full:4', 'ring:4', 'routed-ring:4'];
const cases = algorithms.flatMap((name) => machines.map((machine) => [name, machine] as const));

describe('slices written out', () => {
  it.each(cases)('of %s on %s take as long as bulks where nothing waits for scratch', (name, machine) => {
    const schedule = scheduleNamed(name, 4);
    const routes = new Routes(resolveTopology(machine));
    const inBulks = lower(schedule, { bulks: 3, scratchPerBulk: 3 });
    const written = lower(unroll(schedule, 3));
    const [a, b] = [simulate(inBulks, routes, 2 ** 22).seconds, simulate(written, routes, 2 ** 22).seconds];
    // Copies at the beginning and the end are one copy, not three: they take time where there is a copy engine.
    if (machine === 'sg2260x4-ddr') expect(Math.abs(a - b) / a).toBeLessThan(0.5);
    else expect(b).toBeCloseTo(a, 12);
  });
});

describe('a plan with chunks of any size', () => {
  it.each(cases)('takes as long as whole chunks of these sizes: %s on %s', (name, machine) => {
    const schedule = unroll(scheduleNamed(name, 4), 2);
    // In bytes as they come: rounding up to whole units is no part of the model.
    const routes = new Routes({ ...resolveTopology(machine), messages: undefined });
    const { classes, runsOn } = sized(schedule);
    const runs = runsOn(routes);
    const size = 2 ** 22;
    const alike = sizeClasses(schedule, true)?.count ?? 1;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: alike, maxLength: alike }), (amounts) => {
        // Chunk c of every shard has the same amount, so that all shards add up to the same.
        const { chunks } = schedule.collective;
        const counts = new Int32Array(classes.count);
        const tied = sizeClasses(schedule, true);
        classes.of.forEach((of, slot) => {
          counts[of] = amounts[tied?.of[slot] ?? 0];
        });
        const resized = resize(schedule, classes, counts);
        expect(resized.collective.chunks).toBeGreaterThanOrEqual(chunks);
        const shard = size / classes.shards.length;
        const sizes = Float64Array.from(counts, (count) => (count / resized.collective.chunks) * shard);
        const { seconds, chains } = runs.run(sizes);
        expect(seconds / simulate(lower(resized), routes, size).seconds).toBeCloseTo(1, 9);
        expect(chainTime(chains()[0], sizes) / seconds).toBeCloseTo(1, 9);
        for (const chain of chains()) expect(chainTime(chain, sizes)).toBeLessThanOrEqual(seconds * (1 + 1e-9));
      }),
      drawn(6),
    );
  });

  it('has the chain of a ring: each step its latency, its bytes over the link, and what it reduces', () => {
    const { classes, runsOn } = sized(scheduleNamed('ring-reducescatter', 3));
    const routes = new Routes(resolveTopology('ring:3'));
    const { latency, bandwidth } = routes.topology.links[0];
    const engine = routes.topology.nodes[0].reduce;
    const perByte = 1 / bandwidth + (engine === undefined ? 0 : 1 / engine.throughput);
    const { chains, seconds } = runsOn(routes).run(new Float64Array(classes.count).fill(1e6));
    const [chain] = chains();
    expect(chain.constant).toBeCloseTo(2 * latency, 12);
    expect(chain.perByte.reduce((sum, rate) => sum + rate, 0)).toBeCloseTo(2 * perByte, 15);
    expect(seconds).toBeCloseTo(2 * (latency + 1e6 * perByte), 12);
  });

  it('has the latency once where messages follow each other into a pipelined link', () => {
    const link = { latency: 1e-6, bandwidth: 1e9, occupancy: 'pipelined' } as const;
    const routes = new Routes(withLink(resolveTopology('ring:2'), link));
    const twoMessages = schedule(collectiveOf('broadcast', 2, { chunks: 2 }), [
      [copy(0, 1, piece('data 0'))],
      [copy(0, 1, piece('data 1'))],
    ]);
    const { runsOn } = sized(twoMessages);
    const { seconds, chains } = runsOn(routes).run(Float64Array.of(3000, 2000));
    // 3 µs until the first message has entered the link, then 1 µs and 2 µs for the second one.
    expect(seconds).toBeCloseTo(6e-6, 12);
    expect(chains()[0].constant).toBeCloseTo(1e-6, 12);
    expect([...chains()[0].perByte].map((rate) => rate * 1e9)).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)]);
    // Without bytes the second message starts with the first.
    const [empty] = runsOn(routes).run(Float64Array.of(0, 2000)).chains();
    expect(chainTime(empty, Float64Array.of(0, 2000))).toBeCloseTo(3e-6, 12);
  });
});

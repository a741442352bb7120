/** What a schedule takes at least: never more than any plan made of it, and exact where one link does everything. */
import { describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { StepsBuilder } from '../../../src/ir/schedule.ts';
import { lower } from '../../../src/lower/index.ts';
import { occupancyLowerBound, simulate, steppedTime } from '../../../src/model/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../../src/read/index.ts';

const request = (ranks: number) =>
  ({ ranks, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits: defaultLimits }) as const;

describe('the least time of a schedule', () => {
  it.each(['ring:8', 'switch:8', 'full:8', 'hypercube:3', 'torus:2x4', 'tree:8', 'routed-ring:8'])(
    'is no more than what its plans take on %s',
    (machine) => {
      const routes = new Routes(resolveTopology(machine));
      for (const name of ['ring-allgather', 'bruck-allgather', 'binomial-reduce', 'rabenseifner-allreduce']) {
        const schedule = instantiate(loadScheduleFile(name), request(8));
        for (const size of [0, 1000, 2 ** 24]) {
          for (const bulks of [1, 3]) {
            const { seconds } = simulate(lower(schedule, { bulks }), routes, size);
            expect(occupancyLowerBound(schedule, routes, size)).toBeLessThanOrEqual(seconds * (1 + 1e-12));
          }
        }
      }
    },
  );

  it('is not counted to the end where that is more than enough', () => {
    const routes = new Routes(resolveTopology('ring:24'));
    const schedule = instantiate(loadScheduleFile('bruck-allgather'), request(24));
    const between = vi.spyOn(routes, 'between');
    const least = occupancyLowerBound(schedule, routes, 1e6);
    const all = between.mock.calls.length;
    for (const part of [0, 0.1, 0.5, 0.999, 1, 2]) {
      between.mockClear();
      expect(occupancyLowerBound(schedule, routes, 1e6, part * least) > part * least).toBe(part < 1);
      if (part < 0.2) expect(between.mock.calls.length).toBeLessThan(all);
      else if (part >= 1) expect(between).toHaveBeenCalledTimes(all);
    }
    between.mockRestore();
  });

  it('is the whole time where every link is busy throughout: a ring, each step α + M/(Nβ)', () => {
    const routes = new Routes(resolveTopology('ring:5'));
    const schedule = instantiate(loadScheduleFile('ring-allgather'), request(5));
    // α = 1 µs, β = 10 GB/s, four steps of M/5.
    expect(occupancyLowerBound(schedule, routes, 5_000_000)).toBeCloseTo(4 * (1e-6 + 1e6 / 10e9), 12);
  });

  it('counts the time in which a chip reduces, where it can then not send: two ranks, each with all of M to reduce', () => {
    const routes = new Routes(resolveTopology('line:2'));
    const schedule = instantiate(loadScheduleFile('recursive-doubling-allreduce'), request(2));
    // α = 1 µs, β = 10 GB/s, γ = 50 GB/s without overlap.
    expect(occupancyLowerBound(schedule, routes, 1_000_000)).toBeCloseTo(1e-6 + 1e6 / 10e9 + 1e6 / 50e9, 12);
  });
});

describe('the time of a schedule step by step', () => {
  it('is the sum of what its steps take alone, where links of one have several messages in the next', () => {
    const routes = new Routes(resolveTopology('ring:16'));
    const schedule = instantiate(loadScheduleFile('recursive-doubling-allreduce'), request(16));
    const { steps } = schedule;
    const alone = Array.from({ length: steps.stepCount }, (_, step) => {
      const builder = new StepsBuilder();
      for (const transfer of steps.inStep(step)) builder.add(transfer);
      builder.endStep();
      return steppedTime({ ...schedule, steps: builder.build() }, routes, 1e6).seconds;
    });
    expect(alone).toHaveLength(4);
    expect(steppedTime(schedule, routes, 1e6).seconds).toBeCloseTo(
      alone.reduce((sum, seconds) => sum + seconds),
      12,
    );
    // In the last step eight messages go over each link, and over eight links each.
    expect(alone[3]).toBeCloseTo(8 * (8e-6 + 1e6 / 10e9), 12);
  });

  it('lets chips go on that have nothing to do with those that are slower', () => {
    const routes = new Routes(resolveTopology('line:4'));
    const schedule = instantiate(loadScheduleFile('ring-allgather'), request(4));
    const builder = new StepsBuilder();
    const [first] = schedule.steps.inStep(0);
    const send = (source: number, destination: number, chunks: number): void => {
      builder.add({ ...first, source, destination, pieces: Array.from({ length: chunks }, () => first.pieces[0]) });
    };
    // Ranks 0 and 1 send much, then little; 2 and 3 the other way round; then 1 and 2 meet.
    const steps = [
      [4, 1],
      [1, 4],
    ] as const;
    for (const [left, right] of steps) {
      send(0, 1, left);
      send(3, 2, right);
      builder.endStep();
    }
    send(1, 2, 1);
    builder.endStep();
    const messageOf = (chunks: number): number => 1e-6 + (chunks * 1e6) / 4 / 10e9;
    const expected = messageOf(4) + messageOf(1) + messageOf(1);
    expect(steppedTime({ ...schedule, steps: builder.build() }, routes, 1e6).seconds).toBeCloseTo(expected, 12);
  });
});

/** A channel for every message: bulks overlap. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../../src/ir/schedule.ts';
import { lower } from '../../../src/lower/index.ts';
import { bulkLoads, simulate, steadyState } from '../../../src/model/index.ts';
import { stage } from '../../../src/passes/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { onOwnChannels } from '../../../src/search/evaluate/own-channels.ts';
import { prove } from '../../../src/verify/index.ts';
import { scheduleOf } from '../../seeds/library.ts';

const size = 2 ** 26;
const bulks = 24;
const topology = resolveTopology('sg2260x4-ddr');
const routes = new Routes(topology);
const plain = stage(scheduleOf('bidirectional-ring-allreduce', 4));

/** Simulated time between bulks, over what the busiest resource needs for one. */
function excess(schedule: Schedule): number {
  const plan = lower(schedule, { bulks });
  const state = steadyState(plan, routes, size);
  return (state?.interval ?? Number.NaN) / bulkLoads(plan, routes, size)[0].seconds;
}

describe('an allreduce whose halves wait for each other on one channel', () => {
  const apart = onOwnChannels(plain, routes);
  if (apart === undefined) throw new Error('nothing changes');

  it('keeps links waiting as it is, and not where each message has a channel', () => {
    expect(excess(plain)).toBeGreaterThan(1.05);
    expect(excess(apart)).toBeCloseTo(1, 6);
  });

  it('is still proved, and as fast in one bulk', () => {
    expect(prove(lower(apart, { bulks }), { topology }).verification.verdict).toBe('correct');
    const seconds = (of: Schedule) => simulate(lower(of), routes, size).seconds;
    expect(seconds(apart)).toBeLessThanOrEqual(seconds(plain) * (1 + 1e-9));
  });

  it('and has nothing to gain where each message has its channel already', () => {
    expect(onOwnChannels(apart, routes)).toBeUndefined();
  });
});

describe('routes', () => {
  it('stay as they are on other channels', () => {
    // Between chips of different pods there are four ways through the spines, among which the channel chooses.
    const waysOf = new Routes(resolveTopology('fattree3:2'));
    expect(waysOf.choices(0, 15)).toBe(4);
    const schedule = scheduleOf('pairwise-alltoall', 16, { chunks: 2 });
    const apart = onOwnChannels({ ...schedule, steps: doubled(schedule) }, waysOf);
    if (apart === undefined) throw new Error('nothing changes');
    const { steps } = apart;
    for (let t = 0; t < steps.transferCount; t++) {
      const [from, to] = [steps.source[t], steps.destination[t]];
      if (from !== to) expect(waysOf.between(from, to, steps.channel[t])).toBe(waysOf.between(from, to, 0));
    }
  });
});

/** Every step twice, so that each connection has two messages. */
function doubled({ steps }: Schedule): Schedule['steps'] {
  const builder = new StepsBuilder();
  for (const step of [...steps.rounds.keys(), ...steps.rounds.keys()]) {
    for (const transfer of steps.inStep(step)) builder.add(transfer);
    builder.endStep();
  }
  return builder.build();
}

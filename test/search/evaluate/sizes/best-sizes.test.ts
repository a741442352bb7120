/** The best sizes, where they can be worked out on paper. */
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/ir/limits.ts';
import { Routes } from '../../../../src/ir/routes.ts';
import type { Schedule } from '../../../../src/ir/schedule.ts';
import { lower } from '../../../../src/lower/index.ts';
import { simulate } from '../../../../src/model/index.ts';
import { unroll } from '../../../../src/passes/index.ts';
import { instantiate, loadScheduleFile, resolveTopology, withOverlap } from '../../../../src/read/index.ts';
import {
  bestSizes,
  type SizeSearch,
  withoutSmall,
  workBudget,
} from '../../../../src/search/evaluate/sizes/best-sizes.ts';
import { collectiveOf } from '../../../collectives.ts';
import { copy, piece, schedule } from '../../../lower/building.ts';

/** Two chips that exchange halves and reduce them: α = 1 µs, β = 10 GB/s, γ = 50 GB/s beside the links. */
const pair = new Routes(withOverlap(resolveTopology('ring:2'), true));
const [alpha, beta, gamma] = [1e-6, 10e9, 50e9];

function exchange(): Schedule {
  const request = { ranks: 2, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  return instantiate(loadScheduleFile('ring-reducescatter'), { ...request, limits: defaultLimits });
}

function search(size: number, operations = 1e6): SizeSearch {
  return { routes: pair, size, incumbent: Number.POSITIVE_INFINITY, spend: workBudget(operations, {}) };
}

describe('the best sizes', () => {
  it('of two messages that are reduced: the last reduction is hidden as far as the first one allows', () => {
    const shard = 1e6;
    const sized = bestSizes(unroll(exchange(), 2), true, search(2 * shard));
    // Two ends: 2α + S/β + s/γ for a last message of s, and α + (S − s)/β + S/γ where reductions follow each other. They are equal for
    const last = (shard / gamma - alpha) / (1 / gamma + 1 / beta);
    expect(sized?.seconds).toBeCloseTo(2 * alpha + shard / beta + last / gamma, 9);
    expect(sized?.parts[1]).toBeCloseTo(last / shard, 3);
    expect((sized?.parts[0] ?? 0) + (sized?.parts[1] ?? 0)).toBeCloseTo(1, 9);
  });

  it('of three such messages are no worse than any on a grid', () => {
    const shard = 4e6;
    const sliced = unroll(exchange(), 3);
    const sized = bestSizes(sliced, true, search(2 * shard));
    const time = ([a, b]: readonly [number, number]): number => {
      const parts = [a, b, 1 - a - b].map((part) => part * shard);
      const arrival = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, part) => sum + alpha + part / beta, 0));
      return parts.reduce((end, part, i) => Math.max(end, arrival[i]) + part / gamma, 0);
    };
    const grid = Array.from({ length: 101 }, (_, i) => i / 100);
    const least = Math.min(...grid.flatMap((a) => grid.filter((b) => a + b <= 1).map((b) => time([a, b]))));
    expect(sized?.seconds).toBeLessThanOrEqual(least * (1 + 1e-4));
    expect(sized?.seconds).toBeGreaterThan(least * 0.99);
    const parts = sized?.parts ?? new Float64Array(3);
    expect(time([parts[0], parts[1]])).toBeCloseTo(sized?.seconds ?? 0, 9);
  });

  it('leave a way empty that can only be slower', () => {
    // Chunk 0 goes to rank 1 by rank 2, behind all that rank 2 gets; chunk 1 goes there directly.
    const triangle = new Routes(resolveTopology('ring:3'));
    const steps = [[copy(0, 2, piece('data 0 2')), copy(0, 1, piece('data 1'))], [copy(2, 1, piece('data 0'))]];
    const size = 1e6;
    const sized = bestSizes(schedule(collectiveOf('broadcast', 3, { chunks: 2 }), steps), true, {
      ...search(size),
      routes: triangle,
    });
    // Its message is still sent: the program knows bytes, not messages.
    expect(sized?.seconds).toBeCloseTo(2 * alpha + size / beta, 12);
    expect(sized?.parts[0]).toBeCloseTo(0, 6);
  });

  it('are looked for no longer than there is effort', () => {
    expect(bestSizes(unroll(exchange(), 2), true, search(2e6, 0))).toBeUndefined();
    const stopped = { ...search(2e6), spend: workBudget(1e6, { shouldStop: () => true }) };
    expect(bestSizes(unroll(exchange(), 2), true, stopped)).toBeUndefined();
  });
});

describe('small chunks', () => {
  it('are left out where their latencies cost more than they gain', () => {
    const size = 2000;
    const sized = bestSizes(unroll(exchange(), 4), true, search(size));
    if (sized === undefined) throw new Error('there was effort enough');
    const fewer = withoutSmall(sized, search(size));
    expect(fewer.sizing.classes.count).toBe(1);
    expect(fewer.seconds).toBeCloseTo(simulate(lower(exchange()), pair, size).seconds, 12);
  });
});

/** Bulks that taper at the ends of a pipeline. Times are those of a flow shop: a bulk after the other, a stage after the other. */
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/ir/limits.ts';
import { Routes } from '../../../../src/ir/routes.ts';
import { refine } from '../../../../src/passes/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../../../src/read/index.ts';
import { evaluateCandidate } from '../../../../src/search/evaluate/index.ts';
import { workBudget } from '../../../../src/search/evaluate/sizes/best-sizes.ts';
import { tapered } from '../../../../src/search/evaluate/sizes/tapered.ts';
import { collectiveOf } from '../../../collectives.ts';

const size = 64 * 2 ** 20;
const [alpha, link, copies] = [0.55e-6, 64e9, 128e9];

/** A chain of four chips with buffers in DDR: a copy, three messages, a copy. */
function flowShop(parts: readonly number[]): number {
  const ends = new Float64Array(5);
  for (const part of parts) {
    const message = alpha + (part * size) / link;
    const copy = (part * size) / copies;
    [copy, message, message, message, copy].forEach((time, stage) => {
      ends[stage] = Math.max(ends[stage], stage === 0 ? 0 : ends[stage - 1]) + time;
    });
  }
  return ends[4];
}

function chain(bulks: number) {
  const topology = resolveTopology('sg2260x4-ddr');
  const routes = Routes.of(topology);
  const request = { ranks: 4, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  const schedule = instantiate(loadScheduleFile('chain-broadcast'), { ...request, limits: defaultLimits });
  const candidate = {
    name: schedule.name,
    origin: { engine: 'library', schedule: schedule.name },
    build: (multiple: number) => refine(schedule, multiple),
  };
  const collective = collectiveOf('broadcast', 4);
  const asked = { collective, topology, size, limits: defaultLimits, bulks };
  const outcome = evaluateCandidate(candidate, asked, routes, Number.POSITIVE_INFINITY);
  if (outcome.kind !== 'priced') throw new Error(outcome.kind);
  return tapered(outcome, { routes, size, incumbent: Number.POSITIVE_INFINITY, spend: workBudget(1e6, {}) });
}

describe('bulks that taper', () => {
  it.each([12, 40])('are no slower than any rise and fall over a power of two: %i bulks', (bulks) => {
    const found = chain(bulks);
    const lengths = [1, 2, 4, 8, 16, 32].filter((length) => length <= bulks);
    const timeOf = (rising: number, falling: number): number => {
      const weights = Array.from({ length: bulks }, (_, i) => Math.min(1, (i + 1) / rising, (bulks - i) / falling));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return flowShop(weights.map((weight) => weight / total));
    };
    const least = Math.min(...lengths.flatMap((rising) => lengths.map((falling) => timeOf(rising, falling))));
    expect(found?.sized.seconds).toBeLessThanOrEqual(least * (1 + 1e-9));
    expect(found?.sized.seconds).toBeLessThan(timeOf(1, 1) * 0.99);
  });

  it('take what the flow shop takes with their sizes', () => {
    const found = chain(12);
    expect(found?.sized.seconds).toBeCloseTo(flowShop([...(found?.sized.parts ?? [])]), 12);
  });

  it('are none in one bulk', () => {
    expect(chain(1)).toBeUndefined();
  });
});

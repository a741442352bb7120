/** Times of one plan for many sizes, of which large ones share what is simulated, are those that each has by itself. */
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { withProtocol } from '../../../src/ir/topology.ts';
import { importPlan } from '../../../src/jobs/convert.ts';
import { SimulatedTimes, simulate } from '../../../src/model/index.ts';
import { loadScheduleFile, resolveTopology } from '../../../src/read/index.ts';

describe('SimulatedTimes', () => {
  it.each([
    ['slices that are all simulated, and such that are continued', 'h100', 'Simple'],
    ['boxes with proxies', 'h100:2', 'LL'],
    ['links alone', 'h100', undefined],
    ['messages that are aligned', 'sg2260x4', undefined],
  ])('are the same for %s', async (_, name, protocol) => {
    const machine = resolveTopology(name);
    const routes = Routes.of(protocol === undefined ? machine : withProtocol(machine, protocol));
    const asked = { root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, limits: defaultLimits } as const;
    const ranks = machine.chips.length;
    const { plan } = await importPlan(loadScheduleFile('ring-allreduce').text, { ...asked, ranks, chunks: undefined });
    const times = new SimulatedTimes(plan, routes);
    const sizes = [1000, 2 ** 20, 2 ** 27, 2 ** 29, 2 ** 30, 2 ** 29 + 640, 2 ** 27];
    expect(sizes.map((size) => times.at(size))).toEqual(sizes.map((size) => simulate(plan, routes, size).seconds));
  });
});

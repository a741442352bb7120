/** Rings of ranks in an order that fits the machine. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../src/ir/routes.ts';
import { resolveTopology, withoutLink } from '../../src/read/index.ts';
import { fittingRing } from '../../src/synth/fitting-ring.ts';

function edgesOf(routes: Routes, order: readonly number[]): number[] {
  return order.map((rank, at) => routes.hops(rank, order[(at + 1) % order.length]));
}

describe('the ring that fits a machine', () => {
  it.each([5, 12, 13, 38])(
    'goes to and fro on a line of %i routers: four links a step, and three at both ends',
    (chips) => {
      const line = withoutLink(resolveTopology(`routed-ring:${chips}`), 'switch 1', 'switch 2');
      const routes = new Routes(line);
      const { order, after, isBetter } = fittingRing(routes, 'quick');
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: chips }, (_, rank) => rank));
      expect(order[0]).toBe(0);
      expect(edgesOf(routes, order).sort()).toEqual([3, 3, ...Array.from({ length: chips - 2 }, () => 4)]);
      expect(after).toBeCloseTo((4 * chips - 2) / chips, 12);
      expect(isBetter).toBe(true);
    },
  );

  it('goes round a ring of routers', () => {
    const routes = new Routes(resolveTopology('routed-ring:9'));
    expect(new Set(edgesOf(routes, fittingRing(routes, 'full').order))).toEqual(new Set([3]));
  });

  it('is that of the ranks themselves where no other is better', () => {
    for (const machine of ['switch:6', 'ring:6', 'line:6', 'fattree:2,4,2']) {
      const { order, isBetter } = fittingRing(new Routes(resolveTopology(machine)), 'full');
      expect(isBetter).toBe(false);
      expect(order).toEqual(Array.from(order, (_, rank) => rank));
    }
  });
});

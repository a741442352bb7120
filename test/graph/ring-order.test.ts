/** Ring orders: known cases, brute force, and search on machines whose best ring is known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minStretchRing } from '../../src/graph/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { drawn } from '../draw.ts';
import { line, link, machine, ring } from '../model/machines.ts';
import { randomMachine } from '../model/random.ts';

/** A machine in which rank r sits on chip `places[r]` of the given one; chips that nobody sits on only forward. */
function seated(topology: Topology, places: readonly number[]): Topology {
  return { ...topology, chips: places };
}

/** Numbers 0 … n − 1 in a fixed disorder. */
function shuffled(count: number, step: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * step) % count);
}

function lengthOf(routes: Routes, order: readonly number[]): number {
  return order.reduce(
    (sum, rank, at) => sum + (routes.between(rank, order[(at + 1) % order.length])?.links.length ?? 0),
    0,
  );
}

describe('leastStretchRing', () => {
  it('four chips at 0, 1, 3, 5 of a line of forwarding nodes: 3.5 when numbered badly, 2.5 at best', () => {
    expect(minStretchRing(new Routes(seated(line(6), [0, 3, 1, 5])))).toEqual({
      order: [0, 1, 3, 2],
      before: 3.5,
      after: 2.5,
    });
    expect(minStretchRing(new Routes(seated(line(6), [0, 1, 3, 5])))).toMatchObject({ before: 2.5, after: 2.5 });
  });

  it('one rank, two ranks', () => {
    expect(minStretchRing(new Routes(ring(1)))).toEqual({ order: [0], before: 0, after: 0 });
    expect(minStretchRing(new Routes(seated(line(4), [3, 0])))).toEqual({
      order: [0, 1],
      before: 3,
      after: 3,
    });
  });

  it('keeps an order that is perfect', () => {
    for (const ranks of [2, 3, 12, 13, 200]) {
      const order = Array.from({ length: ranks }, (_, r) => r);
      expect(minStretchRing(new Routes(ring(ranks)))).toEqual({ order, before: 1, after: 1 });
    }
  });

  it('goes round with the links where they go one way only', () => {
    // Links 0 → 3 → 2 → 1 → 0.
    const oneWay = machine(4, [link(0, 3), link(3, 2), link(2, 1), link(1, 0)]);
    expect(minStretchRing(new Routes(oneWay))).toEqual({ order: [0, 3, 2, 1], before: 3, after: 1 });
  });

  it('finds what brute force finds, the lexicographically least', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }).chain(randomMachine), (topology) => {
        const routes = new Routes(topology);
        const { order, after } = minStretchRing(routes);
        let best: readonly number[] = [];
        const extend = (sofar: readonly number[]): void => {
          const left = topology.chips.map((_, rank) => rank).filter((rank) => !sofar.includes(rank));
          for (const rank of left) extend([...sofar, rank]);
          if (left.length === 0 && (best.length === 0 || lengthOf(routes, sofar) < lengthOf(routes, best)))
            best = sofar;
        };
        extend([0]);
        expect(after).toBe(lengthOf(routes, best) / best.length);
        expect(order).toEqual(best);
      }),
      drawn(100),
    );
  });

  it.each([16, 50, 101])('finds the ring in a badly numbered ring of %i', (ranks) => {
    const routes = new Routes(seated(ring(ranks), shuffled(ranks, 7)));
    const { order, before, after } = minStretchRing(routes);
    expect(before).toBeGreaterThan(3);
    expect(after).toBe(1);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: ranks }, (_, r) => r));
    expect(order[0]).toBe(0);
  });

  it('finds it with little effort too, and where there is none to find gives up with one as short as any', () => {
    expect(minStretchRing(new Routes(seated(ring(50), shuffled(50, 7))), 'quick').after).toBe(1);
    // There and back along the line.
    expect(minStretchRing(new Routes(seated(line(30), shuffled(30, 7))), 'quick').after).toBeCloseTo(58 / 30, 12);
  });

  it('gives the same order every time, with the stretch it says', () => {
    const routes = new Routes(seated(line(40), shuffled(30, 7)));
    const first = minStretchRing(routes);
    expect(minStretchRing(routes)).toEqual(first);
    expect(first.after).toBeCloseTo(lengthOf(routes, first.order) / 30, 12);
    // There and back along the 30 chips, 29 links each way.
    expect(first.after).toBeCloseTo(58 / 30, 12);
  });

  it('leaves ranks that cannot reach each other to others', () => {
    const apart = machine(13, []);
    expect(minStretchRing(new Routes(apart))).toMatchObject({ before: Number.POSITIVE_INFINITY });
  });
});

/** The middle of a machine, held against looking at all pairs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { roundTrips } from '../../../src/synth/list/centre.ts';
import { drawn } from '../../draw.ts';
import { randomMachine } from '../../model/random.ts';

/** The least time to the farthest rank and back, from any rank. */
function leastOfAll(topology: Topology): number {
  const routes = new Routes(topology);
  const ranks = Array.from({ length: ranksOf(topology) }, (_, rank) => rank);
  const way = (from: number, to: number) => routes.between(from, to)?.latency ?? Number.POSITIVE_INFINITY;
  const farthest = (rank: number) =>
    Math.max(...ranks.map((other) => (other === rank ? 0 : way(rank, other) + way(other, rank))));
  return Math.min(...ranks.map(farthest));
}

describe('the centre', () => {
  it.each([
    ['line:7', 6],
    ['line:8', 8],
    ['mesh:5x5', 8],
    ['mesh:8x8', 16],
    ['mesh:3x4x5', 10],
    ['torus:8x8', 16],
    ['tree:15', 6],
  ])('of %s is %i µs from the farthest rank and back', (name, microseconds) => {
    expect(Math.min(...roundTrips(resolveTopology(name))) * 1e6).toBeCloseTo(microseconds, 9);
  });

  it('is what looking at all pairs finds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }).chain(randomMachine), (topology) => {
        expect(Math.min(...roundTrips(topology))).toBeCloseTo(leastOfAll(topology), 9);
      }),
      drawn(150),
    );
  });
});

/** Lengths that prove how fast an alltoall can be, against cuts that are known to be the tightest. */
import { expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { RoutingLengths } from '../../src/bounds/lengths/routing-lengths.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { collective } from '../model/plans.ts';

it.each([
  // Half of the ranks have N/4 of all bytes for the other half.
  ['line:60', 60 / 4 / 10e9, 0.95],
  ['tree:63', (31 * 32) / 63 / 10e9, 0.95],
  // A box has 8·56 of 64 shards for each of the others together, over four NICs.
  ['dgx1-cluster:8', (8 * 56) / 64 / (4 * 12.5e9), 0.999],
])('come near the tightest cut of %s', (name, cut, share) => {
  const topology = resolveTopology(name);
  const found = new RoutingLengths(topology, () => 1 / topology.chips.length).best();
  const proved = (found?.secondsPerByte ?? 0) / cut;
  expect(proved).toBeGreaterThan(share);
  expect(proved).toBeLessThan(1 + 1e-9);
});

it.each([
  ['alltoall', 'mesh:8x8', (32 * 32) / 64 / (8 * 10e9)],
  // What one box must give the next goes over its four NICs.
  ['scan', 'dgx1-cluster:8', 1 / (4 * 12.5e9)],
  ['exscan', 'dgx1-cluster:8', 1 / (4 * 12.5e9)],
] as const)('prove as much of an %s on %s as the tightest cut', (kind, name, cut) => {
  const size = 2 ** 40;
  const { certificates } = lowerBound(collective(kind, 64), resolveTopology(name), size);
  const proved =
    certificates.find(({ kind: of }) => of === (kind === 'alltoall' ? 'distances' : 'stretches'))?.seconds ?? 0;
  expect(proved / (cut * size)).toBeCloseTo(1, 6);
});

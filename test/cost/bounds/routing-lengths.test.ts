/** Lengths that prove how fast an alltoall can be, against cuts that are known to be the tightest. */
import { expect, it } from 'vitest';
import { RoutingLengths } from '../../../src/cost/bounds/lengths/routing-lengths.ts';
import { resolveTopology } from '../../../src/read/index.ts';

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

/** Links whose bandwidths are 27 orders of magnitude apart: one that is as good as dead must not carry anything, whatever the average is. */
import { expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';

it('leaves a link alone that is as good as dead', () => {
  const ring = resolveTopology('ring:4');
  const between = (a: number, b: number, from: number, to: number): boolean =>
    (from === a && to === b) || (from === b && to === a);
  const links = ring.links.map((link) => {
    const { from, to } = link;
    const bandwidth = between(0, 1, from, to) ? 1e-6 : between(1, 2, from, to) ? 1e21 : 1e9;
    return { ...link, latency: 1e-6, bandwidth };
  });
  const size = 2 ** 20;
  const collective = collectiveOf('allgather', 4);
  const { bundle } = searchPlan({ ...searchDefaults, collective, topology: { ...ring, links }, size });
  // Chips 0 and 3 get three shards over a link of 1 GB/s, and the farthest way has three links of 1 µs.
  const bytes = (0.75 * size) / 1e9;
  expect(bundle.cost.seconds).toBeGreaterThan(bytes);
  expect(bundle.cost.seconds).toBeLessThan(bytes * 1.01 + 3e-6);
});

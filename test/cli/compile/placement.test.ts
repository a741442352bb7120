/** `ccc compile --ranks`: which chips, and what is said of them. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

describe('--ranks', () => {
  const asked = ['compile', 'allgather', '--topo', 'torus:8x8', '--size', '64KiB', '--effort', 'quick', '-o', 'p.json'];

  it('puts the ranks on a square of a torus, and says how far apart they are and would be', async () => {
    const { stderr, status } = await inProcess([...asked, '--ranks', '4']);
    expect(status).toBe(0);
    const said = stderr.replaceAll(/\s+/g, ' ');
    expect(said).toContain(
      'average stretch 1.333 over all pairs of ranks, 1 around the ring; on the first 4 chips it would be 1.667',
    );
    const { placement, topology, cost } = JSON.parse((await inProcess([...asked, '--ranks', '4', '--json'])).stdout);
    expect(placement.before).toEqual({ pairs: 20 / 12, ring: 1.5 });
    expect(placement.after).toEqual({ pairs: 16 / 12, ring: 1 });
    expect(topology).toBe(`torus:8x8 --group ${placement.chips.join(',')}`);
    // A ring of four chips with both directions: 2α + 3M/8β.
    expect(cost.seconds).toBeCloseTo(2e-6 + (3 * 65_536) / (8 * 10e9), 12);
  });

  it('refuses more ranks than chips, and chips that are named beside', async () => {
    expect((await inProcess([...asked, '--ranks', '65'])).stderr).toContain(
      'torus:8x8 has 64 chips, and each takes one rank',
    );
    expect((await inProcess([...asked, '--ranks', '4', '--group', '0,1'])).stderr).toContain('give one of them');
    expect((await inProcess([...asked, '--ranks', '4', '--compact'])).status).toBe(2);
  });
});

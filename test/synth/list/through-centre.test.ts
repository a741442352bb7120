/** Allreduces whose parts come together at several central chips of a machine. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { candidatesOn, provedSeconds, reasonsOn } from './support.ts';

const α = 1e-6;
const β = 10e9;

/** Reducing takes no time, so that messages alone count. */
function withoutEngines(name: string): Topology {
  const machine = resolveTopology(name);
  return { ...machine, nodes: machine.nodes.map((node) => ({ ...node, reduce: undefined })) };
}

function centresOn(machine: string | Topology, size: number, effort: 'quick' | 'full' = 'full') {
  const all = candidatesOn(machine, { kind: 'allreduce', size, effort });
  return all.filter(({ name }) => name.startsWith('list-steps') && name.includes('central ranks'));
}

describe('allreduces through central ranks', () => {
  // Two parts cross each of the outer links in, one after the other, and come back over them.
  it('of a line of four take two messages in and two out', () => {
    const machine = withoutEngines('line:4');
    const size = 4096;
    const [{ origin, build }] = centresOn(machine, size);
    expect(origin.centre).toEqual([1, 2]);
    expect(provedSeconds(build(1), machine, size)).toBeCloseTo(4 * (α + size / 2 / β), 12);
  });

  // Chips that have lost no link are next to all others: one message in and one out for each.
  it('of a full mesh that lost a link leave out its two ends', () => {
    const whole = withoutEngines('full:6');
    const machine = withoutLink(whole, 1, 4);
    const size = 4096;
    const [{ origin, build }] = centresOn(machine, size);
    expect(origin.centre).toEqual([0, 2, 3, 5]);
    expect(provedSeconds(build(1), machine, size)).toBeCloseTo(2 * (α + size / 4 / β), 12);
  });

  it('take the chips nearest to all, then those a little farther away as well', () => {
    const sets = centresOn('line:9', 4096).map(({ origin }) => origin.centre);
    expect(sets).toEqual([
      [3, 4, 5],
      [2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6, 7],
    ]);
    expect(centresOn('line:9', 4096, 'quick').map(({ origin }) => origin.centre)).toEqual([[3, 4, 5]]);
  });

  it.each(['line:7', 'mesh:3x4', 'tree:15', 'sg2260x8', 'mi250'])(
    'are proved on %s, for any multiple of chunks',
    (name) => {
      for (const { build } of centresOn(name, 4096)) {
        for (const multiple of [1, 2]) expect(provedSeconds(build(multiple), name, 4096)).toBeGreaterThan(0);
      }
    },
  );

  it('are not looked for where chips are alike, nor for long messages', () => {
    expect(centresOn('torus:4x4', 4096)).toEqual([]);
    expect(centresOn('line:9', 2 ** 30)).toEqual([]);
  });

  it('keep to the chunks that are asked for, or say which they need', () => {
    const reasons = reasonsOn('line:4', { kind: 'allreduce', size: 4096, chunks: 5 });
    expect(reasons).toContainEqual(expect.stringMatching(/multiple of \d+ chunks, not 5/));
    const asked = candidatesOn('line:4', { kind: 'allreduce', size: 4096, chunks: 8 });
    for (const { build } of asked) expect(build(1).collective.chunks).toBe(8);
  });
});

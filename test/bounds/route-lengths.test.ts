/** The bound along the routes of messages, and the cheapest trees that it asks for: against brute force and counts by hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { cheapestArborescence } from '../../src/graph/index.ts';
import { resolveTopology, type Topology } from '../../src/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';

/** The least cost of any choice of an edge into every node but the root that leads to it from everywhere. */
function leastCost(nodes: number, root: number, cost: Float64Array): number {
  const before = new Array<number>(nodes).fill(-1);
  const leadsToRoot = (): boolean =>
    before.every((_, start) => {
      let node = start;
      for (let step = 0; step < nodes && node !== root; step++) node = before[node];
      return node === root;
    });
  const choose = (node: number, sum: number): number => {
    if (node === nodes) return leadsToRoot() ? sum : Number.POSITIVE_INFINITY;
    if (node === root) return choose(node + 1, sum);
    let least = Number.POSITIVE_INFINITY;
    for (let from = 0; from < nodes; from++) {
      if (from === node) continue;
      before[node] = from;
      least = Math.min(least, choose(node + 1, sum + cost[from * nodes + node]));
    }
    return least;
  };
  return choose(0, 0);
}

describe('the cheapest arborescence', () => {
  it('is as cheap as the best of all', () => {
    const samples = fc
      .integer({ min: 1, max: 5 })
      .chain((nodes) =>
        fc.tuple(
          fc.constant(nodes),
          fc.nat(nodes - 1),
          fc.array(fc.nat(9), { minLength: nodes ** 2, maxLength: nodes ** 2 }),
        ),
      );
    fc.assert(
      fc.property(samples, ([nodes, root, numbers]) => {
        // 9 stands for no edge.
        const cost = Float64Array.from(numbers, (each) => (each === 9 ? Number.POSITIVE_INFINITY : each));
        const best = leastCost(nodes, root, cost);
        const before = cheapestArborescence(nodes, root, cost);
        const missing = before.some((from, node) => node !== root && from === -1);
        expect(missing).toBe(best === Number.POSITIVE_INFINITY);
        if (missing) return;
        let sum = 0;
        for (const [node, from] of before.entries()) if (node !== root) sum += cost[from * nodes + node];
        expect(sum).toBe(best);
        for (let node = 0; node < nodes; node++) {
          let at = node;
          for (let step = 0; step < nodes && at !== root; step++) at = before[at];
          expect(at).toBe(root);
        }
      }),
      drawn(200),
    );
  });
});

/** Two islands of three chips with fast links; a PCIe link of each chip to its host, and hosts joined slowly. */
const islands = [
  'format: ccc-topology\nversion: 1\nname: islands\nchips: 6\nhosts: 2',
  'link: { latency: 1 us, bandwidth: 24 GB/s, occupancy: pipelined }\nlinks:',
  '  - for: [island in 0 .. 1, a in 0 .. 1, b in a + 1 .. 2]\n    duplex: 3 * island + a <-> 3 * island + b',
  '  - { for: r in 0 .. 5, duplex: r <-> host r // 3, latency: 0.5 us }',
  '  - { duplex: host 0 <-> host 1, bandwidth: 40 GB/s }\n',
].join('\n');

function machine(): Topology {
  return resolveTopology('islands.yaml', { read: (name) => ({ name, text: islands }) });
}

describe('the bound along routes', () => {
  it.each(['allgather', 'reducescatter'] as const)('counts what an island can take in at all: %s', (kind) => {
    const { certificates } = lowerBound(collectiveOf(kind, 6), machine(), 6 * 2 ** 30);
    const along = certificates.find((certificate) => certificate.kind === 'routes');
    // What comes to an island in all: 15 shards of 2^30 bytes, after 1 µs at least.
    const seconds = (15 * 2 ** 30) / (40e9 + 6 * 24e9) + 1e-6;
    expect(along?.seconds).toBeGreaterThan(seconds * (1 - 2e-3));
    expect(along?.seconds).toBeLessThanOrEqual(seconds * (1 + 1e-9));
    const cut = certificates.find((certificate) => certificate.kind === 'cut');
    expect(cut?.seconds).toBeLessThan(seconds * 0.95);
  });

  it('is refused where it claims more, and where data do not spread from roots', () => {
    const asked = collectiveOf('allgather', 6);
    const found = lowerBound(asked, machine(), 2 ** 30).certificates.find(({ kind }) => kind === 'routes');
    expect(found).toBeDefined();
    expect(checkCertificate(found, asked, machine(), 2 ** 30)).toBe(true);
    const more = { ...found, seconds: (found?.seconds ?? 0) * 1.001 };
    expect(checkCertificate(more, asked, machine(), 2 ** 30)).toBe(false);
    expect(checkCertificate(found, collectiveOf('gather', 6), machine(), 2 ** 30)).toBe(false);
  });
});

/** Bounds that flows, lengths and partitions decide: published values, and brute force over all cuts and partitions of small machines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { type Link, ranksOf, type Topology } from '../../src/ir/topology.ts';
import { drawn } from '../draw.ts';
import { full, line, link, machine, ring } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { randomMachine } from '../model/random.ts';

/** Seconds per byte that the bound comes to for messages so large that what grows with their square root is nothing. */
/** @param withRoutes whether the routes of messages count, and not only what links let through */
function perByte(kind: CollectiveKind, topology: Topology, root = 0, withRoutes = true): number {
  const size = 2 ** 90;
  const target = collective(kind, ranksOf(topology), 1, root);
  const { certificates } = lowerBound(target, topology, size);
  for (const certificate of certificates) {
    expect(checkCertificate(certificate, target, topology, size)).toBe(true);
    const inflated = { ...certificate, seconds: certificate.seconds * 1.001 + 1e-6 };
    expect(checkCertificate(inflated, target, topology, size)).toBe(false);
  }
  return (certificates.find((found) => withRoutes || found.kind !== 'routes')?.seconds ?? 0) / size;
}

const duplex = (a: number, b: number, bandwidth: number): Link[] => [
  link(a, b, { bandwidth }),
  link(b, a, { bandwidth }),
];

/** Eight chips with NVLinks, some of them double: pairs with 2 are worth 50, the others 25. */
function dgx1(): Topology {
  const double = [0, 1, 0, 4, 1, 3, 2, 3, 2, 6, 4, 5, 5, 7, 6, 7];
  const single = [0, 2, 0, 3, 1, 2, 1, 5, 3, 7, 4, 6, 4, 7, 5, 6];
  const links = (ends: number[], bandwidth: number) =>
    ends.flatMap((a, i) => (i % 2 === 0 ? duplex(a, ends[i + 1], bandwidth) : []));
  return machine(8, [...links(double, 2), ...links(single, 1)]);
}

function torus(side: number): Topology {
  const at = (x: number, y: number) => (x % side) * side + (y % side);
  const links: Link[] = [];
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++)
      links.push(...duplex(at(x, y), at(x + 1, y), 1), ...duplex(at(x, y), at(x, y + 1), 1));
  }
  return machine(side * side, links);
}

const rows = (first: number): Link[] => [0, 1, 2].flatMap((at) => duplex(first + at, first + at + 1, 1));

describe('bytes alone, known values', () => {
  it.each([
    // 16 chunks over 6 links in the bisection: 8/3 rounds for each chunk of M/8; 7/6 rounds for allgather; 1/6 for broadcast.
    ['alltoall', dgx1(), 8 / 3 / 8],
    ['allgather', dgx1(), 7 / 6 / 8],
    ['reducescatter', dgx1(), 7 / 6 / 8],
    ['broadcast', dgx1(), 1 / 6],
    ['reduce', dgx1(), 1 / 6],
    ['scatter', dgx1(), 7 / 6 / 8],
    ['gather', dgx1(), 7 / 6 / 8],
    // Each shard of M/16 goes 2 links on average (32/16), 240 pairs + 16 of them to itself, over 64 links: 512/16/64.
    ['alltoall', torus(4), 0.5],
    // Two rows of four: 16 shards over the 2 links between the halves of the rows.
    ['alltoall', machine(8, [...rows(0), ...rows(4), ...[0, 1, 2, 3].flatMap((at) => duplex(at, at + 4, 1))]), 1],
    ['allgather', torus(4), 15 / 16 / 4],
    ['allreduce', torus(4), (2 * 15) / 64],
    // Distances on a ring of 8 add up to 16 from each: 8·16/8 over 16 links.
    ['alltoall', ring(8, { bandwidth: 1 }), 1],
    ['allreduce', ring(8, { bandwidth: 1 }), (2 * 7) / 16],
    // Everything up and down a line: M both ways over each link.
    ['allreduce', line(5, { bandwidth: 1 }), 1],
    ['broadcast', line(5, { bandwidth: 1 }), 1],
    ['alltoall', full(6, { bandwidth: 1 }), 1 / 6],
  ] as const)('are exact for %s', (kind, topology, value) => {
    expect(perByte(kind, topology)).toBeCloseTo(value, 9);
  });

  it('allreduce on cliques in a chain: a partition that is neither single chips nor one cut binds', () => {
    // Three pairs with fast links inside, joined by slow ones in a triangle: 2·(3 − 1) messages over 6 links.
    const pairs = [0, 2, 4].flatMap((a) => duplex(a, a + 1, 8));
    const topology = machine(6, [...pairs, ...duplex(1, 2, 1), ...duplex(3, 4, 1), ...duplex(5, 0, 1)]);
    expect(perByte('allreduce', topology)).toBeCloseTo(4 / 6, 9);
  });
});

describe('bytes alone, against brute force on random machines', () => {
  /** Cuts by the nodes inside, without scarce ports. */
  function* cuts({ nodes, links, chips }: Topology) {
    for (let bits = 1; bits < 2 ** nodes.length - 1; bits++) {
      const inside = (node: number) => (bits >> node) % 2 === 1;
      const bandwidth = links.reduce((sum, l) => sum + (inside(l.from) && !inside(l.to) ? l.bandwidth : 0), 0);
      yield { holds: chips.map(inside), bandwidth };
    }
  }

  const unlimited = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };
  const machines = fc
    .integer({ min: 2, max: 5 })
    .chain(randomMachine)
    .map(({ nodes, ...rest }) => ({
      ...rest,
      nodes: nodes.map((node) => ({ ...node, ports: unlimited, reduce: undefined })),
    }));

  it.each(['broadcast', 'reduce', 'scatter', 'gather'] as const)('are those of the best cut for %s', (kind) => {
    fc.assert(
      fc.property(machines, fc.nat(), (topology, number) => {
        const ranks = ranksOf(topology);
        const root = number % ranks;
        let most = 0;
        for (const { holds, bandwidth } of cuts(topology)) {
          const outside = holds.filter((held) => !held).length;
          const from = kind === 'broadcast' || kind === 'scatter';
          if (holds[root] !== from || outside === 0 || outside === ranks) continue;
          const moved = from ? outside : ranks - outside;
          most = Math.max(most, (kind === 'broadcast' || kind === 'reduce' ? 1 : moved / ranks) / bandwidth);
        }
        expect(perByte(kind, topology, root, false)).toBeCloseTo(most, 9);
      }),
      drawn(60),
    );
  });

  it('allreduce: at least the best partition of the chips', () => {
    fc.assert(
      fc.property(machines, (topology) => {
        const { nodes, links } = topology;
        if (nodes.length !== ranksOf(topology)) return;
        let most = 0;
        for (let code = 0; code < nodes.length ** nodes.length; code++) {
          const part = (node: number) => Math.floor(code / nodes.length ** node) % nodes.length;
          const parts = new Set(nodes.map((_, node) => part(node))).size;
          const between = links.reduce((sum, l) => sum + (part(l.from) === part(l.to) ? 0 : l.bandwidth), 0);
          if (parts > 1) most = Math.max(most, (2 * (parts - 1)) / between);
        }
        expect(perByte('allreduce', topology)).toBeGreaterThanOrEqual(most * (1 - 0.02));
      }),
      drawn(60),
    );
  });
});

describe('what is said of a cut', () => {
  const reason = (kind: CollectiveKind, topology: Topology) => {
    const { certificates } = lowerBound(collective(kind, ranksOf(topology)), topology, 2 ** 30);
    return certificates.find(({ kind: of }) => of === 'cut')?.reason ?? '';
  };

  it('no cut is tighter where a flow has decided it', () => {
    for (const kind of ['allgather', 'reducescatter', 'broadcast', 'reduce', 'scatter', 'gather'] as const) {
      expect(reason(kind, dgx1())).toMatch(/no cut is tighter$/);
    }
    expect(reason('alltoall', dgx1())).not.toMatch(/tighter/);
  });

  it('the tightest that was found where bandwidths had to be rounded', () => {
    const { links, ...rest } = ring(5);
    const odd = { ...rest, links: links.map((l, i) => ({ ...l, bandwidth: Math.PI + i / 7 })) };
    expect(reason('allgather', odd)).toMatch(/the tightest cut that was found$/);
  });
});

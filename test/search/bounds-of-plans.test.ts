/** Over a sweep of machines, collectives and sizes: no plan is faster than its bound, and all certificates are recomputed. */
import { describe, expect, it } from 'vitest';
import { checkCertificate, searchDefaults, searchPlan } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { full, line, link, machine, ring, star } from '../model/machines.ts';

const traits = { latency: 1, bandwidth: 1 };
const exclusive = { ...traits, reduce: { throughput: 4, overlap: false } };
const duplex = (a: number, b: number, bandwidth: number) => [
  link(a, b, { latency: 1, bandwidth }),
  link(b, a, { latency: 1, bandwidth }),
];

const machines: readonly (readonly [string, Topology])[] = [
  ['a ring', ring(4, traits)],
  ['a line that reduces or sends', line(4, exclusive)],
  ['a switch, reducing or sending', star(5, exclusive)],
  ['all to all, pipelined', full(4, { ...traits, occupancy: 'pipelined' })],
  [
    'a ladder of two bandwidths',
    machine(6, [0, 1, 2, 3].flatMap((a) => duplex(a, a + 2, 2)).concat([0, 2, 4].flatMap((a) => duplex(a, a + 1, 1)))),
  ],
  [
    'a tree that reduces or sends',
    machine(
      6,
      [1, 2, 3, 4, 5].flatMap((r) => duplex(r, (r - 1) >> 1, 1)),
      exclusive,
    ),
  ],
];

const kinds: readonly CollectiveKind[] = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const),
  ...(['scatter', 'gather', 'alltoall', 'scan', 'exscan'] as const),
];

describe.each(machines)('on %s', (_, topology) => {
  it.each(kinds)('no plan for %s is faster than its bound', (kind) => {
    const ordered = kind === 'scan' || kind === 'exscan';
    const common = { ranks: ranksOf(topology), chunks: 1, root: 0, op: 'sum', ordered, inPlace: false } as const;
    for (const [engine, size] of [
      ['library', 24],
      ['library', 2400],
      ...(ordered ? [] : [['list', 600] as const]),
    ] as const) {
      const collective = { kind, ...common };
      const { bundle } = searchPlan({ ...searchDefaults, engine, collective, topology, size });
      expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
      for (const certificate of bundle.bound.certificates) {
        expect(checkCertificate(certificate, collective, topology, size), certificate.reason).toBe(true);
      }
    }
  });
});

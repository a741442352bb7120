/** Lower bounds: known values, certificates that are checked anew, and no plan that beats them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { CertificateKind } from '../../src/ir/certificate.ts';
import { type Collective, collectiveKinds } from '../../src/ir/collective.ts';
import { customResults } from '../../src/ir/custom-results.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { drawn } from '../draw.ts';
import { full, line, link, machine, ring, star } from '../model/machines.ts';
import {
  binomialBroadcast,
  chainReduce,
  chainScan,
  collective,
  direct,
  ringAllgather,
  ringAllreduce,
} from '../model/plans.ts';
import { evenSize, randomMachine } from '../model/random.ts';

const latency = 2;
const bandwidth = 16;
const traits = { latency, bandwidth };
const size = 2 ** 20;

/** What is proved by bytes alone, and how news spreads. */
const together: Readonly<Record<string, readonly CertificateKind[]>> = {
  bandwidth: ['cut', 'messages', 'distances', 'spans', 'stretches', 'routes'],
  spreading: ['spreading', 'families'],
};

/** The best certificate of a kind, or of some, in seconds; 0 if there is none. */
function best(kind: CertificateKind | 'bandwidth', target: Collective, topology: Topology, bytes = size): number {
  const { certificates } = lowerBound(target, topology, bytes);
  return certificates.find((found) => (together[kind] ?? [kind]).includes(found.kind))?.seconds ?? 0;
}

describe('latency', () => {
  it.each([
    ['broadcast', 0, 6],
    ['broadcast', 3, 3],
    ['reduce', 6, 6],
    ['gather', 2, 4],
    ['allgather', 0, 6],
    ['scan', 0, 6],
    ['barrier', 0, 6],
  ] as const)('%s with root %i on a line of 7 crosses %i links', (kind, root, hops) => {
    expect(best('latency', collective(kind, 7, 1, root), line(7, traits))).toBe(hops * latency);
  });

  it('follows the direction of the data', () => {
    const oneWay = machine(3, [link(0, 1, { latency: 1 }), link(1, 2, { latency: 1 }), link(2, 0, { latency: 10 })]);
    expect(best('latency', collective('broadcast', 3), oneWay)).toBe(2);
    expect(best('latency', collective('reduce', 3), oneWay)).toBe(11);
    expect(best('latency', collective('scan', 3), oneWay)).toBe(2);
    expect(best('latency', collective('allreduce', 3), oneWay)).toBe(11);
  });

  it('does not count on messages where a full channel tells a barrier as much', () => {
    expect(best('latency', collective('barrier', 7), line(7, { ...traits, inflight: 1 }))).toBe(2 * latency);
    expect(best('latency', collective('barrier', 7), line(7, { ...traits, inflight: 0 }))).toBe(latency);
    expect(best('latency', collective('barrier', 2), line(2, { ...traits, inflight: 1 }))).toBe(latency);
  });

  it('takes what a custom collective needs', () => {
    const results = [[null], [[{ rank: 0, chunk: 0 }]], [null], [[{ rank: 1, chunk: 0 }]]];
    const custom = { input: [1, 1, 1, 1], output: [1, 1, 1, 1], results: customResults(results) };
    expect(best('latency', { ...collective('custom', 4), custom }, line(4, traits))).toBe(2 * latency);
  });
});

describe('spreading', () => {
  it.each([
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [8, 3],
    [9, 4],
    [64, 6],
  ])('one port: %i ranks take %i rounds', (ranks, rounds) => {
    for (const kind of [
      'broadcast',
      'reduce',
      'allgather',
      'allreduce',
      'scatter',
      'gather',
      'scan',
      'alltoall',
    ] as const) {
      expect(best('spreading', collective(kind, ranks), star(ranks, traits), 0)).toBe(rounds * latency);
    }
  });

  it.each([
    ['broadcast', 1],
    ['reduce', 1],
    ['allreduce', 1],
    ['scan', 1],
    ['allgather', 1 / 8],
    ['scatter', 1 / 8],
    ['alltoall', 1 / 8],
  ] as const)('%s: the last of 8 ranks then still has %f of the message to take', (kind, part) => {
    const seconds = best('spreading', collective(kind, 8), star(8, traits));
    expect(seconds).toBe(3 * latency + (part * size) / bandwidth);
  });

  it('one round is enough where everyone can talk to everyone at once', () => {
    expect(best('spreading', collective('allgather', 9), full(9, traits), 0)).toBe(latency);
    expect(lowerBound(collective('allgather', 9), full(9, traits), 0).seconds).toBe(latency);
  });

  it('says nothing of pipelined links without ports, but ports count on them', () => {
    const pipelined = { ...traits, occupancy: 'pipelined' as const };
    expect(best('spreading', collective('broadcast', 9), full(9, pipelined))).toBe(0);
    const ports = { send: 2, receive: 8 };
    expect(best('spreading', collective('broadcast', 9), full(9, { ...pipelined, ports }), 0)).toBe(2 * latency);
    expect(best('spreading', collective('reduce', 9), full(9, { ...pipelined, ports }), 0)).toBe(latency);
  });
});

describe('bandwidth', () => {
  const share = size / bandwidth;

  it.each([
    ['allgather', 7 / 8],
    ['reducescatter', 7 / 8],
    ['alltoall', 7 / 8],
    ['scatter', 7 / 8],
    ['gather', 7 / 8],
    ['broadcast', 1],
    ['reduce', 1],
    ['scan', 1],
    ['allreduce', 2 * (7 / 8)],
  ] as const)('%s on one-port switch:8 moves %f of the message', (kind, part) => {
    expect(best('bandwidth', collective(kind, 8), star(8, traits))).toBeCloseTo(latency + part * share, 6);
  });

  it('allgather on four chips in a ring: 3M/8 per link', () => {
    expect(best('bandwidth', collective('allgather', 4), ring(4, traits))).toBeCloseTo(latency + (3 / 8) * share, 6);
  });

  it('alltoall on a ring is limited by its bisection', () => {
    // 4 ranks send 4 others a shard of M/8 each, over the two links that leave a half.
    expect(best('bandwidth', collective('alltoall', 8), ring(8, traits))).toBeCloseTo(
      latency + (16 / 8 / 2) * share,
      6,
    );
  });

  it('sees the thin link between two groups', () => {
    const within = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].filter((b) => b !== a).map((b) => [a, b] as const));
    const boxes = within.flatMap(([a, b]) => [link(a, b, traits), link(a + 4, b + 4, traits)]);
    const thin = { latency: 10, bandwidth: 1 };
    const two = { ...machine(8, [...boxes, link(0, 4, thin), link(4, 0, thin)]), groups: [[0, 1, 2, 3]] };
    // Chips that the thin link does not touch are one link further away, on either side.
    expect(best('bandwidth', collective('allgather', 8), two)).toBe(10 + 2 + size / 2);
    expect(best('bandwidth', collective('reducescatter', 8), two)).toBe(10 + 2 + size / 2);
    expect(best('bandwidth', collective('allreduce', 8), two)).toBe(10 + 4 + size);
  });

  it('sees groups beside many chips with more bytes for their bandwidth', () => {
    // Two boxes of eight GPUs, 0.5 µs and 300 GB/s to the switch of a box, 2.5 µs and 25 GB/s to one for all. Half of 1 MiB must come from
    // that to some chip of the other box: over its own link after 5 µs, over the seven others 1 µs later. Or it must leave one chip, whose data
    // gets to the links of the others 1 µs later; nobody's messages are led there over chips.
    const seconds = (size / 2 / 25e9 + 5e-6 + 7 * 6e-6) / 8;
    for (const kind of ['allgather', 'gather', 'reducescatter', 'scatter'] as const) {
      expect(best('bandwidth', collective(kind, 16), resolveTopology('a100:2')) / seconds).toBeCloseTo(1, 9);
    }
  });

  it('is nothing for no bytes', () => {
    expect(best('bandwidth', collective('allgather', 8), ring(8, traits), 0)).toBe(0);
    expect(best('bandwidth', collective('barrier', 8), ring(8, traits))).toBe(0);
  });
});

describe('reductions', () => {
  const reduce = { throughput: 4, overlap: true };

  it.each([
    ['allreduce', 7],
    ['reduce', 7],
    ['reducescatter', 7],
    ['scan', 7],
    ['exscan', 6],
    ['allgather', 0],
  ] as const)('%s of 8 ranks reduces %i M, shared by 8 engines once something has come', (kind, amount) => {
    expect(best('reductions', collective(kind, 8), ring(8, { ...traits, reduce }))).toBe(
      amount === 0 ? 0 : latency + (amount * size) / (8 * 4),
    );
  });

  it('is nothing when a chip reduces for free', () => {
    const { nodes, ...rest } = ring(8, { ...traits, reduce });
    const free = { ...rest, nodes: nodes.map((node, i) => (i === 3 ? { ...node, reduce: undefined } : node)) };
    expect(best('reductions', collective('allreduce', 8), free)).toBe(0);
  });
});

describe('every bound', () => {
  it('is zero for one rank', () => {
    for (const kind of collectiveKinds) {
      const custom = { input: [1], output: [1], results: customResults([[[{ rank: 0, chunk: 0 }]]]) };
      const target = kind === 'custom' ? { ...collective(kind, 1), custom } : collective(kind, 1);
      expect(lowerBound(target, ring(1), size).seconds).toBe(0);
    }
  });

  /** Correct plans: what they compute does not depend on the machine. */
  const plans: Readonly<Record<string, (ranks: number) => Plan>> = {
    ringAllgather,
    ringAllreduce,
    binomialBroadcast,
    chainReduce: (ranks) => chainReduce(ranks, 3),
    chainScan,
    alltoall: (ranks) => direct(collective('alltoall', ranks), 1, () => true),
    allgather: (ranks) => direct(collective('allgather', ranks), 1, () => true),
    scatter: (ranks) => direct(collective('scatter', ranks), 1, (from) => from === 0),
    gather: (ranks) => direct(collective('gather', ranks), 1, (_, to) => to === 0),
    broadcast: (ranks) => direct(collective('broadcast', ranks), 1, (from) => from === 0),
  };
  // With a rendezvous some of the plans would deadlock.
  const machines = fc
    .integer({ min: 2, max: 7 })
    .chain(randomMachine)
    .map((topology) => ({ ...topology, inflight: topology.inflight === 0 ? 1 : topology.inflight }));

  it.each(Object.keys(plans))('holds for %s on random machines, and each certificate is checked', (name) => {
    fc.assert(
      fc.property(machines, fc.constantFrom(0, evenSize, 7 * 2 ** 20), (topology, bytes) => {
        const plan = plans[name](ranksOf(topology));
        const { seconds, certificates } = lowerBound(plan.collective, topology, bytes);
        expect(seconds).toBeLessThanOrEqual(simulate(plan, new Routes(topology), bytes).seconds * (1 + 1e-12));
        for (const certificate of certificates) {
          expect(certificate.seconds).toBeLessThanOrEqual(seconds);
          expect(checkCertificate(certificate, plan.collective, topology, bytes)).toBe(true);
          const inflated = { ...certificate, seconds: certificate.seconds * 1.001 + 1e-6 };
          expect(checkCertificate(inflated, plan.collective, topology, bytes)).toBe(false);
        }
      }),
      drawn(150),
    );
  });

  it('is refused when the witness is not one', () => {
    const target = collective('broadcast', 4);
    const wrong = [
      { kind: 'latency', seconds: 1, reason: '', witness: {} },
      { kind: 'latency', seconds: 1, reason: '', witness: { from: 2, to: 0 } },
      { kind: 'spreading', seconds: 1, reason: '', witness: { direction: 'in' } },
      { kind: 'messages', seconds: 1, reason: '', witness: { direction: 'sideways' } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: [1], sources: [1], targets: [0] } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: [0], sources: [0], targets: [0] } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: [0], sources: [0], targets: [7] } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: [9], sources: [0], targets: [1] } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: [0, 1, 2, 3], sources: [], targets: [] } },
      { kind: 'cut', seconds: 1, reason: '', witness: { inside: 'all' } },
      { kind: 'distances', seconds: 1, reason: '', witness: { lengths: [1, 1, 1, 1, 1, 1, 1, 1] } },
      { kind: 'row', seconds: 1, reason: '', witness: { direction: 'in', rank: 0 } },
      { kind: 'gathering', seconds: 1, reason: '', witness: { direction: 'out', rank: 0 } },
      { kind: 'straight', seconds: 1, reason: '', witness: { direction: 'out' } },
      { kind: 'reductions', seconds: 1, reason: '', witness: {} },
      { kind: 'trivial', seconds: 1, reason: '', witness: {} },
    ];
    for (const certificate of wrong) expect(checkCertificate(certificate, target, ring(4, traits), size)).toBe(false);
  });
});

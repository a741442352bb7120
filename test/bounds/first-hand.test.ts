/** The bound on reductions at first hand, held against reductions over trees of any shape with two levels. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { prove } from '../../src/verify/index.ts';
import { drawn } from '../draw.ts';
import { full, link, machine, star } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { randomMachine } from '../model/random.ts';

const [latency, bandwidth, throughput] = [4, 16, 8];

function boundsOf(kind: 'reduce' | 'allreduce' | 'exscan', topology: Topology, size: number) {
  const target = collective(kind, ranksOf(topology));
  const { certificates } = lowerBound(target, topology, size);
  const certificate = certificates.find((found) => found.kind === 'first-hand');
  if (certificate !== undefined) expect(checkCertificate(certificate, target, topology, size)).toBe(true);
  return { seconds: certificate?.seconds ?? 0, certificate, target };
}

/** A reduce to rank 0 in one chunk: each rank sends what it has to rank 0, or to its relay, which adds it and sends on. */
function overRelays(ranks: number, relays: readonly (number | undefined)[]): Schedule {
  const steps = new StepsBuilder();
  const send = (source: number, destination: number) =>
    steps.add({
      kind: 'reduce',
      source,
      destination,
      channel: 0,
      order: 'held-first',
      pieces: [{ from: 'data', fromOffset: 0, to: 'data', toOffset: 0, count: 1 }],
      origin: undefined,
    });
  const others = Array.from({ length: ranks - 1 }, (_, index) => index + 1);
  // A relay of others has none itself.
  const relayOf = (rank: number) => {
    const relay = relays[rank];
    const isRelay = others.some((other) => relays[other] === rank && other !== rank);
    return relay === undefined || relay === rank || isRelay || relays[relay] !== undefined ? 0 : relay;
  };
  for (const rank of others) if (relayOf(rank) !== 0) send(rank, relayOf(rank));
  steps.endStep();
  for (const rank of others) if (relayOf(rank) === 0) send(rank, 0);
  steps.endStep();
  const target = collective('reduce', ranks);
  return {
    name: 'relays',
    collective: target,
    scratch: 0,
    commutative: true,
    ring: false,
    steps: steps.build(),
  };
}

describe('reductions at first hand', () => {
  it.each([
    [true, 'reduce', 16],
    [true, 'allreduce', 16],
    [false, 'reduce', 8],
    [false, 'allreduce', 8],
  ] as const)('on links between all, overlap %s: %s of %i bytes', (overlap, kind, size) => {
    const topology = full(9, { latency, bandwidth, reduce: { throughput, overlap } });
    const reducing = (8 * size) / throughput;
    const seconds = latency + reducing + (overlap ? 0 : size / bandwidth);
    expect(boundsOf(kind, topology, size / 8).seconds).toBeCloseTo(latency + (seconds - latency) / 8, 9);
    // Two messages one after the other are faster than to reduce all that.
    expect(boundsOf(kind, topology, size).seconds).toBe(2 * latency);
  });

  it('one result of an exscan is a reduction less, and not all ranks contribute', () => {
    const topology = full(9, { latency, bandwidth, reduce: { throughput, overlap: true } });
    expect(boundsOf('exscan', topology, 2).seconds).toBeCloseTo(latency + (7 * 2) / throughput, 9);
  });

  it('what comes in at one port takes its time, even if reducing is free', () => {
    const topology = star(9, { latency, bandwidth });
    expect(boundsOf('reduce', topology, 4).seconds).toBeCloseTo(latency + (8 * 4) / bandwidth, 9);
  });

  it('is refused for more, for other contributors, and for what is no reduction', () => {
    const topology = full(9, { latency, bandwidth, reduce: { throughput, overlap: true } });
    const { certificate, target } = boundsOf('reduce', topology, 2);
    if (certificate === undefined) expect.fail('no certificate');
    const isAccepted = (change: object, of = target) => {
      const changed = { ...certificate, ...change };
      return checkCertificate(changed, of, topology, 2);
    };
    expect(isAccepted({})).toBe(true);
    expect(isAccepted({ seconds: certificate.seconds * 1.001 })).toBe(false);
    for (const contributors of [[], [0, 1], [1, 2, 3], [1, 99], 7]) {
      expect(isAccepted({ witness: { rank: 0, contributors } })).toBe(false);
    }
    expect(isAccepted({ witness: { rank: 3, contributors: [1, 2] } })).toBe(false);
    expect(isAccepted({}, collective('gather', 9))).toBe(false);
  });

  it('is not beaten by reductions over relays on random machines', () => {
    let near = 0;
    fc.assert(
      fc.property(
        fc
          .integer({ min: 3, max: 7 })
          .chain((ranks) => fc.tuple(fc.oneof(randomMachine(ranks), closeMachine(ranks)), relaysOf(ranks))),
        fc.constantFrom(1, 4, 16, 64),
        ([topology, relays], size) => {
          const { seconds } = boundsOf('reduce', topology, size);
          const { proved } = prove(lower(overRelays(ranksOf(topology), relays)), {});
          if (proved === undefined) expect.fail('not a reduce');
          const taken = simulate(proved.plan, new Routes(topology), size).seconds;
          expect(seconds).toBeLessThanOrEqual(taken * (1 + 1e-12));
          if (seconds > taken * 0.9) near++;
        },
      ),
      drawn(200),
    );
    // It is near enough to the best of them to be wrong if it were a little more.
    expect(near).toBeGreaterThan(5);
  });
});

/** Links between all chips, of latencies that do not differ by much. */
function closeMachine(ranks: number): fc.Arbitrary<Topology> {
  const traits = fc.record({ latency: fc.integer({ min: 6, max: 8 }), bandwidth: fc.constantFrom(4, 8, 16) });
  const pairs = full(ranks, { latency: 0, bandwidth: 1 }).links;
  return fc
    .record({
      links: fc.array(traits, { minLength: pairs.length, maxLength: pairs.length }),
      occupancy: fc.constantFrom('blocking' as const, 'pipelined' as const),
      receive: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
      reduce: fc.option(fc.record({ throughput: fc.constantFrom(4, 8, 32), overlap: fc.boolean() }), {
        nil: undefined,
      }),
    })
    .map(({ links, occupancy, receive, reduce }) => {
      const drawn = pairs.map(({ from, to }, index) => link(from, to, { ...links[index], occupancy }));
      const ports = { send: Number.POSITIVE_INFINITY, receive };
      return machine(ranks, drawn, reduce === undefined ? { ports } : { ports, reduce });
    });
}

/** By rank. */
function relaysOf(ranks: number): fc.Arbitrary<readonly (number | undefined)[]> {
  return fc.array(fc.option(fc.integer({ min: 1, max: ranks - 1 }), { nil: undefined, freq: 3 }), {
    minLength: ranks,
    maxLength: ranks,
  });
}

it('a rank without a shard waits for nobody, however far away', () => {
  const topology = machine(2, [link(0, 1, { latency: 100, bandwidth: 1 }), link(1, 0, { latency: 1, bandwidth: 1 })]);
  const uneven = { ...collective('reducescatter', 2), counts: [8, 0] };
  const { seconds, certificates } = lowerBound(uneven, topology, 8);
  expect(seconds).toBeCloseTo(1 + 8, 9);
  for (const certificate of certificates) expect(checkCertificate(certificate, uneven, topology, 8)).toBe(true);
});

/** What an alltoall does not send straight it sends twice: closed forms, and plans at random that try to beat them. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { prove } from '../../src/verify/index.ts';
import { testSeed } from '../draw.ts';
import { line, star } from '../model/machines.ts';
import { collective } from '../model/plans.ts';

const latency = 2;
const bandwidth = 16;
const traits = { latency, bandwidth };

/** The time that the bound proves; its certificates of either direction must pass the check, and no more must. */
function straight(topology: Topology, size: number): number | undefined {
  const target = collective('alltoall', ranksOf(topology));
  const { certificates } = lowerBound(target, topology, size);
  const found = certificates.filter(({ kind }) => kind === 'straight');
  for (const certificate of found) {
    expect(checkCertificate(certificate, target, topology, size)).toBe(true);
    const more = { ...certificate, seconds: certificate.seconds * 1.001 };
    expect(checkCertificate(more, target, topology, size)).toBe(false);
    expect(checkCertificate(certificate, collective('allgather', ranksOf(topology)), topology, size)).toBe(false);
  }
  return found[0]?.seconds;
}

/** Each rank's part for each other goes straight or over a rank in between, what goes the same way in one message. */
function overRelays(ranks: number, random: Random): Schedule {
  const builder = new StepsBuilder();
  const relays = Array.from({ length: ranks * ranks }, (_, pair) =>
    random.below(2) === 0 ? pair % ranks : random.below(ranks),
  );
  const add = (source: number, destination: number, pieces: readonly Piece[]) => {
    const ends = { source, destination, channel: 0, order: 'held-first', origin: undefined } as const;
    if (pieces.length > 0) builder.add({ kind: 'copy', ...ends, pieces });
  };
  const piecesOf = (hop: (from: number, to: number, relay: number) => Piece | undefined): Piece[] =>
    relays.flatMap((relay, pair) => hop(Math.floor(pair / ranks), pair % ranks, relay) ?? []);
  for (const step of [0, 1]) {
    for (let source = 0; source < ranks; source++) {
      for (let turn = 0; turn < ranks; turn++) {
        const destination = (source + turn) % ranks;
        const pieces = piecesOf((from, to, relay): Piece | undefined => {
          const isStraight = relay === from || relay === to;
          const held = { from: 'scratch', fromOffset: from * ranks + to, count: 1 } as const;
          const result = { to: 'output', toOffset: from } as const;
          if (step === 1)
            return !isStraight && relay === source && to === destination ? { ...held, ...result } : undefined;
          if (from !== source || destination !== (isStraight ? to : relay)) return undefined;
          const own = { from: 'input', fromOffset: to, count: 1 } as const;
          return { ...own, ...(isStraight ? result : { to: 'scratch', toOffset: from * ranks + to }) };
        });
        add(source, destination, pieces);
      }
    }
    builder.endStep();
  }
  const steps = builder.build();
  const base = { commutative: false, ring: false, steps };
  return { name: 'over relays', collective: collective('alltoall', ranks), scratch: ranks * ranks, ...base };
}

describe('an alltoall', () => {
  it.each([4, 9])(
    'of long parts takes (N − 1)(α + m/β) on one port, of short ones 2(N − 1)m/β or more, for N = %i',
    (ranks) => {
      const long = 2 ** 14;
      expect(straight(star(ranks, traits), ranks * long)).toBeCloseTo((ranks - 1) * (latency + long / bandwidth), 9);
      const short = latency * bandwidth * 0.5;
      expect(straight(star(ranks, traits), ranks * short)).toBeCloseTo(((ranks - 1) * 2 * short) / bandwidth, 9);
    },
  );

  it('of ends of a line counts how far they are apart', () => {
    // 0 – 1 – 2: two messages over one link, four of neighbours, and 0 and 2 have one slot each, 1 has two.
    const part = 2 ** 14;
    const used = 4 * (latency * bandwidth + part) + 2 * (2 * latency * bandwidth + part);
    expect(straight(line(3, traits), 3 * part)).toBeCloseTo(used / (4 * bandwidth), 9);
  });

  it('is not held against chips that may have messages without limit under way', () => {
    expect(straight(line(3, { ...traits, occupancy: 'pipelined' }), 2 ** 20)).toBeUndefined();
  });

  it('is reached on a switch', () => {
    const topology = resolveTopology('switch:8');
    const { bundle } = searchPlan({
      ...searchDefaults,
      collective: collective('alltoall', 8),
      topology,
      size: 2 ** 20,
    });
    expect(bundle.bound.certificates[0]?.kind).toBe('straight');
    expect(bundle.bound.certificates[0]?.reason).toMatch(/56 of 56 pairs/);
    expect(bundle.cost.seconds).toBeCloseTo(7 * (1e-6 + 2 ** 17 / 1e10), 12);
    expect(bundle.bound.seconds).toBeCloseTo(bundle.cost.seconds, 12);
  });

  it('is never faster, however it goes over relays', () => {
    const random = new Random(testSeed + 7);
    for (const topology of [star(4, traits), line(4, traits), resolveTopology('fattree:2,2,1')]) {
      const { links } = topology;
      const [{ latency: alpha, bandwidth: beta }] = links;
      for (let round = 0; round < 12; round++) {
        const plan = lower(overRelays(4, random));
        expect(prove(plan, { topology }).verification.verdict).toBe('correct');
        for (const part of [0.2, 0.9, 1.1, 5]) {
          const size = 4 * part * alpha * beta;
          const { seconds } = simulate(plan, new Routes(topology), size);
          expect(seconds).toBeGreaterThanOrEqual((straight(topology, size) ?? Number.NaN) * (1 - 1e-12));
        }
      }
    }
  });
});

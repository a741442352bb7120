/** The bound on what stops at a chip or passes it, held against many ways to send a broadcast along a line. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { reverse } from '../../src/passes/index.ts';
import { prove } from '../../src/verify/index.ts';
import { testSeed } from '../draw.ts';
import { line, link, machine, ring } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { sendChunks } from './sending.ts';

const traits = { latency: 1, bandwidth: 1 };
const chunks = 24;

/** Chunks that go over the chip in the middle in one message, and come back to it, or stop there first. */
interface Piece {
  readonly first: number;
  readonly count: number;
  readonly passes: boolean;
}

function pieces(random: Random): Piece[] {
  const wanted = 1 + random.below(7);
  const found: Piece[] = [];
  for (let first = 0; first < chunks; ) {
    const count = Math.min(chunks - first, 1 + random.below(Math.ceil((2 * chunks) / wanted)));
    found.push({ first, count, passes: random.below(2) === 0 });
    first += count;
  }
  return found;
}

/** A broadcast on a line of three in such pieces: in turn, what passes at once or last, what comes back a step later. */
function inPieces(random: Random): Schedule {
  const steps = new StepsBuilder();
  const found = pieces(random);
  const order = random.below(3);
  if (order > 0) found.sort((a, b) => (order === 1 ? 1 : -1) * (Number(a.passes) - Number(b.passes)));
  const send = (source: number, destination: number, piece: Piece) => sendChunks(steps, source, destination, piece);
  for (let step = 0; step <= found.length; step++) {
    const [now, before] = [found[step], found[step - 1]];
    if (before !== undefined) send(before.passes ? 2 : 1, before.passes ? 1 : 2, before);
    if (now !== undefined) send(0, now.passes ? 2 : 1, now);
    steps.endStep();
  }
  const target = collective('broadcast', 3, chunks);
  return { name: 'pieces', collective: target, scratch: 0, commutative: false, ring: false, steps: steps.build() };
}

function timeOf(schedule: Schedule, topology: Topology, size: number): number {
  const plan = lower(schedule);
  const { proved, verification } = prove(plan, {});
  expect(verification.verdict).toBe('correct');
  return simulate(proved?.plan ?? plan, new Routes(topology), size).seconds;
}

function passing(kind: CollectiveKind, topology: Topology, size: number): number {
  const target = collective(kind, ranksOf(topology));
  const { certificates } = lowerBound(target, topology, size);
  for (const certificate of certificates) expect(checkCertificate(certificate, target, topology, size)).toBe(true);
  return certificates.find((certificate) => certificate.kind === 'passing')?.seconds ?? 0;
}

describe('what stops at a chip on its way, or passes it', () => {
  it.each([1, 4, 12, 48])('no way to send %i bytes over a line of three beats the bound', (size) => {
    const random = new Random(testSeed + size);
    const topology = line(3, traits);
    const bound = passing('broadcast', topology, size);
    let fastest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 300; attempt++)
      fastest = Math.min(fastest, timeOf(inPieces(random), topology, size));
    expect(bound).toBeLessThanOrEqual(fastest * (1 + 1e-9));
    expect(bound).toBeGreaterThan(fastest * 0.8);
  });

  it('a reduce backwards in time neither', () => {
    const random = new Random(testSeed + 5);
    const bound = passing('reduce', line(3, traits), 12);
    for (let attempt = 0; attempt < 60; attempt++) {
      const turned = reverse(inPieces(random), collective('reduce', 3, chunks));
      expect(timeOf(turned, line(3, traits), 12)).toBeGreaterThanOrEqual(bound);
    }
  });

  it('a single byte: as the one message that passes all of it would', () => {
    // Of one message with all bytes, Z come back: Z = W − 1 − Z − 2. The others come over the first link again: W = 2 + 1 + (1 − Z).
    for (const kind of ['broadcast', 'reduce', 'allreduce'] as const) {
      expect(passing(kind, line(3, traits), 1)).toBeCloseTo(11 / 3, 9);
      // Farther along, each chip more is a latency more.
      expect(passing(kind, line(6, traits), 1)).toBeCloseTo(11 / 3 + 3, 9);
    }
  });

  it('few bytes: as if all stopped', () => {
    // m·W = W² − 2·area(W), with two messages of W/2 ± 1/2: area = W²/4 + W/2 − 1/4 from W = 1 on, so m·W = W²/2 − W + 1/2.
    const size = 0.5;
    const window = 1.5 + Math.sqrt(1.5 ** 2 - 1);
    expect(passing('broadcast', line(3, traits), size)).toBeCloseTo(window, 9);
  });

  it('is not claimed where bytes have another way, or links do not block', () => {
    expect(passing('broadcast', ring(4, traits), 12)).toBe(0);
    expect(passing('broadcast', line(3, { ...traits, occupancy: 'pipelined' }), 12)).toBe(0);
    const more = machine(3, [...line(3, traits).links, link(0, 2, traits)], traits);
    expect(passing('broadcast', more, 12)).toBe(0);
  });

  it('is not claimed where nobody behind has a rank: nothing need go there', () => {
    const topology = { ...line(3, traits), chips: [0, 1] };
    const target = collective('broadcast', 2);
    expect(lowerBound(target, topology, 12).seconds).toBeCloseTo(13, 9);
    const forged = {
      kind: 'passing',
      seconds: 14,
      reason: '',
      witness: { root: 0, direction: 'out', through: 1 },
    };
    expect(checkCertificate(forged, target, topology, 12)).toBe(false);
  });

  it('is refused if it claims a thousandth more, or names chips that it does not hold of', () => {
    const target = collective('broadcast', 5);
    for (const size of [1, 12, 300]) {
      const { certificates } = lowerBound(target, line(5, traits), size);
      const found = certificates.find(({ kind }) => kind === 'passing');
      expect(found).toBeDefined();
      if (found === undefined) continue;
      const holds = (witness: Record<string, number | string>, seconds = found.seconds) =>
        checkCertificate(
          { ...found, seconds, witness: { ...found.witness, ...witness } },
          target,
          line(5, traits),
          size,
        );
      expect(holds({})).toBe(true);
      expect(holds({}, found.seconds * 1.001)).toBe(false);
      for (const seconds of [1e12, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) expect(holds({}, seconds)).toBe(false);
      for (const witness of [
        { root: 1 },
        { through: 4 },
        { through: 0 },
        { through: 9 },
        { through: 1 },
        { through: 'x' },
        { direction: 'in' },
      ]) {
        expect(holds(witness)).toBe(false);
      }
    }
  });
});

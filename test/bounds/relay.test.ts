/** The bound on what relays bring, held against many ways to cut a broadcast into messages, some of which skip the relays. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { reverse } from '../../src/passes/index.ts';
import { prove } from '../../src/verify/index.ts';
import { testSeed } from '../draw.ts';
import { full, line, link, machine, ring, star, type Traits } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { sendChunks } from './sending.ts';

const traits = { latency: 1, bandwidth: 1 };

const duplex = (a: number, b: number, traits: Traits) => [link(a, b, traits), link(b, a, traits)];

/** The children of chip r are 2r + 1 and 2r + 2. */
function binaryTree(chips: number): Topology {
  const links = Array.from({ length: chips - 1 }, (_, r) => duplex(r + 1, Math.floor(r / 2), traits));
  return machine(chips, links.flat(), traits);
}

/** One message of the root on its way round: chunks, and whether it goes to the second chip at once, which then returns it to the first. */
interface Piece {
  readonly first: number;
  readonly count: number;
  readonly direct: boolean;
}

/** Cuts chunks first … first + count − 1 into messages of random sizes that grow or shrink evenly, some of them direct. */
function cut(first: number, count: number, random: Random): Piece[] {
  const pieces = 1 + random.below(12);
  const slope = (random.below(200) - 100) / 100;
  const share = Array.from({ length: pieces }, (_, i) => Math.max(0.05, 1 + slope * (1 - (2 * i) / pieces)));
  const total = share.reduce((sum, value) => sum + value, 0);
  const directs = random.below(3) === 0 ? 1 + random.below(4) : 0;
  let done = 0;
  return share.flatMap((value, i) => {
    const end = i === pieces - 1 ? count : Math.min(count, done + Math.round((value / total) * count));
    const piece = { first: first + done, count: end - done, direct: i < directs };
    done = end;
    return piece.count === 0 ? [] : [piece];
  });
}

/** A broadcast on a ring of four: half of the chunks go round each way, and on from chip 2 to the neighbour that lacks them. */
function roundBothWays(chunks: number, random: Random): Schedule {
  const steps = new StepsBuilder();
  const send = (source: number, destination: number, piece: Piece) => sendChunks(steps, source, destination, piece);
  const half = Math.floor(chunks / 2);
  const sides = [
    { near: 1, far: 3, pieces: cut(0, half, random) },
    { near: 3, far: 1, pieces: cut(half, chunks - half, random) },
  ];
  const longest = Math.max(...sides.map(({ pieces }) => pieces.length));
  for (let step = 0; step < longest + 2; step++) {
    for (const { near, far, pieces } of sides) {
      const [now, before, earlier] = [pieces[step], pieces[step - 1], pieces[step - 2]];
      if (now !== undefined) send(0, now.direct ? 2 : near, now);
      if (before !== undefined) send(before.direct ? 2 : near, before.direct ? near : 2, before);
      if (earlier !== undefined) send(2, far, earlier);
    }
    steps.endStep();
  }
  const target = collective('broadcast', 4, chunks);
  return {
    name: 'round',
    collective: target,
    scratch: 0,
    commutative: false,
    ring: false,
    steps: steps.build(),
  };
}

function timeOf(schedule: Schedule, topology: Topology, size: number): number {
  const plan = lower(schedule);
  const { proved, verification } = prove(plan, {});
  expect(verification.verdict).toBe('correct');
  return simulate(proved?.plan ?? plan, new Routes(topology), size).seconds;
}

type Kind = 'broadcast' | 'reduce' | 'allreduce' | 'scan';

/** All that is certified, best first. */
function certified(kind: Kind, topology: Topology, size: number) {
  const target = collective(kind, ranksOf(topology));
  const { certificates } = lowerBound(target, topology, size);
  for (const certificate of certificates) expect(checkCertificate(certificate, target, topology, size)).toBe(true);
  return certificates;
}

const boundOf = (kind: Kind, topology: Topology, size: number): number => certified(kind, topology, size)[0].seconds;

function relayBoundOf(kind: Kind, topology: Topology, size: number): number {
  return certified(kind, topology, size).find((certificate) => certificate.kind === 'relay')?.seconds ?? 0;
}

describe('relays next to the root are busy with what they need themselves', () => {
  it.each([16, 64, 256])('no way to send %i bytes round a ring of four beats the bound', (size) => {
    const random = new Random(testSeed + size);
    const topology = ring(4, traits);
    const bound = boundOf('broadcast', topology, size);
    let fastest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 250; attempt++) {
      fastest = Math.min(fastest, timeOf(roundBothWays(48, random), topology, size));
    }
    expect(bound).toBeLessThanOrEqual(fastest * (1 + 1e-9));
  });

  it('a reduce backwards in time neither', () => {
    const random = new Random(testSeed + 1);
    const topology = ring(4, traits);
    const bound = boundOf('reduce', topology, 64);
    for (let attempt = 0; attempt < 40; attempt++) {
      expect(
        timeOf(reverse(roundBothWays(48, random), collective('reduce', 4, 48)), topology, 64),
      ).toBeGreaterThanOrEqual(bound);
    }
  });

  it('large broadcasts on a ring of four: at least 98 % of what a pipeline over two relays takes', () => {
    // Chip 2 gets everything over two links in messages of the time s = α + n/β each, one step after the root has sent it: of k
    // messages over either side the last ends at (k + 1)(α + M/(2kβ)), at best (√(M/2β) + √α)².
    const [latency, bandwidth, size] = [0.55e-6, 64e9, 64 * 2 ** 20];
    const pipeline = (Math.sqrt(size / (2 * bandwidth)) + Math.sqrt(latency)) ** 2;
    const bound = boundOf('broadcast', ring(4, { latency, bandwidth }), size);
    expect(bound / pipeline).toBeGreaterThan(0.98);
    expect(bound / pipeline).toBeLessThan(1);
  });

  it('says more than the bytes of any cut, where links block', () => {
    const size = 10_000;
    for (const topology of [ring(5, traits), ring(8, traits), full(6, traits), star(6, traits)]) {
      const bound = boundOf('broadcast', topology, size);
      const cuts = lowerBound(collective('broadcast', ranksOf(topology)), topology, size).certificates.filter(
        ({ kind }) => kind === 'cut',
      );
      expect(bound).toBeGreaterThan(cuts[0].seconds + 10);
    }
  });

  it('chips to which the root must send one by one, each for the way there, hold it up too long to be served straight', () => {
    // A message to any of the four leaves below chip 1 of a tree holds the root's link for 3α or more. In time for the bound of a pipeline
    // over two relays there is no room for four of them, so the bound is as if all bytes were relayed: m = W − 2·area(W)/W with
    // W = T − α, where area of W = 10 messages of 4, 3, 2 and 1 s is Σ wᵢ(i − 1) + wᵢ²/2 = 10 + 15.
    const topology = binaryTree(15);
    expect(relayBoundOf('broadcast', topology, 5)).toBeCloseTo(11, 6);
    expect(relayBoundOf('reduce', topology, 5)).toBeCloseTo(11, 6);
  });

  it('only links to a part of the machine lead into it', () => {
    // The other half of a tree is no way to get there.
    const traits = { latency: 1, bandwidth: 1 };
    const half = machine(
      8,
      [
        [0, 1],
        [1, 2],
        [1, 3],
        [2, 4],
        [2, 5],
        [3, 6],
        [3, 7],
      ].flatMap(([a, b]) => duplex(a, b, traits)),
      traits,
    );
    for (const size of [3, 20, 400]) {
      expect(boundOf('broadcast', binaryTree(15), size)).toBeCloseTo(boundOf('broadcast', half, size), 9);
      expect(boundOf('broadcast', half, size)).toBeGreaterThan(3 + size + 1);
    }
  });

  it('allreduces do what broadcasts and reduces of any rank do, scans those of the first and the last', () => {
    const topology = binaryTree(7);
    const turned = { ...topology, chips: [3, 0, 1, 2, 4, 5, 6] };
    for (const size of [2, 8, 64]) {
      expect(boundOf('allreduce', topology, size)).toBeGreaterThanOrEqual(boundOf('broadcast', turned, size));
      expect(boundOf('scan', turned, size)).toBeGreaterThanOrEqual(boundOf('broadcast', turned, size));
    }
    // From leaf to leaf: two relays next to the leaves, and the root in between.
    expect(boundOf('allreduce', topology, 8)).toBeGreaterThan(boundOf('broadcast', topology, 8) + 1.5);
  });

  it('is refused for fewer chips than it needs, for chips of two parts, and for a rank that others need nothing of', () => {
    const topology = binaryTree(15);
    const target = collective('broadcast', 15);
    const certificate = lowerBound(target, topology, 5).certificates.find(({ kind }) => kind === 'relay');
    const holds = (witness: Record<string, number | string | readonly number[]>) =>
      checkCertificate({ ...certificate, witness: { ...certificate?.witness, ...witness } }, target, topology, 5);
    expect(holds({})).toBe(true);
    for (const witness of [
      { chips: [7] },
      { chips: [7, 8, 11, 12] },
      { root: 1 },
      { direction: 'in' },
      { direction: 3 },
    ]) {
      expect(holds(witness)).toBe(false);
    }
    // Here the chips get something directly.
    for (const found of lowerBound(target, topology, 20).certificates) {
      if (found.kind !== 'relay' && found.kind !== 'handing-on') continue;
      expect(found.witness).toMatchObject({ root: 0 });
      expect(checkCertificate({ ...found, seconds: found.seconds * 1.001 }, target, topology, 20)).toBe(false);
    }
  });

  it('is refused if it claims a thousandth more', () => {
    const topology = ring(4, traits);
    const target = collective('broadcast', 4);
    const [certificate] = lowerBound(target, topology, 4096).certificates;
    expect(certificate).toMatchObject({ kind: 'relay', witness: { root: 0 } });
    const more = { ...certificate, seconds: certificate.seconds * 1.001 };
    expect(checkCertificate(more, target, topology, 4096)).toBe(false);
  });

  it('is refused at once if it claims more than any machine takes', () => {
    const target = collective('broadcast', 4);
    for (const seconds of [1e12, 1e100, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
      const certificate = {
        kind: 'relay',
        seconds,
        reason: '',
        witness: { root: 0, direction: 'out', chips: [1, 2, 3] },
      };
      expect(checkCertificate(certificate, target, ring(4, traits), 4096)).toBe(false);
    }
  });

  it('does not hold of direct messages that pass no chip in between', () => {
    // All chips are next to the root over a switch, or over links: what passes none of them is not limited by what they need.
    const topology = machine(2, line(2, traits).links, traits);
    expect(boundOf('broadcast', topology, 100)).toBeCloseTo(101, 9);
  });

  it('does not hold of direct messages that pass chips without a rank: they pass these on as switches do', () => {
    const topology = { ...line(3, traits), chips: [0, 2] };
    const target = collective('broadcast', 2);
    expect(boundOf('broadcast', topology, 12)).toBeCloseTo(14, 9);
    const witness = { root: 0, direction: 'out', chips: [1] };
    const forged = { kind: 'relay', seconds: 15, reason: '', witness };
    expect(checkCertificate(forged, target, topology, 12)).toBe(false);
  });

  it('is proved where bytes take less than what the latencies are rounded by', () => {
    const topology = ring(3, { latency: 1, bandwidth: 1e12 });
    const target = collective('broadcast', 3);
    const { certificates } = lowerBound(target, topology, 1);
    const found = certificates.find(({ kind }) => kind === 'relay');
    expect(found !== undefined && checkCertificate(found, target, topology, 1)).toBe(true);
  });

  it.each([1e13, 1e15, 1e18])(
    'claims nothing that is only rounding where %d bytes come in the time of a latency',
    (bandwidth) => {
      const topology = line(3, { latency: 1, bandwidth });
      const target = collective('broadcast', 3);
      for (const certificate of lowerBound(target, topology, 12).certificates) {
        // Two messages in a row, of all bytes each, are a plan.
        expect(certificate.seconds).toBeLessThanOrEqual(2 + 24 / bandwidth);
        expect(checkCertificate(certificate, target, topology, 12)).toBe(true);
      }
    },
  );
});

/** Bounds that add latency and bytes up: closed forms of the best algorithms, and plans that try to beat them. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { Certificate } from '../../src/ir/certificate.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { full, line, ring, star } from '../model/machines.ts';
import { chainReduce, collective, ringAllgather } from '../model/plans.ts';

const latency = 2;
const bandwidth = 16;
const traits = { latency, bandwidth };

function best(kind: CollectiveKind, topology: Topology, size: number, of?: Certificate['kind']): number {
  const target = collective(kind, ranksOf(topology));
  const { certificates } = lowerBound(target, topology, size);
  for (const certificate of certificates) expect(checkCertificate(certificate, target, topology, size)).toBe(true);
  return certificates.find((certificate) => of === undefined || certificate.kind === of)?.seconds ?? 0;
}

describe('rings and lines', () => {
  it.each([0, 64, 4096, 2 ** 20])('shards of %i bytes in all come one after the other', (size) => {
    for (const kind of ['allgather', 'gather', 'reducescatter', 'scatter'] as const) {
      expect(best(kind, ring(9, traits), size, 'row')).toBeCloseTo(4 * latency + ((8 / 9) * size) / 2 / bandwidth, 6);
      expect(best(kind, line(5, traits), size, 'row')).toBeCloseTo(4 * latency + ((4 / 5) * size) / bandwidth, 6);
    }
  });

  it('is reached by the ring algorithm on one-way links', () => {
    const { links, ...rest } = ring(6, traits);
    const oneWay = { ...rest, links: links.filter(({ from, to }) => to === (from + 1) % 6) };
    const { seconds } = simulate(ringAllgather(6), new Routes(oneWay), 6144);
    expect(best('allgather', oneWay, 6144)).toBeCloseTo(seconds, 9);
  });

  it('is not claimed where data can take more ways, or links do not block', () => {
    const combined = (topology: Topology) => {
      const { certificates } = lowerBound(collective('allgather', 5), topology, 4096);
      return certificates.some(({ kind }) => kind === 'row');
    };
    expect(combined(ring(5, traits))).toBe(true);
    expect(combined(full(5, traits))).toBe(false);
    expect(combined(star(5, traits))).toBe(false);
    expect(combined(ring(5, { ...traits, occupancy: 'pipelined' }))).toBe(false);
  });
});

describe('gathering', () => {
  it.each([
    [8, 3],
    [9, 4],
    [16, 4],
  ])('with one port, %i ranks: what recursive doubling takes', (ranks, rounds) => {
    const size = 2 ** 16;
    const value = rounds * latency + (((ranks - 1) / ranks) * size) / bandwidth;
    for (const kind of ['allgather', 'gather', 'reducescatter', 'scatter'] as const) {
      expect(best(kind, star(ranks, traits), size)).toBeCloseTo(value, 9);
    }
    // Parts of an alltoall that take less than a latency had better go together, too.
    const short = rounds * latency + (((ranks - 1) / ranks) * 64) / bandwidth;
    expect(best('alltoall', star(ranks, traits), 64)).toBeCloseTo(short, 9);
  });

  it('in one round where everyone has a link to everyone', () => {
    expect(best('allgather', full(7, traits), 7168)).toBeCloseTo(latency + 1024 / bandwidth, 9);
  });
});

describe('reductions that stop the links', () => {
  const reduce = { throughput: 4, overlap: false };

  it.each([
    ['reducescatter', 1],
    ['allreduce', 2],
  ] as const)('%s on a ring: bytes over links and reductions add up', (kind, times) => {
    const size = 2 ** 20;
    const seconds = latency + ((7 / 8) * size * times) / (2 * bandwidth) + ((7 / 8) * size) / reduce.throughput;
    const proved = best(kind, ring(8, { ...traits, reduce }), size, 'stopped-links');
    // Of an allreduce all but one chip must send on what they reduce: none of them all the time, or a latency later.
    const later = kind === 'allreduce' ? (7 / 8) * latency : 0;
    expect(proved).toBeGreaterThanOrEqual(seconds + 0.75 * later - 1e-6);
    expect(proved).toBeLessThanOrEqual(seconds + later + 1e-6);
    const overlap = lowerBound(collective(kind, 8), ring(8, { ...traits, reduce: { ...reduce, overlap: true } }), size);
    expect(overlap.seconds).toBeLessThan(seconds);
  });

  it('a reduce is longer by what the root cannot take over', () => {
    // The root receives M and reduces x: M/16 + x/4 seconds. The others send M each and reduce 7M − x, which they send on a latency later:
    // α + (7M + 4(7M − x))/(7·16).
    const size = 7168;
    const x = (7 / 8) * size + (7 * 16 * latency) / 32;
    expect(best('reduce', star(8, { ...traits, reduce }), size)).toBeCloseTo(latency + size / 16 + x / 4, 6);
  });

  it('a reduce is longer by how far chips are from the root on average', () => {
    // Seven chips send M over two links and reduce what the root does not, until T − d; the root gets M and reduces until T' − M/32:
    // 32·Σ(T − d − α) + 32·(T − α − M/32) = 7M + (32/4)·7M, with Σd = 16α, for nothing has come to them in the first α.
    const size = 2 ** 20;
    const seconds = ((7 * size * (1 + 32 / 4)) / 32 + (16 + 7) * latency + latency + size / 32) / 8;
    expect(best('reduce', ring(8, { ...traits, reduce }), size, 'stopped-links')).toBeCloseTo(seconds, 4);
  });

  it('a reduce is not beaten by chains of any number of blocks', () => {
    for (const ranks of [3, 5]) {
      for (const blocks of [1, 2, 7]) {
        for (const size of [4, 256, 4096]) {
          for (const topology of [line(ranks, { ...traits, reduce }), ring(ranks, { ...traits, reduce })]) {
            const { seconds } = simulate(chainReduce(ranks, blocks), new Routes(topology), size);
            expect(best('reduce', topology, size)).toBeLessThanOrEqual(seconds * (1 + 1e-12));
          }
        }
      }
    }
  });

  it('ends of a line, which lose fewer links to it, reduce longer', () => {
    // Each link carries M both ways: ends can reduce for x seconds besides, the six in between, with two links, the rest of 7M:
    // (14x − 2x)·β = (7M − 2γx)·2β/γ, so x = (7/8)·M/γ.
    const size = 2 ** 20;
    const seconds = latency + size / bandwidth + ((7 / 8) * size) / 80;
    const faster = { throughput: 80, overlap: false };
    const proved = best('allreduce', line(8, { ...traits, reduce: faster }), size, 'stopped-links');
    // All but one chip send on what they reduce, a latency later.
    expect(proved).toBeGreaterThan(seconds + latency / 2);
    expect(proved).toBeLessThan(seconds + latency);
  });

  it('two chips share the reductions of a reduce, and one sends M in any case', () => {
    // It sends half as it is and half when it has been reduced; both chips reduce half meanwhile, but for the time until something has come to it.
    const size = 4096;
    const seconds = latency + latency / 2 + size / bandwidth + size / 2 / reduce.throughput;
    expect(best('reduce', line(2, { ...traits, reduce }), size, 'stopped-links')).toBeCloseTo(seconds, 9);
  });

  it('is refused with a price that proves less, or with none', () => {
    const topology = line(8, { ...traits, reduce });
    const target = collective('allreduce', 8);
    const [certificate] = lowerBound(target, topology, 2 ** 20).certificates;
    if (certificate.kind !== 'stopped-links') expect.fail(certificate.kind);
    expect(certificate.witness.price).toBeGreaterThan(0);
    const holds = (price: number | string, seconds = certificate.seconds) =>
      checkCertificate(
        { ...certificate, seconds, witness: { ...certificate.witness, price } },
        target,
        topology,
        2 ** 20,
      );
    const { price } = certificate.witness;
    expect(holds(price)).toBe(true);
    expect(holds(price, certificate.seconds * 1.001)).toBe(false);
    for (const other of [price / 2, price * 3, 0, -1, Number.NaN, 'high']) expect(holds(other)).toBe(false);
    for (const seconds of [Number.POSITIVE_INFINITY, Number.NaN]) expect(holds(price, seconds)).toBe(false);
  });

  it('holds for a chain that reduces', () => {
    const topology = line(4, { ...traits, reduce });
    for (const bulks of [1, 2, 8]) {
      const plan = { ...chainReduce(4, bulks) };
      const { seconds } = simulate(plan, new Routes(topology), 4096);
      expect(lowerBound(plan.collective, topology, 4096).seconds).toBeLessThanOrEqual(seconds);
    }
  });
});

describe('relays', () => {
  /**
   * A broadcast on the line 0 – 1 – 2 by its messages: the root sends `sizes` in turn, some of them straight to chip 2 (which then
   * holds both links for both latencies); chip 1 passes on all that it has whenever its link is free; what chip 1 has not had comes
   * back from chip 2 in one message at the end. Returns when everybody has everything.
   */
  function finish(messages: readonly { readonly bytes: number; readonly direct: boolean }[], alpha: number): number {
    let now = 0;
    let onwardFree = 0;
    let waiting = 0;
    let returned = 0;
    let lastDirect = 0;
    const relay = (until: number) => {
      while (waiting > 0 && onwardFree < until) {
        onwardFree += alpha + waiting;
        waiting = 0;
      }
    };
    for (const { bytes, direct } of messages) {
      if (direct) {
        relay(now);
        now = Math.max(now, onwardFree) + 2 * alpha + bytes;
        onwardFree = now;
        returned += bytes;
        lastDirect = now;
        continue;
      }
      const arrival = now + alpha + bytes;
      relay(arrival);
      waiting += bytes;
      onwardFree = Math.max(onwardFree, arrival);
      now = arrival;
    }
    relay(Number.POSITIVE_INFINITY);
    return Math.max(now, onwardFree, returned === 0 ? 0 : lastDirect + alpha + returned);
  }

  it('are not beaten by any of many ways to cut a broadcast into messages', () => {
    let random = 1;
    const next = () => {
      random = (random * 48271) % 2147483647;
      return random / 2147483647;
    };
    for (const size of [2, 8, 32, 128]) {
      const bound = best('broadcast', line(3, { latency: 1, bandwidth: 1 }), size);
      let fastest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 40_000; attempt++) {
        const count = 1 + Math.floor(next() * 2.5 * Math.sqrt(size));
        const slope = next() * 2 - 0.5;
        const mixed = next() < 0.5 ? 0 : next() * 0.5;
        const weights = Array.from({ length: count }, (_, i) =>
          Math.max(0.01, 1 + slope * (1 - (2 * i) / count) + 0.2 * next()),
        );
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const messages = weights.map((weight) => ({ bytes: (weight / total) * size, direct: next() < mixed }));
        fastest = Math.min(fastest, finish(messages, 1));
      }
      expect(bound).toBeLessThanOrEqual(fastest);
    }
  });

  /**
   * A broadcast of pieces (of 1 s each) through one port, at random: whoever is idle sends one who is idle up to `most` pieces
   * that it lacks, the ones sent least so far first. Latency is 1 s.
   */
  function gossip(ranks: number, pieces: number, most: number, next: () => number): number {
    const holds = Array.from({ length: ranks }, (_, rank) => new Set(rank === 0 ? Array(pieces).keys() : []));
    const sendsUntil = new Float64Array(ranks);
    const receivesUntil = new Float64Array(ranks);
    const sent = new Float64Array(pieces);
    const underWay: { readonly to: number; readonly load: readonly number[]; readonly end: number }[] = [];
    for (let now = 0; ; ) {
      const pairs = holds.flatMap((_, from) => holds.map((_, to) => [from, to] as const)).sort(() => next() - 0.5);
      for (const [from, to] of pairs) {
        if (from === to || sendsUntil[from] > now || receivesUntil[to] > now) continue;
        const lacking = [...holds[from]].filter((piece) => !holds[to].has(piece));
        const load = lacking.sort((a, b) => sent[a] - sent[b]).slice(0, most);
        if (load.length === 0) continue;
        for (const piece of load) sent[piece]++;
        sendsUntil[from] = now + 1 + load.length;
        receivesUntil[to] = sendsUntil[from];
        underWay.push({ to, load, end: sendsUntil[from] });
      }
      if (underWay.length === 0) return now;
      now = Math.min(...underWay.map(({ end }) => end));
      for (let i = underWay.length - 1; i >= 0; i--) {
        if (underWay[i].end > now) continue;
        for (const piece of underWay[i].load) holds[underWay[i].to].add(piece);
        underWay.splice(i, 1);
      }
    }
  }

  it('are not beaten by gossip through one port, and say more than spreading', () => {
    let random = 1;
    const next = () => {
      random = (random * 48271) % 2147483647;
      return random / 2147483647;
    };
    for (const [ranks, pieces] of [
      [4, 8],
      [8, 16],
      [16, 40],
    ] as const) {
      const bound = best('broadcast', star(ranks, { latency: 1, bandwidth: 1 }), pieces);
      let fastest = Number.POSITIVE_INFINITY;
      for (let most = 1; most <= pieces; most += 1 + (most >> 2)) {
        for (let attempt = 0; attempt < 8; attempt++) fastest = Math.min(fastest, gossip(ranks, pieces, most, next));
      }
      expect(bound).toBeLessThanOrEqual(fastest);
      if (ranks === 16) expect(bound).toBeGreaterThan(4 + pieces);
    }
  });

  it('reduce is a broadcast backwards', () => {
    for (const topology of [line(4, traits), ring(6, traits), star(8, traits)]) {
      expect(best('reduce', topology, 4096)).toBeCloseTo(best('broadcast', topology, 4096), 9);
    }
  });

  it('are refused where the witness is none', () => {
    const witnesses = [
      { root: 0, direction: 'out', chips: [] },
      { root: 0, direction: 'out', chips: [0] },
      { root: 0, direction: 'out', chips: [1, 1] },
      { root: 0, direction: 'out', chips: [9] },
      { root: 0, direction: 'out', chips: 'all' },
    ];
    for (const witness of witnesses) {
      const certificate = { kind: 'relay', seconds: 1, reason: '', witness };
      expect(checkCertificate(certificate, collective('broadcast', 4), line(4, traits), 4096)).toBe(false);
    }
  });
});

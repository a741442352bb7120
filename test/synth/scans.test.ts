/** Scans over all links: schemes, what links carry of them, and the schedules that come of them. */
import { describe, expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology, withoutChip, withoutLink } from '../../src/read/index.ts';
import { type Candidate, engines } from '../../src/synth/index.ts';
import { CheapestPaths, type Hops, hopsOf } from '../../src/synth/scans/hops.ts';
import { Packer } from '../../src/synth/scans/packing.ts';
import {
  cheapestStops,
  classTreeOf,
  exscanStops,
  hopsIn,
  type Scheme,
  type Stops,
} from '../../src/synth/scans/scheme.ts';
import { prove } from '../../src/verify/index.ts';
import { problemOn, provedSeconds, type Wanted } from './list/support.ts';
import { candidatesAmong } from './problems.ts';

const kinds = ['scan', 'exscan'] as const;
const hopsOn = (machine: string): Hops => hopsOf(new Routes(resolveTopology(machine)));

function scansOn(machine: string | Topology, wanted: Wanted): Candidate[] {
  const engine = engines.find(({ name }) => name === 'scans');
  const proposals = [...(engine?.propose(problemOn(machine, wanted)) ?? [])];
  return candidatesAmong(proposals);
}

describe('schemes', () => {
  const priceOf = (scheme: Scheme, prices: Float64Array) =>
    scheme.flatMap(hopsIn).reduce((sum, hop) => sum + prices[hop], 0);

  /** Every choice of where a class meets the one before, and of where it leaves its way back for the next. */
  function leastByTrying(ranks: number, distance: (from: number, to: number) => number): number {
    const all = Array.from({ length: ranks }, (_, rank) => rank);
    const rest = (rank: number, met: number): number => {
      const there = distance(rank, met);
      if (rank === ranks - 1) return there + distance(met, rank);
      const leaves = met === rank ? [rank] : all;
      return Math.min(
        ...leaves.flatMap((leave) => {
          const back = there + distance(met, leave) + distance(leave, rank);
          return all.map((next) => back + distance(leave, next) + rest(rank + 1, next));
        }),
      );
    };
    return rest(0, 0);
  }

  it('are the cheapest that there are, whatever hops cost', () => {
    const random = new Random(7);
    for (const machine of ['ring:4', 'full:4', 'line:4', 'ring:5']) {
      const hops = hopsOn(machine);
      for (let round = 0; round < 20; round++) {
        const prices = Float64Array.from(hops.arcs, () => 1 + random.below(1000));
        const ways = new CheapestPaths(hops);
        const costs = hops.outgoing.map((_, from) => ways.costs(prices, from));
        const distance = (from: number, to: number) => costs[from][to];
        const schemeOf = (stops: readonly Stops[]): Scheme =>
          stops.map((stop, rank) => classTreeOf(hops, (from, to) => ways.path(prices, from, to), rank, stop));
        const scan = schemeOf(cheapestStops(costs));
        expect(priceOf(scan, prices)).toBeCloseTo(leastByTrying(hops.ranks, distance), 6);
        const inRow = Array.from({ length: hops.ranks - 1 }, (_, rank) => distance(rank, rank + 1));
        const row = inRow.reduce((sum, price) => sum + price, 0);
        expect(priceOf(schemeOf(exscanStops(hops.ranks)), prices)).toBeCloseTo(row, 6);
      }
    }
  });

  it('load the busiest link of four chips in a ring with 2/3 of a scan and 3/4 of an exscan', () => {
    // By linear programming duality nothing is less: lengths of 1 on 0→1, 1→2, 2→3 and 0→3 (exscan).
    const hops = hopsOn('sg2260x4');
    expect(new Packer('scan', hops).packing(3).load * 64e9).toBeCloseTo(2 / 3, 9);
    expect(new Packer('exscan', hops).packing(4).load * 64e9).toBeCloseTo(3 / 4, 9);
  });

  it('go round a link that is missing over links that no other hop takes', () => {
    // Whatever a chain does instead of 0→1, at most one of its messages goes over any link: left round the row, which is idle else.
    const broken = withoutLink(resolveTopology('torus:8x8'), 0, 1);
    for (const kind of kinds)
      expect(new Packer(kind, hopsOf(new Routes(broken))).packing(1).load * 10e9).toBeCloseTo(1, 9);
  });

  it('share NICs among boxes, where a chain has one at work', () => {
    // Two boxes of eight NICs of 25 GB/s: all of M crosses once, an eighth over each.
    expect(new Packer('scan', hopsOn('a100:2')).packing(8).load * 25e9).toBeCloseTo(1 / 8, 9);
    expect(new Packer('scan', hopsOn('a100:2')).packing(1).load * 25e9).toBeCloseTo(1, 9);
  });
});

describe('the scans engine', () => {
  it.each(kinds)('makes a proved %s in rank order, on machines of all kinds', (kind) => {
    for (const machine of [
      'ring:3',
      'ring:5',
      'line:6',
      'sg2260x8',
      'mesh:2x3',
      'full:7',
      'switch:6',
      'a100:1',
      'torus:3x3',
    ]) {
      const candidates = scansOn(machine, { kind, ordered: true, size: 2 ** 16, byName: true });
      expect(candidates.map(({ name }) => name)).toContainEqual(expect.stringContaining('packed chains'));
      expect(candidates.map(({ name }) => name)).toContainEqual(expect.stringContaining('local scan and back'));
      for (const candidate of candidates) {
        expect(candidate.build(1).commutative).toBe(false);
        provedSeconds(candidate.build(1), machine, 2 ** 16);
      }
    }
  });

  it.each(kinds)('makes a proved %s in place, in several bulks, of no bytes, of chunks that were asked for', (kind) => {
    const problem = problemOn('ring:5', { kind });
    const inPlace = { ...problem.collective, inPlace: true };
    for (const [size, chunks] of [
      [0, undefined],
      [3, 5],
      [2 ** 24, 10],
    ] as const) {
      const engine = engines.find(({ name }) => name === 'scans');
      for (const proposal of engine?.propose({ ...problem, collective: inPlace, size, chunks, byName: true }) ?? []) {
        if (proposal.kind === 'dismissed') continue;
        const schedule = proposal.candidate.build(2);
        if (chunks !== undefined) expect(schedule.collective.chunks).toBe(2 * chunks);
        provedSeconds(schedule, 'ring:5', size);
      }
    }
  });

  it.each(kinds)('makes a proved %s on machines that lost a part', (kind) => {
    for (const machine of [
      withoutLink(resolveTopology('sg2260x8'), 0, 4),
      withoutLink(resolveTopology('ring:6'), 2, 3),
      withoutChip(resolveTopology('torus:3x3'), 4),
    ]) {
      const candidates = scansOn(machine, { kind, size: 2 ** 20 });
      expect(candidates).not.toEqual([]);
      for (const candidate of candidates) provedSeconds(candidate.build(1), machine);
    }
  });

  it('sends four SG2260 chips a large exscan in packets, one stage behind the other', () => {
    // k packets in three stages: (k + 2)(α + ¾M/kβ), and reductions of at most ¾ of a packet's bytes at 512 GB/s in each stage.
    // Least at k = √(2 · ¾M/αβ); no plan of packets is faster than its bytes and the latencies of one packet.
    const size = 2 ** 26;
    const packets = scansOn('sg2260x4', { kind: 'exscan', size }).find(({ name }) => name === 'packed chains');
    const schedule = packets?.build(1) ?? expect.fail('nothing is packed');
    const [latency, bytes] = [0.55e-6, (0.75 * size) / 64e9];
    const k = Math.round(Math.sqrt((2 * bytes) / latency));
    const seconds = provedSeconds(schedule, 'sg2260x4', size);
    expect(seconds).toBeGreaterThan(bytes + 3 * latency);
    expect(seconds).toBeLessThan((k + 2) * (latency + bytes / k) + (3 * 0.75 * size) / k / 512e9);
  });

  it('brings a large scan over two boxes of unlike links to half of its bound, in bulks', () => {
    const topology = resolveTopology('mi250:2');
    const { collective } = problemOn(topology, { kind: 'scan' });
    const request = {
      ...searchDefaults,
      engine: 'scans',
      effort: 'quick',
      collective,
      topology,
      size: 2 ** 30,
    } as const;
    const { bundle } = searchPlan(request);
    expect(bundle.bound.seconds / bundle.cost.seconds).toBeGreaterThan(0.5);
  });

  it.each(kinds)('brings a %s of 64 MiB on four SG2260 chips to nine tenths of its bound, in one bulk', (kind) => {
    const topology = resolveTopology('sg2260x4');
    const { collective } = problemOn(topology, { kind });
    const { bundle } = searchPlan({ ...searchDefaults, engine: 'scans', collective, topology, size: 2 ** 26 });
    expect(bundle.bound.seconds / bundle.cost.seconds).toBeGreaterThan(0.9);
    expect(bundle.proved.plan.bulks).toBe(1);
  });

  it.each(kinds)(
    'keeps chips in step in a %s that cannot send while they reduce: less than any chain takes',
    (kind) => {
      // On ring:8 a chain takes M/β + M/γ and more.
      const size = 2 ** 26;
      const packed = scansOn('ring:8', { kind, size }).find(({ name }) => name === 'packed chains, in step');
      if (packed === undefined) expect.fail('no packed chains');
      expect(provedSeconds(packed.build(1), 'ring:8', size)).toBeLessThan(size / 10e9 + size / 50e9);
    },
  );

  describe('chains over ranks that only pass on', () => {
    const size = 2 ** 26;
    const chainOn = (machine: Topology, kind: (typeof kinds)[number], inPlace = false): Schedule => {
      const engine = engines.find(({ name }) => name === 'scans');
      const problem = problemOn(machine, { kind, ordered: true, size, byName: true });
      const wanted = { ...problem, collective: { ...problem.collective, inPlace } };
      const candidates = candidatesAmong(engine?.propose(wanted) ?? []);
      const found = candidates.find(({ name }) => name === 'chain over other ranks');
      return (found ?? expect.fail('there is no chain')).build(1);
    };
    const secondsIn = (schedule: Schedule, bulks: number, machine: Topology): number => {
      const plan = lower(schedule, { bulks });
      expect(prove(plan, { topology: machine }).verification.verdict).toBe('correct');
      return simulate(plan, new Routes(machine), size).seconds;
    };
    /** A message and a reduction for each packet, and for each stage of the first. */
    const inStep = (packets: number, stages: number) =>
      (packets + stages - 1) * (1e-6 + (size / packets) * (1 / 10e9 + 1 / 50e9));
    // Without its link the ring is a line, at the ends of which ranks 0 and 1 are: 0→1 takes seven hops, and six more follow.
    const line = withoutLink(resolveTopology('ring:8'), 0, 1);
    // Left round the row 0→1 takes three hops; the other rows end with two, and that is all.
    const torus = withoutLink(resolveTopology('torus:4x4'), 0, 1);

    it.each(kinds)('are proved for a %s in several bulks, in place too', (kind) => {
      for (const inPlace of [false, true]) {
        for (const bulks of [1, 2, 7]) secondsIn(chainOn(line, kind, inPlace), bulks, line);
      }
    });

    it.each([
      ['exscan', line, 13],
      ['exscan', torus, 20],
      ['scan', torus, 20],
    ] as const)('of an %s lose no step', (kind, machine, stages) => {
      const schedule = chainOn(machine, kind);
      const bulks = Math.round(200 / schedule.collective.chunks);
      const seconds = secondsIn(schedule, bulks, machine);
      expect(seconds / inStep(bulks * schedule.collective.chunks, stages)).toBeCloseTo(1, 1.7);
    });

    it('leave ranks no moment to reduce, unless sends wait', () => {
      const { sendsWait, ...hasty } = chainOn(line, 'exscan');
      expect(sendsWait).toBe(true);
      const bulks = 12;
      expect(secondsIn(hasty, bulks, line)).toBeGreaterThan(1.2 * inStep(bulks * hasty.collective.chunks, 13));
    });

    it('are not for neighbours, nor where a link would have two messages of a packet', () => {
      // Without one of the eight links from even chips to odd ones, eight values cross seven links.
      for (const machine of ['line:8', withoutLink(resolveTopology('hypercube:4'), 0, 1)]) {
        const names = scansOn(machine, { kind: 'scan', size, byName: true }).map(({ name }) => name);
        expect(names).not.toContain('chain over other ranks');
      }
    });
  });

  it('does not look for two alltoalls whose bytes alone take longer than what there is', () => {
    // All pairs of a line of N are N(N² − 1)/3 hops apart, with M/N bytes each; N − 1 links carry them, both ways.
    const [ranks, size] = [12, 2 ** 24];
    const least = (2 * (((ranks * (ranks ** 2 - 1)) / 3) * (size / ranks))) / (2 * (ranks - 1)) / 10e9;
    const alltoalls = (incumbent: number) =>
      scansOn(`line:${ranks}`, { kind: 'scan', size, incumbent }).filter(({ name }) => name.includes('local scan'));
    expect(alltoalls(least * 0.999)).toEqual([]);
    const found = alltoalls(least * 1.001);
    expect(found.length).toBeGreaterThan(0);
    for (const candidate of found)
      expect(provedSeconds(candidate.build(1), `line:${ranks}`, size)).toBeGreaterThan(least);
  });

  it('leaves short vectors to others, unless it is asked for by name', () => {
    expect(scansOn('ring:5', { kind: 'scan', size: 1024 })).toEqual([]);
    expect(scansOn('ring:5', { kind: 'scan', size: 1024, byName: true })).not.toEqual([]);
  });

  it('has nothing for other collectives', () => {
    expect(scansOn('ring:4', { kind: 'allreduce' })).toEqual([]);
    expect(scansOn('ring:1', { kind: 'scan' })).toEqual([]);
  });
});

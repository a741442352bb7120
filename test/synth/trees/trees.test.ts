/** The trees engine: packings at the exact optimum, and proved plans of everything that is derived from them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineNetwork } from '../../../src/bounds/index.ts';
import type { CollectiveKind } from '../../../src/ir/collective.ts';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import type { Candidate, Problem } from '../../../src/synth/index.ts';
import { treesEngine } from '../../../src/synth/trees/index.ts';
import { packed, type TreePacking } from '../../../src/synth/trees/packing.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { drawn } from '../../draw.ts';
import { line, link, machine, ring, star } from '../../model/machines.ts';
import { randomMachine } from '../../model/random.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

const size = 2 ** 30;

function problemOf(
  kind: CollectiveKind,
  topology: Topology,
  more: Partial<Problem> & { ordered?: boolean; root?: number } = {},
): Problem {
  const { ordered = false, root = 0, ...others } = more;
  return problemFor(collectiveOf(kind, topology.chips.length, { root, ordered }), topology, { size, ...others });
}

function candidatesFor(problem: Problem): Candidate[] {
  return candidatesAmong(treesEngine.propose(problem));
}

function reasonsFor(problem: Problem): string[] {
  return reasonsAmong(treesEngine.propose(problem));
}

/** What the bytes over the busiest link take, by the plan's own traffic, once it has been proved. */
function busiestLinkTime(candidate: Candidate, topology: Topology): number {
  const plan = lower(candidate.build(1), {});
  const { proved, verification } = prove(plan, { topology });
  expect(verification.findings).toEqual([]);
  expect(proved).toBeDefined();
  const { links } = simulate(plan, new Routes(topology), size);
  return Math.max(...links.map(({ link: index, bytes }) => bytes / topology.links[index].bandwidth));
}

function packingOf(topology: Topology, root?: number): TreePacking | undefined {
  const kind = root === undefined ? 'allgather' : 'broadcast';
  const packing = packed({ topology, kind, root: root ?? 0, trees: undefined });
  return typeof packing === 'string' ? undefined : packing;
}

/** Bytes per second that the trees of one root carry together. */
function rateOf({ trees: all, width }: TreePacking, topology: Topology): number {
  const ofOne = all.filter(({ root }) => root === all[0].root).reduce((sum, { amount }) => sum + amount, 0);
  return ofOne * width * machineNetwork(topology).unit;
}

/** Every tree spans and is rooted where it says; together they use no edge beyond its capacity. */
function expectSound({ trees: all, capacity }: TreePacking, ranks: number): void {
  const used = new Float64Array(capacity.length);
  for (const { root, amount, edges } of all) {
    const depth = new Map([[root, 0]]);
    for (const edge of edges) {
      expect(depth.get(edge.from)).toBe(edge.depth - 1);
      expect(depth.has(edge.to)).toBe(false);
      depth.set(edge.to, edge.depth);
      used[edge.from * ranks + edge.to] += amount;
    }
    expect(depth.size).toBe(ranks);
  }
  for (const [edge, amount] of used.entries()) expect(amount).toBeLessThanOrEqual(capacity[edge]);
}

/** The least capacity out of a set of nodes per root in it, over all sets that leave a chip out. */
function tightestRate(topology: Topology, roots: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let set = 1; set < 2 ** topology.nodes.length; set++) {
    const inside = (node: number): boolean => (set >> node) % 2 === 1;
    const held = roots.filter((root) => inside(topology.chips[root])).length;
    if (held === 0 || topology.chips.every(inside)) continue;
    const out = topology.links.filter((l) => inside(l.from) && !inside(l.to)).reduce((sum, l) => sum + l.bandwidth, 0);
    least = Math.min(least, out / held);
  }
  return least;
}

/** Links between random pairs of nodes, both ways alike, on a random tree so that all are reached. */
function randomDuplex(chips: number, switches: number): fc.Arbitrary<Topology> {
  const nodes = chips + switches;
  const bandwidth = fc.constantFrom(1, 2, 3, 5);
  const parents = fc.tuple(...Array.from({ length: nodes - 1 }, (_, i) => fc.tuple(fc.nat(i), bandwidth)));
  const more = fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1), bandwidth), { maxLength: 2 * nodes });
  return fc.tuple(parents, more).map(([tree, others]) => {
    const pairs = [...tree.map(([parent, b], i) => [parent, i + 1, b] as const), ...others].filter(([a, b]) => a !== b);
    const links = pairs.flatMap(([a, b, each]) => [link(a, b, { bandwidth: each }), link(b, a, { bandwidth: each })]);
    return machine(chips, links, {}, switches);
  });
}

describe('a short message', () => {
  it('is left to other engines by a quick search, unless this one is asked for by name', () => {
    const short = { size: 4, effort: 'quick' as const };
    expect(reasonsFor(problemOf('allgather', ring(4), short))).toEqual([expect.stringContaining('short')]);
    expect(reasonsFor(problemOf('allgather', ring(4), { size: 4 }))).toEqual([]);
    const [candidate] = candidatesFor(problemOf('allgather', ring(4), { ...short, byName: true }));
    expect(prove(lower(candidate.build(1), {}), { topology: ring(4) }).verification.verdict).toBe('correct');
  });

  it('is one behind switches for which a plan takes no longer than two latencies and the bytes', () => {
    // Ways of 1 s, and 64 bytes at 8 in a second.
    const candidates = (topology: Topology, incumbent: number) =>
      candidatesFor(problemOf('allgather', topology, { size: 64, incumbent, effort: 'quick' })).length;
    expect(candidates(star(6), 2 * 1 + 8)).toBe(0);
    expect(candidates(star(6), 2 * 1 + 8.001)).toBeGreaterThan(0);
    expect(candidates(ring(6), 2 * 3 + 4)).toBeGreaterThan(0);
  });
});

describe('the root of a plan', () => {
  it('is that of the collective, whatever chip the trees of a part grow from', () => {
    // The middle chip of a line is its centre, where reductions to be spread again come together.
    for (const kind of ['allgather', 'reducescatter', 'allreduce'] as const) {
      for (const candidate of candidatesFor(problemOf(kind, line(5))))
        expect(candidate.build(1).collective.root).toBe(0);
    }
    for (const candidate of candidatesFor(problemOf('broadcast', line(5), { root: 3 }))) {
      expect(candidate.build(1).collective.root).toBe(3);
    }
  });
});

describe('packings', () => {
  // Algorithm bandwidths published for ForestColl (links of 50 GB/s there where it does not say otherwise).
  it.each([
    ['a100:2', 346.67],
    ['a100:4', 266.67],
    ['dgx1', 171.43],
    ['torus:4x4', 213.33 / 5],
    ['ring:16', (2 * 10 * 16) / 15],
    ['hypercube:4', (4 * 10 * 16) / 15],
    ['mesh:4x4', (2 * 10 * 16) / 15],
    // What a chip's own link lets in, all the way through the switches.
    ['fattree', (10 * 16) / 15],
  ])('of %s reach the published rate', (name, gigabytesPerSecond) => {
    const topology = resolveTopology(name);
    const [candidate] = candidatesFor(problemOf('allgather', topology));
    expect(size / busiestLinkTime(candidate, topology) / 1e9).toBeCloseTo(gigabytesPerSecond, 1);
  });

  it('are optimal on random machines with switches', () => {
    fc.assert(
      fc.property(fc.oneof(randomDuplex(5, 0), randomDuplex(4, 2), randomDuplex(3, 3)), (topology) => {
        const ranks = topology.chips.length;
        const all = packingOf(topology);
        const one = packingOf(topology, 1);
        if (all === undefined || one === undefined) throw new Error('nothing packed');
        expectSound(all, ranks);
        expectSound(one, ranks);
        expect(rateOf(all, topology)).toBeCloseTo(tightestRate(topology, [...topology.chips.keys()]), 9);
        expect(rateOf(one, topology)).toBeCloseTo(tightestRate(topology, [1]), 9);
      }),
      drawn(150),
    );
  });

  it('are optimal on random machines of chips with links one way', () => {
    fc.assert(
      fc.property(randomMachine(5), (random) => {
        const nodes = random.nodes.map((node) => ({ ...node, ports: { send: 99, receive: 99 } }));
        const topology = { ...random, nodes, chips: nodes.map((_, node) => node) };
        const all = packingOf(topology);
        if (all === undefined) throw new Error('nothing packed');
        expectSound(all, topology.chips.length);
        expect(rateOf(all, topology)).toBeCloseTo(tightestRate(topology, [...topology.chips.keys()]), 9);
      }),
      drawn(100),
    );
  });

  it('go over several switches at the rate that chips can take', () => {
    const topology = resolveTopology('dragonfly');
    const all = packingOf(topology);
    if (all === undefined) throw new Error('nothing packed');
    expectSound(all, 16);
    expect(rateOf(all, topology)).toBeCloseTo(25e9 / 15, 0);
  });

  it('of a ring go both ways round, as far as they must', () => {
    const all = packingOf(ring(16));
    expect(Math.max(...(all?.trees ?? []).flatMap(({ edges }) => edges.map(({ depth }) => depth)))).toBe(8);
  });

  it('lose at most one part in a hundred where the exact number of trees is huge', () => {
    const links = [1e9, 1_000_000_100, 999_999_937, 1_000_000_007].flatMap((bandwidth, i) => [
      link(i, (i + 1) % 4, { bandwidth }),
      link((i + 1) % 4, i, { bandwidth }),
    ]);
    const topology = machine(4, links);
    const all = packingOf(topology);
    if (all === undefined) throw new Error('nothing packed');
    expectSound(all, 4);
    expect(all.trees.length).toBeLessThanOrEqual(64);
    expect(rateOf(all, topology)).toBeGreaterThan(0.99 * tightestRate(topology, [0, 1, 2, 3]));
  });
});

const collectives: readonly CollectiveKind[] = ['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'];

describe('plans', () => {
  it('are proved for all five collectives on any machine', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }).chain(randomMachine),
        fc.constantFrom(...collectives),
        (topology, kind) => {
          const problem = problemOf(kind, topology, { root: topology.chips.length - 1 });
          const candidates = candidatesFor(problem);
          expect(candidates.length).toBeGreaterThan(0);
          for (const candidate of candidates) {
            for (const bulks of [1, 3]) {
              const { verification } = prove(lower(candidate.build(1), { bulks }), { topology });
              expect(verification.findings).toEqual([]);
            }
          }
        },
      ),
      drawn(60),
    );
  });

  it('keep the number of chunks that was asked for, or say why not', () => {
    const topology = ring(4);
    for (const candidate of candidatesFor(problemOf('allgather', topology, { chunks: 4 }))) {
      expect(candidate.build(1).collective.chunks).toBe(4);
    }
    expect(reasonsFor(problemOf('allgather', topology, { chunks: 3 }))).toEqual([
      'needs a multiple of 2 chunks per shard, not 3',
    ]);
  });

  it('use all switches between the same chips', () => {
    const links = [2, 3, 4].flatMap((middle) => [0, 1].flatMap((chip) => [link(chip, middle), link(middle, chip)]));
    const topology = machine(2, links, {}, 3);
    for (const kind of ['broadcast', 'reduce'] as const) {
      const [candidate] = candidatesFor(problemOf(kind, topology));
      expect(size / busiestLinkTime(candidate, topology)).toBeCloseTo(3 * 8, 9);
    }
  });

  it('use as many trees as asked for', () => {
    const [candidate] = candidatesFor(problemOf('allgather', ring(8), { parameters: { trees: 1 } }));
    expect(candidate.build(1).collective.chunks).toBe(1);
    for (const none of [0, -1, 1.5]) {
      expect(() => candidatesFor(problemOf('allgather', ring(8), { parameters: { trees: none } }))).toThrow(CccError);
    }
    expect(reasonsFor(problemOf('allgather', ring(8), { parameters: { trees: 1e9 } }))[0]).toMatch(/too long/);
  });

  it('are the same every time', () => {
    const build = () => candidatesFor(problemOf('allgather', star(5))).map((c) => c.build(1).steps.source.join());
    expect(build()).toEqual(build());
  });
});

describe('what the engine does not do', () => {
  it('reducing in rank order', () => {
    expect(reasonsFor(problemOf('allreduce', ring(4), { ordered: true }))).toEqual(['needs an operator that commutes']);
  });

  it('spreading what cannot get everywhere', () => {
    const oneWay = machine(3, [link(0, 1), link(1, 0), link(0, 2)]);
    expect(reasonsFor(problemOf('allgather', oneWay))).toEqual(['no tree reaches every chip']);
    expect(candidatesFor(problemOf('broadcast', oneWay))).not.toEqual([]);
  });

  it('what only an algorithm was asked for, or nothing is to be done', () => {
    expect([...treesEngine.propose(problemOf('allgather', ring(4), { algorithm: 'ring' }))]).toEqual([]);
    expect([...treesEngine.propose(problemOf('alltoall', ring(4)))]).toEqual([]);
    expect([...treesEngine.propose(problemOf('allgather', line(1)))]).toEqual([]);
  });

  it('going on when the time is up', () => {
    expect(reasonsFor(problemOf('allgather', ring(4), { shouldStop: () => true }))[0]).toMatch(/time/);
  });
});

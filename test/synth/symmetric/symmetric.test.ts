/** The symmetric engine: what it recognises, and proved plans whose times are the closed forms of the fewest steps and bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/simulate/simulate.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import type { Candidate, Problem } from '../../../src/synth/index.ts';
import { symmetricEngine } from '../../../src/synth/symmetric/index.ts';
import { findSymmetry } from '../../../src/synth/symmetric/machine.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { drawn } from '../../draw.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

const α = 1e-6;
const β = 10e9;
const size = 1e9;

/** A shipped machine on which reductions are free, so that a time is one of messages. */
function machine(spec: string): Topology {
  const topology = resolveTopology(spec);
  return { ...topology, nodes: topology.nodes.map((node) => ({ ...node, reduce: undefined })) };
}

function problemOf(
  kind: CollectiveKind,
  topology: Topology,
  more: Partial<Problem> & { ordered?: boolean } = {},
): Problem {
  const { ordered = false, ...others } = more;
  return problemFor(collectiveOf(kind, topology.chips.length, { ordered }), topology, { size, ...others });
}

function candidatesFor(problem: Problem): Candidate[] {
  return candidatesAmong(symmetricEngine.propose(problem));
}

function reasonsFor(problem: Problem): string[] {
  return reasonsAmong(symmetricEngine.propose(problem));
}

/** The simulated time of a candidate, once its plan has been proved. */
function provedTime(candidate: Candidate, topology: Topology, multiple = 1): number {
  const plan = lower(candidate.build(multiple), {});
  const { verification } = prove(plan, { topology });
  expect(verification.findings).toEqual([]);
  return simulate(plan, new Routes(topology), size).seconds;
}

function bestTime(kind: CollectiveKind, topology: Topology, more: Partial<Problem> = {}): number {
  return Math.min(
    ...candidatesFor(problemOf(kind, topology, more)).map((candidate) => provedTime(candidate, topology)),
  );
}

describe('findSymmetry', () => {
  it.each([
    ['ring:2', [1]],
    ['ring:7', [1, 6]],
    ['torus:4x4', [1, 3, 4, 12]],
    ['torus:2x3', [1, 2, 3]],
    ['hypercube:3', [1, 2, 4]],
    ['full:4', [1, 2, 3]],
    ['sg2260x4', [1, 3]],
  ])('finds the generators of %s', (spec, offsets) => {
    const search = findSymmetry(resolveTopology(spec));
    expect(search.found && search.machine.generators.map(({ offset }) => offset)).toEqual(offsets);
  });

  it('does not believe a shape that the links do not have', () => {
    const search = findSymmetry({ ...resolveTopology('torus:2x8'), shape: [4, 4] });
    expect(search.found && search.machine.group.shape).toEqual([2, 8]);
  });

  it.each(['mesh:3x3', 'line:4', 'dgx1', 'sg2260x8', 'ring:1', 'routed-ring:6', 'tree:7', 'switch:5'])(
    'finds none in %s',
    (spec) => {
      expect(findSymmetry(resolveTopology(spec)).found).toBe(false);
    },
  );

  it('sees a missing link, a slow one and a chip of another kind', () => {
    const torus = resolveTopology('torus:3x3');
    const without = { ...torus, links: torus.links.slice(1) };
    const slow = { ...torus, links: torus.links.map((link, i) => (i === 5 ? { ...link, bandwidth: β / 2 } : link)) };
    const [first, ...others] = torus.nodes;
    const other = { ...torus, nodes: [{ ...first, ports: { send: 1, receive: 1 } }, ...others] };
    expect([without, slow, other].map((topology) => findSymmetry(topology).found)).toEqual([false, false, false]);
  });
});

describe('allgather', () => {
  // The farthest chip's distance in links, and the links of a chip: D·α + (N − 1)/L · shard/β is the least for both.
  it.each([
    ['ring:2', 2, 1, 1],
    ['ring:8', 8, 4, 2],
    ['ring:9', 9, 4, 2],
    ['torus:4x4', 16, 4, 4],
    ['torus:2x8', 16, 5, 3],
    ['torus:3x5', 15, 3, 4],
    ['torus:4x4x2', 32, 5, 5],
    ['hypercube:3', 8, 3, 3],
    ['hypercube:5', 32, 5, 5],
    ['full:6', 6, 1, 5],
  ])('has the fewest steps and bytes on %s', (spec, ranks, width, links) => {
    const least = width * α + (((ranks - 1) / links) * size) / ranks / β;
    for (const kind of ['allgather', 'reducescatter'] as const) {
      expect(bestTime(kind, machine(spec))).toBeCloseTo(least, 12);
    }
    const halves = candidatesFor(problemOf('allreduce', machine(spec))).filter(({ name }) => !name.includes('along'));
    const times = halves.map((candidate) => provedTime(candidate, machine(spec)));
    expect(Math.min(...times)).toBeCloseTo(2 * least, 12);
  });

  it('needs no more than the fewest rounds for the C that is asked for', () => {
    const times = [1, 2, 4, 6].map((chunks) => bestTime('allgather', machine('torus:4x4'), { chunks }));
    const rounds = [4, 8, 15, 23];
    times.forEach((time, i) => {
      expect(time).toBeCloseTo(4 * α + (rounds[i] * size) / 16 / [1, 2, 4, 6][i] / β, 12);
    });
  });

  it('gives wide axes more to carry', () => {
    const torus = machine('torus:4x4');
    // One axis has three times the bandwidth of the other: 15 shards over 2·3 + 2·1 units.
    const links = torus.links.map((link) =>
      Math.abs(link.from - link.to) % 4 === 0 ? link : { ...link, bandwidth: 3 * β },
    );
    const least = ((15 / 8) * size) / 16 / β;
    expect(bestTime('allgather', { ...torus, links })).toBeLessThan(1.01 * (least + 4 * α));
  });

  it('cuts each part finer when more chunks are wanted', () => {
    const topology = machine('torus:3x3');
    for (const candidate of candidatesFor(problemOf('allgather', topology))) {
      expect(candidate.build(3).collective.chunks).toBe(3 * candidate.build(1).collective.chunks);
      expect(provedTime(candidate, topology, 3)).toBeCloseTo(provedTime(candidate, topology), 12);
    }
  });
});

describe('alltoall', () => {
  it.each([
    // Of N·(average distance) hops per chip, each of its links carries its share.
    ['ring:2', 2, 1, 1, 1],
    ['ring:6', 6, 3, 9, 2],
    ['ring:7', 7, 3, 12, 2],
    ['torus:4x4', 16, 4, 32, 4],
    ['hypercube:4', 16, 4, 32, 4],
    ['torus:3x3', 9, 2, 12, 4],
    ['torus:12x12', 144, 12, 864, 4],
  ])('has the fewest steps and bytes on %s', (spec, ranks, width, hops, links) => {
    expect(bestTime('alltoall', machine(spec))).toBeCloseTo(width * α + ((hops / links) * size) / ranks / β, 12);
  });

  it('says that it needs axes', () => {
    expect(reasonsFor(problemOf('alltoall', machine('full:5')))).toEqual([expect.stringContaining('axes')]);
  });
});

describe('every plan it proposes', () => {
  it('is proved, on tori of any shape', () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
    const kinds = fc.constantFrom<CollectiveKind>('allgather', 'reducescatter', 'allreduce', 'alltoall');
    const property = fc.property(shapes, kinds, fc.nat(), (shape, kind, seed) => {
      const topology = resolveTopology(`torus:${shape.join('x')}`);
      for (const candidate of candidatesFor(problemOf(kind, topology, { seed }))) provedTime(candidate, topology);
    });
    fc.assert(property, drawn(40));
  });
});

describe('what it leaves to others', () => {
  it('proposes nothing for a broadcast or where an algorithm is named', () => {
    expect([...symmetricEngine.propose(problemOf('broadcast', machine('ring:4')))]).toEqual([]);
    expect([...symmetricEngine.propose(problemOf('allgather', machine('ring:4'), { algorithm: 'ring' }))]).toEqual([]);
  });

  it('says why', () => {
    const ring = machine('ring:4');
    expect(reasonsFor(problemOf('allreduce', ring, { ordered: true }))).toEqual([expect.stringContaining('commutes')]);
    expect(reasonsFor(problemOf('allreduce', ring, { chunks: 3 }))).toEqual([expect.stringContaining('multiple of 4')]);
    expect(reasonsFor(problemOf('alltoall', ring, { chunks: 3 }))).toEqual([expect.stringContaining('multiple of 2')]);
    const broken = { ...ring, links: ring.links.slice(2), shape: undefined };
    expect(reasonsFor(problemOf('allgather', broken))).toEqual([expect.stringContaining('every chip')]);
    const limits = { ...defaultLimits, operations: 10 };
    expect(reasonsFor(problemOf('allgather', ring, { limits }))).toEqual([expect.stringContaining('limit')]);
  });
});

it('leaves links to others of which some are as good as dead', () => {
  const torus = machine('torus:4x4');
  const links = torus.links.map((link) =>
    Math.abs(link.from - link.to) % 4 === 0 ? { ...link, bandwidth: link.bandwidth / 1e12 } : link,
  );
  const proposals = [...symmetricEngine.propose(problemOf('allgather', { ...torus, links }))];
  expect(candidatesAmong(proposals)).toEqual([]);
  expect(reasonsAmong(proposals).join()).toContain('small multiples');
});

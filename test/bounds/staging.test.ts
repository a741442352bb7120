/** What chips must copy where links reach a fast memory alone: formulas by hand, the check of certificates, and plans that take no less. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { searchPlan } from '../../src/search/compile.ts';

const machine = resolveTopology('sg2260x4-ddr');
/** Messages cost nothing, so that copies alone count. */
const duplex: Topology = { ...machine, links: machine.links.map((link) => ({ ...link, latency: 0 })) };
/** One engine for copies both ways. */
const simplex: Topology = {
  ...duplex,
  nodes: duplex.nodes.map((node) => ({ ...node, copy: node.copy && { throughput: 128e9 } })),
};
const size = 64 * 2 ** 20;

function collectiveOf(kind: CollectiveKind, changes: Partial<Collective> = {}): Collective {
  return { kind, ranks: 4, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, ...changes };
}

function stagingOf(collective: Collective, topology = duplex) {
  return lowerBound(collective, topology, size).certificates.find(({ kind }) => kind === 'staging');
}

/** Parts of M that the busiest chip copies in and out, out of place and in place; one rank has both largest. */
const parts: readonly (readonly [CollectiveKind, number, number, number, number])[] = [
  ['allgather', 1 / 4, 1, 1 / 4, 3 / 4],
  ['gather', 1 / 4, 1, 1 / 4, 3 / 4],
  ['scatter', 3 / 4, 1 / 4, 3 / 4, 1 / 4],
  ['alltoall', 3 / 4, 1, 3 / 4, 3 / 4],
  ['broadcast', 1, 1, 1, 1],
  ['reduce', 1, 1, 1, 1],
  ['allreduce', 1, 1, 1, 1],
  ['reducescatter', 1, 1 / 4, 1, 1 / 4],
  ['scan', 1, 1, 1, 1],
  ['exscan', 1, 1, 1, 1],
];

describe('what must be copied', () => {
  it.each(parts)('of %s', (kind, into, out, intoInPlace, outInPlace) => {
    const time = (inPlace: boolean) => (stagingOf(collectiveOf(kind, { inPlace }))?.seconds ?? 0) * 128e9;
    expect(time(false) / size).toBeCloseTo(Math.max(into, out), 12);
    expect(time(true) / size).toBeCloseTo(Math.max(intoInPlace, outInPlace), 12);
  });

  it('adds up where one engine does both', () => {
    const both = (kind: CollectiveKind, inPlace = false) =>
      ((stagingOf(collectiveOf(kind, { inPlace }), simplex)?.seconds ?? 0) * 128e9) / size;
    expect(both('allgather')).toBeCloseTo(5 / 4, 12);
    expect(both('allgather', true)).toBeCloseTo(1, 12);
    expect(both('allreduce')).toBeCloseTo(2, 12);
    // The root of a broadcast copies in and out, in place in alone; others out.
    expect(both('broadcast')).toBeCloseTo(2, 12);
    expect(both('broadcast', true)).toBeCloseTo(1, 12);
    // The first rank of an exscan has no result, the last one no input that counts.
    expect(both('exscan')).toBeCloseTo(2, 12);
    expect(both('scatter')).toBeCloseTo(1, 12);
  });

  it('goes by the sizes of shards', () => {
    const counts = [0, size / 2, size / 4, size / 4];
    expect((stagingOf(collectiveOf('allgather', { counts, inPlace: true }))?.seconds ?? 0) * 128e9).toBeCloseTo(
      size,
      3,
    );
    const scatter = stagingOf(collectiveOf('scatter', { counts, root: 1 }));
    expect((scatter?.seconds ?? 0) * 128e9).toBeCloseTo(size / 2, 3);
  });

  it('is nothing where links reach all memory, or copies are free', () => {
    expect(stagingOf(collectiveOf('allgather'), resolveTopology('sg2260x4'))).toBeUndefined();
    const free = { ...duplex, nodes: duplex.nodes.map((node) => ({ ...node, copy: undefined })) };
    expect(stagingOf(collectiveOf('allgather'), free)).toBeUndefined();
    expect(stagingOf(collectiveOf('barrier'))).toBeUndefined();
  });
});

describe('its certificate', () => {
  const cases = parts.flatMap(([kind]) => [false, true].map((inPlace) => [kind, inPlace] as const));
  it.each(cases)('of %s, in place %s, proves that and no more', (kind, inPlace) => {
    for (const topology of [duplex, simplex]) {
      const collective = collectiveOf(kind, { inPlace, root: kind === 'scan' ? 0 : 2 });
      const certificate = stagingOf(collective, topology);
      if (certificate === undefined) throw new Error('no certificate');
      const holds = (seconds: number, machine = topology) =>
        checkCertificate({ ...certificate, seconds }, collective, machine, size);
      expect(holds(certificate.seconds)).toBe(true);
      expect(holds(certificate.seconds * 1.001)).toBe(false);
      expect(holds(certificate.seconds, { ...topology, staging: undefined })).toBe(false);
    }
  });
});

describe('plans', () => {
  it.each(['allgather', 'gather'] as const)('of a large %s on buffers in DDR meet it', (kind) => {
    const { bundle } = searchPlan({
      ...{ collective: collectiveOf(kind), topology: machine, size, dtype: 'f32', bulks: 'auto', engine: 'library' },
      ...{ parameters: {}, objective: 'time', seed: 0, effort: 'quick', limits: defaultLimits },
    });
    expect(bundle.bound.certificates[0].kind).toBe('staging');
    // But for what chunks are rounded up to: whole units.
    expect(bundle.cost.seconds / bundle.bound.seconds).toBeCloseTo(1, 4);
  });
});

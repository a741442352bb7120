/** What chips must copy where links reach a fast memory alone: formulas by hand, the check of certificates, and plans that take no less. */
import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compile/compile.ts';
import { checkCertificate, lowerBound } from '../../../src/cost/index.ts';
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';

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

/** The machine with another rate of copies, in bytes per second. */
function copying(throughput: number): Topology {
  return { ...machine, nodes: machine.nodes.map((node) => ({ ...node, copy: { throughput, duplex: true } })) };
}

describe('what is sent after it has been copied', () => {
  const [alpha, beta] = [0.55e-6, 64e9];
  // Copies as fast as both links: messages may grow by half of αβ each, from the last one back, so that K of them carry K(x − (K + 1)α/4)·2β.
  const closedForm = (bytes: number): number => {
    const delays = Array.from({ length: 1000 }, (_, k) => bytes / (2 * beta) / (k + 1) + ((k + 2) * alpha) / 4);
    return bytes / (2 * beta) + Math.min(...delays);
  };

  it.each([2 ** 16, 2 ** 20, 2 ** 26, 2 ** 30])('of a scatter of %i bytes takes what its closed form says', (bytes) => {
    const bound = lowerBound(collectiveOf('scatter'), machine, bytes);
    const found = bound.certificates.find(({ kind }) => kind === 'staging');
    expect(found?.seconds).toBeCloseTo(closedForm((3 / 4) * bytes), 12);
    expect(checkCertificate(found, collectiveOf('scatter'), machine, bytes)).toBe(true);
    const more = { ...found, seconds: (found?.seconds ?? 0) * (1 + 1e-6) };
    expect(checkCertificate(more, collectiveOf('scatter'), machine, bytes)).toBe(false);
  });

  it('takes less where copies are faster, and no less than bytes and two latencies', () => {
    const times = [128e9, 160e9, 256e9, 1e15].map((rate) => stagingOf(collectiveOf('scatter'), copying(rate))?.seconds);
    expect(times).toEqual([...times].sort((a = 0, b = 0) => b - a));
    expect(new Set(times).size).toBe(4);
    // All at once, in one message that keeps one of two links for α besides.
    expect(times[3]).toBeCloseTo((0.75 * size) / (2 * beta) + alpha / 2 + (0.75 * size) / 1e15, 12);
  });

  it.each([128e9, 256e9])('is not beaten by plans where copies take %d bytes per second', (rate) => {
    for (const kind of ['scatter', 'broadcast', 'reduce', 'alltoall', 'allreduce'] as const) {
      const asked = { collective: collectiveOf(kind), topology: copying(rate), size: 2 ** 20, dtype: 'f32' } as const;
      const how = { engine: 'library', effort: 'quick', bulks: 'auto', objective: 'time', seed: 0 } as const;
      const { bundle } = compile({ ...asked, ...how, parameters: {}, limits: defaultLimits });
      const found = lowerBound(asked.collective, asked.topology, asked.size).certificates;
      for (const { seconds } of found) expect(seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
    }
  });
});

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
    const { bundle } = compile({
      ...{ collective: collectiveOf(kind), topology: machine, size, dtype: 'f32', bulks: 'auto', engine: 'library' },
      ...{ parameters: {}, objective: 'time', seed: 0, effort: 'quick', limits: defaultLimits },
    });
    expect(bundle.bound.certificates[0].kind).toBe('staging');
    // But for what chunks are rounded up to: whole units.
    expect(bundle.cost.seconds / bundle.bound.seconds).toBeCloseTo(1, 4);
  });
});

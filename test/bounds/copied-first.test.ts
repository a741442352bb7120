/** Messages that wait until what they carry has been copied: closed forms, pipelines of all sizes of messages by trying them, and plans. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { collectiveOf } from '../collectives.ts';
import { link, machine } from '../model/machines.ts';

const ddr = resolveTopology('sg2260x4-ddr');
const [alpha, beta] = [0.55e-6, 64e9];

/** The machine with another rate of copies, in bytes per second. */
function copying(throughput: number, topology = ddr): Topology {
  const nodes = topology.nodes.map((node) => ({ ...node, copy: { throughput, duplex: true } }));
  return { ...topology, nodes, staging: { memory: 2 ** 27 } };
}

/** What the certificate claims, which it proves, and no more. */
function copiedFirst(kind: CollectiveKind, topology: Topology, size: number): number {
  const asked = collectiveOf(kind, ranksOf(topology));
  const found = lowerBound(asked, topology, size).certificates.find(
    (certificate) => certificate.kind === 'copied-first',
  );
  if (found === undefined) return 0;
  const judged = [1, 1 + 1e-6].map((times) =>
    checkCertificate({ ...found, seconds: found.seconds * times }, asked, topology, size),
  );
  expect(judged).toEqual([true, false]);
  return found.seconds;
}

describe('what a root scatters to both sides', () => {
  // Copies are as fast as both links. Of K messages, x beyond W/2β: K(x − (K + 1)α/4) ≥ W/2β, and with what is under way (2K + 1)x ≥ 3W/2β + K(K + 3)α/2.
  const closedForm = (bytes: number): number => {
    const time = bytes / (2 * beta);
    const delays = Array.from({ length: 1000 }, (_, k) => {
      const [count, apart] = [k + 1, time / (k + 1) + ((k + 2) * alpha) / 4];
      return Math.max(apart, (3 * time + (count * (count + 3) * alpha) / 2) / (2 * count + 1));
    });
    return time + Math.min(...delays);
  };

  it.each([2 ** 16, 2 ** 20, 2 ** 26, 2 ** 30])('of %i bytes takes what its closed form says', (bytes) => {
    expect(copiedFirst('scatter', ddr, bytes)).toBeCloseTo(closedForm((3 / 4) * bytes), 12);
  });

  it('takes less where copies are faster, and no less than bytes and a message on either link', () => {
    const size = 2 ** 26;
    const times = [128e9, 160e9, 256e9, 1e21].map((rate) => copiedFirst('scatter', copying(rate), size));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(new Set(times).size).toBe(4);
    expect(times[3]).toBeCloseTo((0.75 * size) / (2 * beta) + alpha, 12);
  });
});

/** A root and so many chips next to it, with α = 1 and β = 1. */
function star(leaves: number): Topology {
  const one = { latency: 1, bandwidth: 1 };
  const links = Array.from({ length: leaves }, (_, leaf) => [link(0, leaf + 1, one), link(leaf + 1, 0, one)]);
  return machine(leaves + 1, links.flat());
}

/** All ways to write a number as a sum of so many that are more than 0. */
function* parts(whole: number, count: number): Generator<readonly number[]> {
  if (count === 1) yield [whole];
  for (let first = 1; count > 1 && first <= whole - count + 1; first++)
    for (const others of parts(whole - first, count - 1)) yield [first, ...others];
}

/** When the last message ends, each begun as soon as it is copied and one of the links is free. */
function pipeline(sizes: readonly number[], copies: number, links: number): number {
  const free = new Array<number>(links).fill(0);
  let copied = 0;
  for (const size of sizes) {
    copied += size / copies;
    const first = free.indexOf(Math.min(...free));
    free[first] = Math.max(copied, free[first]) + 1 + size;
  }
  return Math.max(...free);
}

describe('of all pipelines of copies and links', () => {
  it.each([
    [1, 1, 0.98],
    [1, 2, 0.94],
    [1, 8, 0.98],
    [2, 2, 0.96],
    [2, 4, 0.86],
    [3, 3, 0.92],
  ])('with %d links and copies at %d the best takes as long, or little longer', (links, copies, part) => {
    const whole = 18;
    const tried = [1, 2, 3, 4, 5, 6, 7].flatMap((count) =>
      [...parts(whole, count)].map((sizes) => pipeline(sizes, copies, links)),
    );
    const least = tried.reduce((a, b) => Math.min(a, b));
    const topology = copying(copies, star(links));
    const size = (whole * (links + 1)) / links;
    for (const kind of ['scatter', 'gather'] as const) {
      const bound = copiedFirst(kind, topology, size);
      expect(bound).toBeLessThanOrEqual(least * (1 + 1e-9));
      expect(bound).toBeGreaterThanOrEqual(least * part * (1 - 1e-9));
    }
  });
});

it.each([128e9, 256e9])('is not beaten by plans where copies take %d bytes per second', (rate) => {
  for (const kind of ['scatter', 'broadcast', 'reduce', 'alltoall', 'allreduce'] as const) {
    const asked = { collective: collectiveOf(kind, 4), topology: copying(rate), size: 2 ** 20, dtype: 'f32' } as const;
    const how = { engine: 'library', effort: 'quick', bulks: 'auto', objective: 'time', seed: 0 } as const;
    const { bundle } = searchPlan({ ...asked, ...how, parameters: {}, limits: defaultLimits });
    const found = lowerBound(asked.collective, asked.topology, asked.size).certificates;
    for (const { seconds } of found) expect(seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
  }
});

it('is nothing where links reach all memory, where copies or messages are free, or copies are what is slow', () => {
  const size = 2 ** 26;
  expect(copiedFirst('scatter', resolveTopology('sg2260x4'), size)).toBe(0);
  const free = { ...ddr, nodes: ddr.nodes.map((node) => ({ ...node, copy: undefined })) };
  expect(copiedFirst('scatter', free, size)).toBe(0);
  expect(copiedFirst('scatter', { ...ddr, links: ddr.links.map((of) => ({ ...of, latency: 0 })) }, size)).toBe(0);
  expect(copiedFirst('scatter', copying(100e9), size)).toBe(0);
});

/** The flow with shards of different sizes: what is chosen, what plans say, what is refused. */
import { describe, expect, it } from 'vitest';
import {
  type CollectiveKind,
  planJson,
  readPlan,
  resolveTopology,
  searchDefaults,
  searchPlan,
  verifyPlan,
} from '../../src/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { messageBytes } from '../../src/ir/shards.ts';
import { readCounts } from '../../src/read/index.ts';
import { fileWith } from '../cli/run.ts';
import { collectiveOf } from '../collectives.ts';

const MiB = 2 ** 20;

function compiled(kind: CollectiveKind, topo: string, counts: readonly number[], inPlace = false) {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective = collectiveOf(kind, ranks, { inPlace, counts });
  const size = messageBytes(kind, ranks, counts);
  return searchPlan({ ...searchDefaults, collective, topology, size, engine: 'library' });
}

/** What the `collective` block of a small plan becomes when it is read. */
function readWith(collective: string): () => unknown {
  const program = (rank: number) =>
    `{ "rank": ${rank}, "buffers": { "input": 1, "output": 2, "scratch": 0 }, "lanes": [] }`;
  const text = `{ "format": "ccc-plan", "version": 1, "name": "x", "collective": ${collective}, "programs": [${program(0)}, ${program(1)}] }`;
  return () => readPlan({ name: 'plan.json', text }).plan.collective.counts;
}

describe('compiling with counts', () => {
  it.each(['allgather', 'reducescatter', 'scatter', 'gather'] as const)('%s: in place and out of place', (kind) => {
    for (const inPlace of [false, true]) {
      const { bundle } = compiled(kind, 'ring:4', [MiB, 0, 3 * MiB, MiB / 2], inPlace);
      expect(bundle.proved.plan.collective).toMatchObject({ kind, inPlace, counts: [MiB, 0, 3 * MiB, MiB / 2] });
      expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
    }
  });

  it('chooses by the sizes: one shard alone is broadcast in a pipeline, not sent once round the ring', () => {
    const { bundle } = compiled('allgather', 'ring:8', [64 * MiB, 0, 0, 0, 0, 0, 0, 0]);
    // The way round is seven links of 10 GB/s; in a pipeline they carry the shard at the same time.
    expect(bundle.cost.seconds).toBeLessThan((1.1 * 64 * MiB) / 10e9);
    expect(bundle.cost.bytesMoved).toBeCloseTo(7 * 64 * MiB, 0);
  });

  it('sends nothing where there is nothing', () => {
    const { bundle } = compiled('alltoall', 'full:3', new Array<number>(9).fill(0));
    expect(bundle.cost).toMatchObject({ seconds: 0, messages: 0 });
  });
});

describe('a plan with counts as JSON', () => {
  it('says them, and is proved again when it is read', () => {
    const counts = [5 * 2 ** 32, 0, 7];
    const { bundle } = compiled('allgather', 'ring:3', counts);
    const { plan } = readPlan({ name: 'plan.json', text: planJson(bundle) });
    expect(plan.collective.counts).toEqual(counts);
    expect(verifyPlan(plan, { topology: resolveTopology('ring:3') }).verdict).toBe('correct');
  });

  it.each([
    ['{ "kind": "allgather", "ranks": 2, "chunks": 1, "counts": [1] }', 'takes 2 counts, not 1'],
    ['{ "kind": "allgather", "ranks": 2, "chunks": 1, "counts": [1, -1] }', 'a number of bytes of at least 0'],
    ['{ "kind": "allgather", "ranks": 2, "chunks": 1, "counts": [1, 0.5] }', 'a whole number'],
    ['{ "kind": "allgather", "ranks": 2, "chunks": 1, "counts": [1, 1e300] }', 'at most 9007199254740991'],
    ['{ "kind": "allreduce", "ranks": 2, "chunks": 1, "counts": [1, 1] }', 'allreduce has no shards'],
  ])('refuses %s', (collective, message) => {
    expect(readWith(collective)).toThrow(message);
  });
});

describe('counts as they are written', () => {
  it('may have units, and stand in a file', () => {
    expect(readCounts('1MiB,0, 3 KiB ,12', defaultLimits)).toEqual([MiB, 0, 3072, 12]);
    expect(readCounts(fileWith('1, 2\n3, 4\n', 'counts.txt'), defaultLimits)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    [
      '1,,2',
      "count 2: expected an amount of data, such as 4096, 64KiB, 1 GB or 1G = 1 GiB (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), found ''",
    ],
    ['', 'count 1: expected an amount of data'],
    ['1,0.5', 'count 2: expected a whole number of bytes'],
    ['1e30', 'count 1: expected'],
    ['-5', 'count 1: expected a whole number of bytes'],
    ['./no-such-file.txt', 'there is no such file'],
  ])('%j is refused', (text, message) => {
    expect(() => readCounts(text, defaultLimits)).toThrow(message);
  });
});

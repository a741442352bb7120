/** Limits that a machine states of its commands: who keeps to them, who is refused, and what is rounded up. */
import { describe, expect, it } from 'vitest';
import { topologyDigest } from '../../src/emit/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { parseTopology } from '../../src/read/topology/file.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { judgePlan } from '../../src/verify/index.ts';

const near = resolveTopology('sg2260x4');
const ddr = resolveTopology('sg2260x4-ddr');

interface Wanted {
  readonly topology?: Topology;
  readonly bulks?: number | 'auto';
  readonly chunks?: number;
  readonly counts?: readonly number[];
  readonly dtype?: 'f16' | 'f32' | 'i32' | 'u8';
  readonly op?: 'sum' | 'prod';
  readonly algorithm?: string;
}

function compiled(kind: CollectiveKind, size: number, wanted: Wanted = {}) {
  const { topology = near, bulks = 'auto', chunks, counts, dtype = 'f16', op = 'sum', algorithm } = wanted;
  const shape = { root: 0, op, ordered: false, inPlace: false } as const;
  return searchPlan({
    collective: {
      kind,
      ranks: topology.chips.length,
      chunks: 1,
      ...shape,
      ...(counts === undefined ? {} : { counts }),
    },
    ...{ topology, size, dtype, bulks, chunks, engine: 'library', algorithm, parameters: {}, objective: 'time' },
    ...{ seed: 0, effort: 'quick', limits: defaultLimits },
  });
}

/**
 * First byte and length of every transfer of every bulk, by docs/plan-format.md: shards one after the other, cut q of P of a shard of U units
 * from floor(q·U/P) on, chunk c of bulk b being cut b·C + c.
 */
function transfersOf({ collective, bulks, ops }: Plan, size: number): readonly (readonly [number, number])[] {
  const sharded = collective.kind !== 'reduce' && collective.kind !== 'allreduce' && collective.kind !== 'broadcast';
  const shards = sharded ? collective.ranks : 1;
  const unitsOf = size / shards / 128;
  const parts = collective.chunks * bulks;
  const found: (readonly [number, number])[] = [];
  for (let o = 0; o < ops.kind.length; o++) {
    const at = ops.kind[o] < 3 ? ops.srcBuffer[o] : ops.dstBuffer[o];
    const [first, count] = ops.kind[o] < 3 ? [ops.srcOffset[o], ops.srcCount[o]] : [ops.dstOffset[o], ops.dstCount[o]];
    if (at === 2) continue;
    for (let bulk = 0; bulk < bulks; bulk++) {
      for (let slot = first; slot < first + count; slot++) {
        const q = bulk * collective.chunks + (slot % collective.chunks);
        const [start, end] = [q, q + 1].map((cut) => Math.floor((cut * unitsOf) / parts) * 128);
        found.push([Math.floor(slot / collective.chunks) * unitsOf * 128 + start, end - start]);
      }
    }
  }
  return found;
}

describe('whole units of 128 bytes', () => {
  it.each([
    ['reduce', 100 * 1024],
    ['allreduce', 100 * 1024],
    ['allgather', 1000],
    ['alltoall', 70_000],
    ['reducescatter', 3],
  ] as const)('%s of %i bytes has nothing between them', (kind, size) => {
    const { bundle } = compiled(kind, size);
    const transfers = transfersOf(bundle.proved.plan, bundle.size);
    expect(transfers.filter(([at, length]) => at % 128 !== 0 || length % 128 !== 0 || length === 0)).toEqual([]);
    expect(bundle.size).toBeGreaterThanOrEqual(size);
    expect(bundle.proved.verification.proved.join()).toContain('multiple of 128 bytes in f16');
  });

  it('rounds shards up to units, and to one unit for each chunk and bulk', () => {
    expect(compiled('allgather', 1000, { chunks: 1, bulks: 1 }).bundle.size).toBe(4 * 256);
    expect(compiled('allgather', 1024, { chunks: 1, bulks: 1 }).bundle.size).toBe(1024);
    expect(compiled('allgather', 1024, { chunks: 2, bulks: 5 }).bundle.size).toBe(4 * 10 * 128);
    const counts = compiled('allgather', 4100, { counts: [100, 0, 3000, 1000], chunks: 2, bulks: 1 });
    expect(counts.bundle.proved.plan.collective.counts).toEqual([256, 0, 3072, 1024]);
    expect(counts.bundle.size).toBe(256 + 3072 + 1024);
  });

  it('takes the time of the larger chunks', () => {
    // Seven units in two bulks: four and three. Each bulk takes three steps of 0.55 µs and four units at 64 GB/s, one after the other.
    const topology = { ...near, links: near.links.map((link) => ({ ...link, latency: 0.55e-6 })) };
    const asked = { topology, chunks: 1, bulks: 1 };
    const { bundle } = compiled('broadcast', 7 * 128, asked);
    const odd = compiled('broadcast', 7 * 128, { ...asked, bulks: 7 }).bundle;
    const even = compiled('broadcast', 8 * 128, { ...asked, bulks: 7 }).bundle;
    // Two units in one of seven bulks count as two in all.
    expect(even.cost.bytesMoved).toBe(2 * odd.cost.bytesMoved);
    expect(bundle.cost.bytesMoved).toBe(odd.cost.bytesMoved);
  });

  it('is judged by the ladder and the kernel alike', () => {
    const { plan } = compiled('allgather', 1024, { chunks: 2, bulks: 1 }).bundle.proved;
    const verdict = (size: number, topology = near) =>
      judgePlan(plan, { load: { topology, size, dtype: 'f16' } }).verdict;
    expect(verdict(1024)).toBe('correct');
    expect(verdict(1000)).toBe('over-capacity');
    expect(verdict(512)).toBe('over-capacity');
    expect(verdict(1000, { ...near, messages: undefined })).toBe('correct');
  });
});

describe('other limits', () => {
  const narrow = (limits: object): Topology => {
    if (near.messages === undefined) throw new Error('sg2260x4 states limits');
    return { ...near, messages: { ...near.messages, ...limits } };
  };

  it('refuses operators that the engines lack, with what they have', () => {
    expect(() => compiled('allreduce', 4096, { dtype: 'i32', op: 'prod' })).toThrow(
      'the reduce engine of sg2260x4 has no prod of i32; it has prod of f32, f16, bf16, and sum, max, min of i32',
    );
    expect(() => compiled('allreduce', 4096, { dtype: 'u8' })).toThrow('nothing of u8');
    expect(compiled('allgather', 4096, { dtype: 'u8' }).bundle.proved.verification.verdict).toBe('correct');
    const { plan } = compiled('allreduce', 4096).bundle.proved;
    const load = { topology: near, size: 4096 };
    expect(judgePlan(plan, { load: { ...load, dtype: 'i32' } }).verdict).toBe('correct');
    expect(judgePlan(plan, { load: { ...load, dtype: 'f64' } }).findings[0].message).toBe(
      'The reduce engine of chip 0 has no sum of f64.',
    );
  });

  it('refuses shapes and signals that do not fit their fields', () => {
    const size = 2 ** 20;
    const { plan } = compiled('allgather', size, { chunks: 1, bulks: 1 }).bundle.proved;
    const verdict = (limits: object) =>
      judgePlan(plan, { load: { topology: narrow(limits), size, dtype: 'f16' } }).verdict;
    expect(verdict({})).toBe('correct');
    // A shard has 2^17 elements.
    expect(verdict({ dimensions: [2, 1, 1, 2 ** 17] })).toBe('correct');
    expect(verdict({ dimensions: [2, 1, 1, 2 ** 17 - 1] })).toBe('over-capacity');
    expect(verdict({ dimensions: [1, 1, 1, 2 ** 17] })).toBe('over-capacity');
    expect(verdict({ stride: 2 ** 17 - 1 })).toBe('over-capacity');
    const waits = Math.max(...plan.ops.firstAfter.slice(1).map((end, o) => end - plan.ops.firstAfter[o]));
    expect(verdict({ counts: waits })).toBe('correct');
    expect(verdict({ counts: waits - 1 })).toBe('over-capacity');
  });

  it('refuses a fast memory that does not hold a unit of each staged chunk', () => {
    const algorithm = 'ring-allgather';
    const staging = (memory: number) => ({ algorithm, topology: { ...ddr, staging: { memory } } });
    const { plan } = compiled('allgather', 2 ** 20, { algorithm, topology: ddr, bulks: 1 }).bundle.proved;
    const chunks = Math.max(...plan.buffers.map(({ scratch }) => scratch));
    const few = staging(4 * chunks * 128 - 1);
    expect(() => compiled('allgather', 2 ** 20, few)).toThrow(
      `in chunks of 128 bytes or more; a memory of ${chunks / 2} KiB would`,
    );
    const enough = staging(4 * chunks * 128);
    const { proved } = compiled('allgather', 2 ** 20, enough).bundle;
    // One unit of each chunk at a time: as many bulks as a chunk has units.
    expect(proved.plan.bulks).toBe(2 ** 20 / 4 / proved.plan.collective.chunks / 128);
  });

  it('refuses messages outside the memory that links reach', () => {
    const { bundle } = compiled('allgather', 4096, { chunks: 1, bulks: 1 });
    const { plan } = bundle.proved;
    expect(judgePlan(plan, { load: { topology: ddr, size: 4096 } }).findings[0].message).toContain(
      'the fast memory alone',
    );
    const staged = compiled('allgather', 4096, { topology: ddr, chunks: 1, bulks: 1 }).bundle.proved;
    expect(judgePlan(staged.plan, { load: { topology: ddr, size: 4096 } }).verdict).toBe('correct');
  });
});

describe('limits in a topology file', () => {
  const fileWith = (chip: string) =>
    parseTopology(
      { name: 'm.yaml', text: `format: ccc-topology\nversion: 1\nname: m\nchips: 1\nchip: { ${chip} }\n` },
      { name: 'm', values: [] },
    );
  const all = 'ids: 512, counts: 127, dimensions: [65535, 65535, 2 ** 32 - 1, 2 ** 32 - 1], stride: 2 ** 32 - 1';

  it('are read, and are part of the digest', () => {
    const machine = fileWith(`message: { alignment: 128 B, ${all} }`);
    const dimensions = [65535, 65535, 4294967295, 4294967295];
    expect(machine.messages).toEqual({ alignment: 128, ids: 512, counts: 127, dimensions, stride: 4294967295 });
    const other = fileWith(`message: { alignment: 64 B, ${all} }`);
    expect(topologyDigest(machine)).not.toBe(topologyDigest(other));
    const sum = (types: string) =>
      fileWith(`reduce: { throughput: 1 GB/s, overlap: true, operators: { sum: [${types}] } }`);
    expect(sum('f16').nodes[0].reduce?.operators).toEqual({ sum: ['f16'] });
    expect(topologyDigest(sum('f16'))).not.toBe(topologyDigest(sum('f32')));
  });

  it.each([
    [`message: { alignment: 100 B, ${all} }`, 'message.alignment must be a multiple of 8 bytes'],
    ['message: { alignment: 128 B }', "limits of messages needs 'dimensions'"],
    [`message: { alignment: 128 B, ${all.replace('127', '0')} }`, 'message.counts must be from 1 to 4294967295, not 0'],
    [`message: { alignment: 128 B, ${all.replace('65535, ', '')} }`, 'expected four dimensions N, C, H, W, found 3'],
    [`message: { alignment: 128 B, ${all}, bits: 9 }`, "limits of messages has no 'bits'"],
    ['reduce: { throughput: 1 GB/s, overlap: true, operators: { add: [f16] } }', "has no 'add'"],
    ['reduce: { throughput: 1 GB/s, overlap: true, operators: { sum: [fp16] } }', "'fp16' is not an element type"],
  ])('%s is refused', (chip, message) => {
    expect(() => fileWith(chip)).toThrow(message);
  });
});

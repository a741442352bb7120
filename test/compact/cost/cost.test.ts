import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactLowerBound, simulateCompact } from '../../../src/compact/cost/index.ts';
import type { SymmetricTopology } from '../../../src/ir/compact.ts';
import { expandCompact } from '../../../src/ir/expand.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { simulate } from '../../../src/model/index.ts';
import { drawn } from '../../draw.ts';
import { programOf, withProgram } from '../edits.ts';
import {
  allgather,
  circulant,
  type LinkNumbers,
  layeredPlan,
  planFor,
  standardLink,
  torus,
  ways,
  wholeMachine,
} from '../machines.ts';

const size = 2 ** 20;

describe('time of a compact plan', () => {
  it('is that of the layers: one latency for each, and the bytes of a shard over the fullest link', () => {
    // Ring of 7: three layers of two shards, one each way.
    const ring = torus([7]);
    expect(simulateCompact(layeredPlan(ring), ring, size).seconds).toBeCloseTo(3 * (1e-6 + size / 7 / 1e10), 15);
    // 5x5: layers of 4, 8, 8, 4 shards over four links.
    const square = torus([5, 5]);
    expect(simulateCompact(layeredPlan(square), square, size).seconds).toBeCloseTo(4e-6 + (6 * size) / 25 / 1e10, 15);
  });

  it('moves every shard to everyone once', () => {
    const machine = torus([3, 4]);
    const cost = simulateCompact(layeredPlan(machine), machine, size);
    expect(cost.bytesMoved).toBeCloseTo(11 * size, 3);
    expect(cost.links.reduce((sum, { bytes }) => sum + bytes, 0)).toBeCloseTo((11 / 12) * size, 3);
    expect(cost.stretch).toBe(1);
  });

  const numbers: fc.Arbitrary<LinkNumbers> = fc.record({
    latency: fc.constantFrom(0, 1e-6, 3e-6),
    bandwidth: fc.constantFrom(1e9, 4e9, 1e10),
    occupancy: fc.constantFrom('blocking' as const, 'pipelined' as const),
    units: fc.constant(1),
  });
  const cases = fc.record({
    shape: fc.constantFrom([2], [5], [2, 2], [2, 3], [3, 3], [4, 2], [2, 2, 3]),
    links: fc.array(numbers, { minLength: 1, maxLength: 3 }),
    chunks: fc.integer({ min: 1, max: 3 }),
    bulks: fc.constantFrom(1, 2, 5),
    inPlace: fc.boolean(),
    inflight: fc.constantFrom(undefined, 0, 1, 2),
    copy: fc.constantFrom(undefined, { throughput: 1e9 }, { throughput: 1e11 }),
    // Two messages at a time over a link: the one on the other channel may have to wait.
    channels: fc.boolean(),
    reduce: fc.constantFrom(
      undefined,
      { throughput: 2e9, overlap: true },
      { throughput: 2e9, overlap: false },
      { throughput: 1e11, overlap: false },
    ),
    way: fc.constantFrom(...ways),
  });

  it('is that of the plan when it is written out, and so are its totals', () => {
    fc.assert(
      fc.property(cases, ({ shape, links, chunks, bulks, inPlace, inflight, copy, channels, reduce, way }) => {
        const machine: SymmetricTopology = { ...torus(shape, links), inflight, copy, reduce };
        const plain = planFor(way, machine, { chunks, bulks, inPlace });
        const plan = channels && way === 'allgather' ? onTwoChannels(plain) : plain;
        const compact = simulateCompact(plan, machine, size);
        const full = simulate(expandCompact(plan), new Routes(wholeMachine(machine)), size);
        expect(compact.seconds).toBeCloseTo(full.seconds, 12);
        expect(compact.messages).toBe(full.messages);
        expect(compact.bytesMoved).toBeCloseTo(full.bytesMoved, 2);
        expect(compact.bytesOnLinks).toBeCloseTo(full.bytesOnLinks, 2);
        expect(compact.stretch).toBe(full.stretch);
      }),
      drawn(150),
    );
  });

  it('is not told for chips with fewer ports than connections, nor for messages past the neighbours', () => {
    const machine = torus([4, 4]);
    const plan = layeredPlan(machine);
    const few = { ...machine, ports: { send: 4, receive: 1 } };
    expect(() => simulateCompact(plan, few, size)).toThrow('with a port for each of their 4 connections, not 1');
    const ring = { ...machine, generators: machine.generators.slice(0, 2) };
    expect(() => simulateCompact(plan, ring, size)).toThrow('has no link from chip 0 to chip');
  });
});

/** Every second message between two ranks goes over a channel and a lane of its own. */
function onTwoChannels(plan: ReturnType<typeof layeredPlan>): ReturnType<typeof layeredPlan> {
  const program = programOf(plan);
  const more = program.map((lane) => {
    const messages = lane.filter(({ peer }) => peer !== undefined);
    // Packing and unpacking would have to move along: only lanes of messages alone are split.
    if (messages.length < lane.length) return [];
    const moved = messages.filter((_, index) => index % 2 === 1);
    for (const line of moved) line.channel = 1;
    return moved;
  });
  const split = program.map((lane, id) => lane.filter((line) => !more[id].includes(line)));
  return withProgram(plan, [...split, ...more]);
}

describe('bounds of an allgather on a machine that looks the same from every chip', () => {
  const certificateOf = (machine: SymmetricTopology, kind: string, bytes = size) => {
    const ranks = machine.shape.reduce((product, extent) => product * extent, 1);
    const { certificates } = compactLowerBound(allgather(ranks, 1), machine, bytes);
    return certificates.filter((certificate) => certificate.kind === kind).map(({ seconds }) => seconds);
  };

  it('are the closed forms: diameter, spreading, cut around a chip', () => {
    const square = torus([8, 8]);
    expect(certificateOf(square, 'latency')[0]).toBeCloseTo(8e-6, 15);
    // Four messages at a time: 1, 5, 25, 125 ranks know.
    expect(certificateOf(square, 'spreading')[0]).toBeCloseTo(3e-6, 15);
    expect(certificateOf(square, 'cut')).toContainEqual(expect.closeTo(1e-6 + ((63 / 64) * size) / 4e10, 15));
  });

  it('add rounds and bytes where links block', () => {
    // r is 4 where links are alike: ⌈log₅ 64⌉ = 3. With one axis three times as fast it is 8: ⌈log₉ 64⌉ = 2.
    expect(certificateOf(torus([8, 8]), 'gathering')).toContainEqual(
      expect.closeTo(3e-6 + ((63 / 64) * size) / 4e10, 15),
    );
    const uneven = torus([8, 8], [{ ...standardLink, bandwidth: 3e10 }, standardLink]);
    expect(certificateOf(uneven, 'gathering')).toContainEqual(expect.closeTo(2e-6 + ((63 / 64) * size) / 8e10, 15));
    const pipelined = torus([8, 8], [{ ...standardLink, occupancy: 'pipelined' }]);
    // What is left is one pair: 8 links apart, and all four links of a chip lead nearer.
    expect(certificateOf(pipelined, 'gathering')).toEqual([]);
    expect(certificateOf(pipelined, 'pair')).toEqual([expect.closeTo(8e-6 + size / 64 / 4e10, 15)]);
  });

  it('add up the messages that follow one another round a ring', () => {
    // Ring of 6: five shards over two links, so three messages, and two and a half shards, over one of them.
    expect(certificateOf(torus([6]), 'row', 60_000)).toContainEqual(expect.closeTo(3e-6 + 25_000 / 1e10, 15));
    // Not round a circle with other links besides.
    const more = compactLowerBound(allgather(6, 1), circulant(6, [1, 2]), 60_000);
    expect(more.certificates.some(({ kind }) => kind === 'row')).toBe(false);
  });

  it('look at distance and bandwidth together', () => {
    // Ring of 5 and shards of 50 kB: two ranks are 2 µs away, so 100 kB have to come after that: 2 µs + 5 µs.
    const ring = torus([5]);
    expect(Math.max(...certificateOf(ring, 'distance', 250_000))).toBeCloseTo(1e-6 + 200_000 / 2e10, 15);
    // Shards of 1 kB: 2 µs + 0.1 µs is the better one.
    expect(certificateOf(ring, 'distance', 5000)).toContainEqual(expect.closeTo(2e-6 + 2000 / 2e10, 15));
    expect(Math.max(...certificateOf(ring, 'gathering', 5000))).toBeCloseTo(2e-6 + 4000 / 2e10, 15);
  });

  it('do not count on messages to start late where links are pipelined: a long route would prove it wrong', () => {
    const ring = torus([5], [{ ...standardLink, occupancy: 'pipelined' }]);
    expect(Math.max(...certificateOf(ring, 'distance', 5000))).toBeCloseTo(1e-6 + 4000 / 2e10, 15);
  });

  it('find the cut around the chips of a fast axis when the other is slow', () => {
    const machine = torus([4, 4], [{ ...standardLink, bandwidth: 1e8 }, standardLink]);
    // A row of 4 chips has 8 slow links; 12 shards have to come in.
    expect(Math.max(...certificateOf(machine, 'cut'))).toBeCloseTo(1e-6 + ((12 / 16) * size) / 8e8, 12);
  });

  it('take the longest way round on axes with different latencies', () => {
    const machine = torus([3, 4], [{ ...standardLink, latency: 5e-6 }, standardLink]);
    expect(certificateOf(machine, 'latency')[0]).toBeCloseTo(7e-6, 15);
  });

  it('count the work of a reducescatter, besides sending where the two exclude each other', () => {
    const collective = { ...allgather(9, 1), kind: 'reducescatter' as const };
    const bytes = (8 / 9) * size;
    const boundWith = (overlap: boolean) =>
      compactLowerBound(collective, { ...torus([3, 3]), reduce: { throughput: 5e9, overlap } }, size).seconds;
    expect(boundWith(true)).toBeCloseTo(1e-6 + bytes / 5e9, 12);
    expect(boundWith(false)).toBeCloseTo(1e-6 + bytes / 5e9 + bytes / 4e10, 12);
  });

  it('count what an allreduce sends in all, and reduces besides where the two exclude each other', () => {
    const collective = { ...allgather(9, 9), kind: 'allreduce' as const };
    const bytes = (8 / 9) * size;
    const boundWith = (overlap: boolean) =>
      compactLowerBound(collective, { ...torus([3, 3]), reduce: { throughput: 5e9, overlap } }, size).seconds;
    expect(boundWith(true)).toBeCloseTo(1e-6 + bytes / 5e9, 12);
    expect(boundWith(false)).toBeCloseTo(1e-6 + bytes / 5e9 + (2 * bytes) / 4e10, 12);
    expect(compactLowerBound(collective, torus([3, 3]), size).seconds).toBeCloseTo(1e-6 + (2 * bytes) / 4e10, 12);
    // One element, so to say: four steps along each axis of 8, with the vector once through a chip's links.
    const small = compactLowerBound({ ...allgather(64, 1), kind: 'allreduce' }, torus([8, 8]), 400);
    expect(small.seconds).toBeCloseTo(8e-6 + 400 / 4e10, 15);
  });

  it('find the slow axis of an allreduce', () => {
    const machine = torus([4, 4], [{ ...standardLink, bandwidth: 1e8 }, standardLink]);
    // Four rows, 32 slow links: six times the vector goes over these.
    const { seconds } = compactLowerBound({ ...allgather(16, 16), kind: 'allreduce' }, machine, size);
    expect(seconds).toBeCloseTo(1e-6 + (6 * size) / 32e8, 12);
  });

  it('count how far the items of an alltoall go', () => {
    const exchange = (ranks: number) => ({ ...allgather(ranks, 1), kind: 'alltoall' as const });
    // Ring of 8: 1 + 2 + 3 + 4 + 3 + 2 + 1 = 16 links for the items of a rank, over two links.
    expect(compactLowerBound(exchange(8), torus([8]), size).seconds).toBeCloseTo(1e-6 + (16 * size) / 8 / 2e10, 12);
    // 4 x 8 with one axis alone: 4 rows of those 16, over two links of a chip; the other axis has 8 rows of 4.
    const uneven = compactLowerBound(exchange(32), torus([4, 8]), size);
    expect(uneven.seconds).toBeCloseTo(1e-6 + (64 * size) / 32 / 2e10, 12);
  });

  it('are never beaten by a plan that reduces or exchanges', () => {
    for (const reduce of [undefined, { throughput: 5e9, overlap: true }, { throughput: 5e9, overlap: false }]) {
      for (const shape of [[2], [3], [2, 2], [3, 3], [4, 5], [2, 3, 4]]) {
        for (const bytes of [0, 1000, 1e6, 1e9]) {
          // A torus turned round is itself.
          const machine = { ...torus(shape), reduce };
          for (const way of ways) {
            const plan = planFor(way, machine);
            const bound = compactLowerBound(plan.collective, machine, bytes).seconds;
            expect(bound).toBeLessThanOrEqual(simulateCompact(plan, machine, bytes).seconds * (1 + 1e-12));
          }
        }
      }
    }
  });

  it('are never beaten by a plan, and met when there is one layer', () => {
    for (const shape of [[2], [3], [2, 2], [3, 3], [4, 5], [16, 16], [2, 3, 4]]) {
      for (const bytes of [0, 1000, 1e6, 1e9]) {
        const machine = torus(shape);
        const plan = layeredPlan(machine);
        const bound = compactLowerBound(plan.collective, machine, bytes).seconds;
        const { seconds } = simulateCompact(plan, machine, bytes);
        expect(bound).toBeLessThanOrEqual(seconds * (1 + 1e-12));
        if (shape.length === 1) expect(bound).toBeCloseTo(seconds, 12);
      }
    }
  });
});

/** The rules of time one by one, on plans small enough to work out by hand. α = 1 s and β = 8 bytes/s unless said otherwise. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/ir/plan.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { simulate } from '../../../src/model/index.ts';
import { full, line, link, machine, star, unlimited } from '../machines.ts';
import { collective, copy, direct, type Programs, plan, recv, recvReduce, reduce, send } from '../plans.ts';

/** One chunk is 8 bytes, so a message of n chunks takes α + n seconds. */
const chunk = 8;

/** Ranks with the given programs of a one-chunk broadcast. */
const make = (programs: Programs, bulks = 1): Plan => plan(collective('broadcast', programs.length), programs, bulks);
const seconds = (made: Plan, topology: Topology): number => simulate(made, new Routes(topology), chunk).seconds;

describe('links', () => {
  const twice = make([
    [[send(1)], [send(1, 1, { channel: 1 })]],
    [[recv(0)], [recv(0, 1, { channel: 1 })]],
  ]);

  it('block for the whole message', () => {
    expect(seconds(twice, line(2))).toBe(2 + 2);
  });

  it('let the next message in when the last byte of the one before is in, if they are pipelined', () => {
    expect(seconds(twice, line(2, { occupancy: 'pipelined' }))).toBe(1 + 2);
  });

  it('are all held by a message that crosses them, and cut through', () => {
    const across = make([[[send(2)]], [[send(2)]], [[recv(0)], [recv(1)]]]);
    // 0 → 2 takes 2α + 1 and holds 1 → 2 from the start; then 1 → 2 takes 2.
    expect(seconds(across, line(3))).toBe(3 + 2);
    // Pipelined, link 1 → 2 is held for one second only.
    expect(seconds(across, line(3, { occupancy: 'pipelined' }))).toBe(Math.max(3, 1 + 2));
  });

  it('of a route set its pace by the slowest, and pipelined ones are held as long as their own bandwidth says', () => {
    const links = [
      link(0, 1, { occupancy: 'pipelined', bandwidth: 8 }),
      link(1, 2, { occupancy: 'pipelined', bandwidth: 2 }),
    ];
    const both = make([[[send(2)], [send(1)]], [[recv(0)]], [[recv(0)]]]);
    // 0 → 2: 2 + 8/2 = 6. 0 → 1 enters at 1 and takes 2.
    const { links: use, seconds: total } = simulate(both, new Routes(machine(3, links)), chunk);
    expect(total).toBe(6);
    expect(use).toEqual([
      { link: 0, messages: 2, bytes: 16, busy: 2 },
      { link: 1, messages: 1, bytes: 8, busy: 4 },
    ]);
  });

  it('go to the first in program order: by step, then rank', () => {
    const rivals = (firstStep: number, secondStep: number): Plan =>
      make([
        [[send(3, 1, { step: firstStep })]],
        [[send(3, 1, { step: secondStep })]],
        [[recv(3)]],
        [[recv(0)], [recv(1), send(2)]],
      ]);
    // Both want link 2 → 3 at once. Rank 1's is of an earlier step: 1 → 3: 0–3, then 0 → 3: 3–7 beside 3 → 2: 3–5.
    expect(seconds(rivals(1, 0), line(4))).toBe(7);
    // Same step: rank 0 first, 0–4; then 1 → 3: 4–7; 3 → 2: 7–9.
    expect(seconds(rivals(0, 0), line(4))).toBe(9);
  });

  it('are taken by whoever can start, without waiting for those before them in program order', () => {
    // Rank 0's second message needs 1 → 2, which is busy until 3; rank 0 → 1 is free meanwhile for its third.
    const made = make([
      [[send(2, 1, { step: 1 })], [send(1, 1, { step: 2 })]],
      [[send(2, 2, { step: 0 })], [recv(0)]],
      [[recv(1)], [recv(0)]],
    ]);
    // 1 → 2: 0–3 (two chunks); 0 → 1: 0–2; 0 → 2: 3–6.
    expect(seconds(made, line(3))).toBe(6);
  });
});

describe('instants', () => {
  it('are one when they differ by rounding only', () => {
    // Both ranks are ready after 0.6 s, but 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1 in floating point: still rank 0 goes first.
    const late = [copy(1), copy(2), copy(3)];
    const made = make([
      [[...late, send(2, 1, { step: 3 })]],
      [[...late.toReversed(), send(2, 1, { step: 3 })]],
      [[recv(0), copy(20)], [recv(1)]],
    ]);
    const { seconds: total } = simulate(made, new Routes(star(3, { copy: 1 })), 0.1);
    // 0 → 2 takes 1 + 0.1/8, then rank 2 copies for 2 s, beside 1 → 2.
    expect(total).toBeCloseTo(0.6 + 1.0125 + 2, 9);
  });
});

describe('ports', () => {
  const everyone = direct(collective('alltoall', 4), 1, () => true);

  it('limit what a chip sends and receives at once', () => {
    const size = 4 * chunk;
    const time = (ports: { send: number; receive: number }) =>
      simulate(everyone, new Routes(full(4, { ports })), size).seconds;
    expect(time(unlimited)).toBe(2);
    expect(time({ send: 3, receive: 3 })).toBe(2);
    expect(time({ send: 1, receive: 3 })).toBeGreaterThanOrEqual(3 * 2);
    expect(time({ send: 3, receive: 1 })).toBeGreaterThanOrEqual(3 * 2);
  });

  it('are held for the whole message even on pipelined links', () => {
    const twice = make([
      [[send(1)], [send(1, 1, { channel: 1 })]],
      [[recv(0)], [recv(0, 1, { channel: 1 })]],
    ]);
    const pipelined = { occupancy: 'pipelined' as const };
    expect(seconds(twice, line(2, { ...pipelined, ports: { send: 1, receive: 2 } }))).toBe(4);
    expect(seconds(twice, line(2, { ...pipelined, ports: { send: 2, receive: 1 } }))).toBe(4);
    expect(seconds(twice, line(2, { ...pipelined, ports: { send: 2, receive: 2 } }))).toBe(3);
  });

  it('of chips on the way are not needed', () => {
    const through = make([[[send(2)], [recv(1)]], [[send(0)]], [[recv(0)]]]);
    expect(seconds(through, line(3, { ports: { send: 1, receive: 1 } }))).toBe(3);
  });
});

describe('channels', () => {
  /** Rank 0 sends three messages and then talks to rank 2; rank 1 is busy with a slow reduction before it receives. */
  const pressed = make([
    [[send(1), send(1), send(1), send(2)]],
    [[reduce(10), recv(0), recv(0), recv(0)]],
    [[recv(0)]],
  ]);
  const slow = { throughput: chunk, overlap: true };

  it.each([
    // Unbounded and 3: 0 → 2 starts at once. The last of 0 → 1 arrives at 6, rank 1 is free at 10.
    [undefined, 10],
    [3, 10],
    // One of them waits until rank 1 takes another at 10: 10–12, and 0 → 2 at 10 as well.
    [2, 12],
    // The first is taken at 10, the second 10–12, the third 12–14; 0 → 2 can go at 12.
    [1, 14],
    // Rendezvous: 10–12, 12–14, 14–16, and only then 0 → 2.
    [0, 18],
  ])('that hold %s messages keep the sender waiting', (inflight, expected) => {
    const topology = full(3, { reduce: slow, ...(inflight === undefined ? {} : { inflight }) });
    expect(seconds(pressed, topology)).toBe(expected);
  });

  it('deliver in order', () => {
    // The receiver posts its receives in turn; the second send waits for a copy and the third may not overtake it.
    const inOrder = make([
      [[copy(4)], [send(1), send(1, 1, { after: [[0, 0]] }), send(1, 3)]],
      [[recv(0), recv(0), recv(0, 3)]],
    ]);
    // 0–2; copy until 4; 4–6; 6–10.
    expect(seconds(inOrder, line(2, { copy: chunk }))).toBe(10);
  });

  it('that nothing feeds are a deadlock', () => {
    const circle = make([[[recv(1), send(1)]], [[recv(0), send(0)]]]);
    expect(() => seconds(circle, line(2))).toThrow('deadlock');
    expect(() => seconds(make([[[send(1)]], [[]]]), line(2))).toThrow('do not match');
  });
});

describe('engines', () => {
  it('copies are free, or take turns on the copy engine', () => {
    const copies = make([[[copy(2)], [copy(3)]]]);
    expect(seconds(copies, machine(1, []))).toBe(0);
    expect(seconds(copies, machine(1, [], { copy: 4 }))).toBe(10);
  });

  it('reductions take turns on the reduce engine, and copies go on beside them', () => {
    const work = make([[[reduce(2)], [reduce(3)], [copy(4)]]]);
    expect(seconds(work, machine(1, []))).toBe(0);
    expect(seconds(work, machine(1, [], { copy: chunk, reduce: { throughput: chunk, overlap: true } }))).toBe(5);
  });

  it('first come, first served', () => {
    // Lane 1 asks at 1, lane 2 at 0 (for 3 s), lane 0 at 2: served 2, 1, 0; lane 0's send starts at 3 + 1 + 1.
    const made = make([
      [[copy(2), reduce(1), send(1)], [recv(1), reduce(1)], [reduce(3)]],
      [[recv(0)], [send(0, 0)]],
    ]);
    const topology = line(2, { copy: chunk, reduce: { throughput: chunk, overlap: true } });
    expect(seconds(made, topology)).toBe(3 + 1 + 1 + 2);
  });

  it('a reduction without overlap waits for the chip to be quiet, and keeps it quiet', () => {
    // Rank 1 gets a chunk at 2 that it must reduce (4 s) while it receives from rank 2 until 4.
    const made = make([
      [[send(1)]],
      [[recvReduce(0)], [recv(2, 3)], [send(0, 1, { after: [[0, 0]] })]],
      [[send(1, 3)]],
    ]);
    const withLast = make([
      [[send(1)], [recv(1)]],
      [[recvReduce(0)], [recv(2, 3)], [send(0, 1, { after: [[1, 0]] })]],
      [[send(1, 3)]],
    ]);
    const reduceSlowly = (overlap: boolean) => line(3, { reduce: { throughput: 2, overlap } });
    // 2 → 1 is over at 4; reduce 4–8; 1 → 0 may start at 4 but must wait until 8.
    expect(seconds(withLast, reduceSlowly(false))).toBe(8 + 2);
    // Overlapping: reduce 2–6, 1 → 0: 4–6.
    expect(seconds(withLast, reduceSlowly(true))).toBe(6);
    expect(() => seconds(made, reduceSlowly(true))).toThrow('do not match');
  });
});

describe('bulks', () => {
  it('through a chain: N + k − 2 stages', () => {
    const passOn = make([[[send(1)]], [[recv(0), send(2)]], [[recv(1), send(3)]], [[recv(2)]]], 5);
    // A fifth of a chunk per bulk: 1 + 1/5 s per stage.
    expect(seconds(passOn, line(4))).toBeCloseTo((4 + 5 - 2) * 1.2, 9);
  });

  it('wait for what `after` names, so many bulks earlier', () => {
    // A one-deep staging buffer: the copy of bulk b waits for the send of bulk b − back to have left it.
    const staged = (back: number) =>
      make([[[copy(1, { after: [[1, 0, back]] })], [send(1, 1, { after: [[0, 0]] })]], [[recv(0)]]], 4);
    const topology = line(2, { copy: chunk, inflight: 0 });
    // Per bulk: copy 1/4, send 1 + 1/4. One copy of the buffer: in turn; two: the copies hide behind the sends.
    expect(seconds(staged(1), topology)).toBeCloseTo(4 * (0.25 + 1.25), 9);
    expect(seconds(staged(2), topology)).toBeCloseTo(0.25 + 4 * 1.25, 9);
  });
});

describe('the report', () => {
  it('counts messages and bytes, on links too', () => {
    const made = make([[[send(2), send(1)]], [[recv(0)]], [[recv(0)]]], 2);
    const report = simulate(made, new Routes(line(3)), chunk);
    expect(report).toMatchObject({ messages: 4, bytesMoved: 16, bytesOnLinks: 24, stretch: 1.5 });
    expect(report.links.map(({ messages }) => messages)).toEqual([4, 0, 2, 0]);
    // Two messages of half a chunk each: 0 → 2 holds for 2.5 s, 0 → 1 for 1.5 s.
    expect(report.links[0].busy).toBeCloseTo(2 * 2.5 + 2 * 1.5, 12);
  });

  it('of an empty plan is zero', () => {
    const report = simulate(make([[], []]), new Routes(line(2)), chunk);
    expect(report).toMatchObject({ seconds: 0, messages: 0, bytesMoved: 0, stretch: 0, criticalPath: [] });
  });

  it('names the operations that the end waited for', () => {
    // Rank 0's message to 2 waits for the link that 0 → 1 holds; rank 1's copy is not on the way.
    const made = make([[[send(1), send(2)]], [[recv(0), copy()]], [[recv(0), reduce()]]]);
    const topology = star(3, { reduce: { throughput: chunk, overlap: true } });
    const { criticalPath } = simulate(made, new Routes(topology), chunk);
    // Operations in order: 0 send, 1 send, 2 recv, 3 copy, 4 recv, 5 reduce.
    expect(criticalPath).toEqual([
      { operation: 0, bulk: 0, start: 0, end: 2 },
      { operation: 1, bulk: 0, start: 2, end: 4 },
      { operation: 4, bulk: 0, start: 4, end: 4 },
      { operation: 5, bulk: 0, start: 4, end: 5 },
    ]);
  });
});

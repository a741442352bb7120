/**
 * The rules of lanes one by one, on plans small enough to work out by hand. A chunk is 8 bytes: its lane needs o = 1 s and 8 / B = 2 s for it, a link
 * α = 1 s and 8 / β = 1 s, unless said otherwise.
 */
import { describe, expect, it } from 'vitest';
import type { LaneModel, LinkLane } from '../../../src/ir/lanes.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { type Topology, withTiming } from '../../../src/ir/topology.ts';
import { simulate } from '../../../src/model/index.ts';
import { timeline } from '../../../src/model/simulate/timeline.ts';
import { line, type Traits, unlimited } from '../machines.ts';
import { collective, copy, type Programs, plan, recv, recvReduce, reduce, send } from '../plans.ts';

const chunk = 8;
const lane: LaneModel = {
  overhead: 1,
  bandwidth: 4,
  visible: 1,
  slice: Number.POSITIVE_INFINITY,
  count: Number.POSITIVE_INFINITY,
  local: { overhead: 2, bandwidth: 8 },
};

const make = (programs: Programs, bulks = 1): Plan => plan(collective('broadcast', programs.length), programs, bulks);

/** A line of chips with pipelined links and these lanes. */
function lanes(chips: number, traits: Traits = {}, model: Partial<LaneModel> = {}): Topology {
  return withTiming(line(chips, { occupancy: 'pipelined', ...traits }), { lane: { ...lane, ...model } });
}

/** The same with links that a proxy sends on. */
function buffered(chips: number, of: Partial<LinkLane>, model: Partial<LaneModel> = {}): Topology {
  const made = lanes(chips, {}, model);
  const proxy = { buffered: true, gap: 0, bandwidth: Number.POSITIVE_INFINITY, ...of };
  return { ...made, links: made.links.map((link) => ({ ...link, lane: proxy })) };
}

const seconds = (made: Plan, topology: Topology, size = chunk): number =>
  simulate(made, new Routes(topology), size).seconds;
const two = (a: Programs[0], b: Programs[0], bulks = 1): Plan => make([a, b], bulks);

describe('a message', () => {
  const one = two([[send(1)]], [[recv(0)]]);

  it('takes its lane, its link and its receiver, who sees as much of it as the machine says', () => {
    // d = 1 + 2 = 3, arrival 4. Seen from 4 − 2 on: done at 4 + 1. Half of it, from 3 on: 3 + 2 + 1. Nothing: 4 + 2 + 1.
    expect(seconds(one, lanes(2))).toBe(5);
    expect(seconds(one, lanes(2, {}, { visible: 0.5 }))).toBe(6);
    expect(seconds(one, lanes(2, {}, { visible: 0 }))).toBe(7);
  });

  it('goes at the pace of its link where that is slower than the lane', () => {
    // d = 8/2 = 4, arrival 5.
    expect(seconds(one, lanes(2, { bandwidth: 2 }))).toBe(6);
  });

  it('has an overhead and a bandwidth of its own where it is long', () => {
    const long = { above: 8, overhead: 2, bandwidth: 2 };
    // 8 bytes are not more than 8: as before. 16 bytes: d = 2 + 8, arrival 11, done 13.
    expect(seconds(one, lanes(2, {}, { long }))).toBe(5);
    expect(seconds(one, lanes(2, {}, { long }), 16)).toBe(13);
  });

  it('waits for a receiver who comes late, and then takes the receiver all of its time', () => {
    // The copy before takes 2 + 72/8 = 11: 11 + 2 + 1.
    expect(seconds(two([[send(1)]], [[copy(9), recv(0)]]), lanes(2))).toBe(14);
  });

  it('has the launch before it', () => {
    expect(seconds(one, { ...lanes(2), launch: 10 })).toBe(15);
    expect(seconds(one, { ...line(2), launch: 10 })).toBe(10 + 2);
    expect(seconds(make([[], []]), { ...line(2), launch: 10 })).toBe(10);
  });

  it('of no bytes takes overheads and latency', () => {
    expect(seconds(one, lanes(2), 0)).toBe(1 + 1 + 1);
  });
});

describe('lanes of a chip', () => {
  const twice = two([[send(1)], [send(1, 1, { channel: 1 })]], [[recv(0)], [recv(0, 1, { channel: 1 })]]);

  it('share a link', () => {
    // With β = 4 the second enters at 2: d = max(3, 2 + 2) = 4, arrival 5, done 6. Alone each takes 5.
    expect(seconds(twice, lanes(2, { bandwidth: 4 }))).toBe(6);
    // Lanes that are slower than the link by half leave no mark on each other: 1 + 2 + 1 + 1.
    expect(seconds(twice, lanes(2, { bandwidth: 8 }))).toBe(5);
  });

  it('hold blocking links and ports until the message has arrived', () => {
    // 0–4, then d = max(3, 4 + 1) = 5, arrival 6, done 7.
    expect(seconds(twice, lanes(2, { occupancy: 'blocking' }))).toBe(7);
    expect(seconds(twice, lanes(2, { ports: { send: 1, receive: 2 } }))).toBe(7);
    expect(seconds(twice, lanes(2, { ports: { send: 2, receive: 1 } }))).toBe(7);
    expect(seconds(twice, lanes(2, { ports: unlimited }))).toBe(5);
  });

  it('begin their next operation when they have moved all bytes', () => {
    // Sends end at 3 and 6; arrivals 4 and 7; the receiver is done at 5, and then at max(7, 5 + 2) + 1.
    expect(seconds(two([[send(1), send(1)]], [[recv(0), recv(0)]]), lanes(2))).toBe(8);
  });
});

describe('a connection', () => {
  const pair = two([[send(1), send(1), copy()]], [[recv(0), recv(0)]]);

  it('has room again when the receive is done', () => {
    // With one place the second send is accepted at 5: d = 8, arrival 9, done 10; the copy ends at 8 + 3.
    expect(seconds(pair, lanes(2, { inflight: 1 }))).toBe(11);
    // With two: sends until 6, the copy until 9, the second receive at 8.
    expect(seconds(pair, lanes(2, { inflight: 2 }))).toBe(9);
  });

  it('without room brings sender and receiver together, until the receiver has all of it', () => {
    // The copy before the receive takes 11 s: the message begins there. d = 14, arrival 15, done 16, then the sender copies for 3.
    const late = two([[send(1), copy()]], [[copy(9), recv(0)]]);
    expect(seconds(late, lanes(2, { inflight: 0 }))).toBe(19);
    // The sender comes late: 11 + 5, and the receiver's copy.
    expect(seconds(two([[copy(9), send(1)]], [[recv(0), copy()]]), lanes(2, { inflight: 0 }))).toBe(19);
  });
});

describe('reductions and copies', () => {
  it('take their lane, and the engine of the chip where one is declared', () => {
    const local = two([[reduce()], [reduce()]], [[copy()]]);
    // 2 + 8/8 = 3 each, side by side; with an engine of 2 bytes/s 4 s one after the other; with one of 8 bytes/s 1 s, which does not show.
    expect(seconds(local, lanes(2))).toBe(3);
    expect(seconds(local, lanes(2, { reduce: { throughput: 2, overlap: true } }))).toBe(8);
    expect(seconds(local, lanes(2, { reduce: { throughput: 8, overlap: true } }))).toBe(3);
    expect(seconds(local, lanes(2, { copy: 1 }))).toBe(8);
  });

  it('follow the receive of a message that is reduced, whose place is free before', () => {
    const made = two([[send(1), send(1)]], [[recvReduce(0), recv(0)]]);
    // Received at 5, reduced at 8, then the second, which has been there since 7: 8 + 2 + 1.
    expect(seconds(made, lanes(2))).toBe(11);
    // With one place the second send begins at 5: d = 8, arrival 9, done at max(9, 8 + 2) + 1.
    expect(seconds(made, lanes(2, { inflight: 1 }))).toBe(11);
    // A receiver that sees nothing of what arrives: 9 + 2 + 1, beside 7 and 10 for the first.
    expect(seconds(made, lanes(2, { inflight: 1 }, { visible: 0 }))).toBe(7 + 3 + 1 + 2 + 1);
  });

  it('without overlap keep their chip from sending and receiving as long as they have the engine', () => {
    const made = two([[reduce()], [send(1)]], [[recv(0)]]);
    // The engine works until 4; the lane of the send is at it meanwhile: d = max(3, 4 + 1) = 5, arrival 6, done 7.
    expect(seconds(made, lanes(2, { reduce: { throughput: 2, overlap: false } }))).toBe(7);
    expect(seconds(made, lanes(2, { reduce: { throughput: 2, overlap: true } }))).toBe(5);
  });
});

describe('a proxy', () => {
  const pair = two([[send(1), send(1)]], [[recv(0), recv(0)]]);

  it('sends on while the lane goes on, one message of a connection after the other', () => {
    // First: enters at 1, through at max(3, 2), arrives at 4, done 5. Second: left at 6, enters at 1 + 10, through at 12, arrives at 13; seen from
    // max(11, 10) + 1 on: 12 + 2 + 1.
    expect(seconds(pair, buffered(2, { gap: 10 }))).toBe(15);
    // A proxy that sees nothing of what its lane leaves: enters at 3 and 13; through at 4 and 14, arrives at 5 and 15; done at 17 + 1.
    expect(seconds(pair, buffered(2, { gap: 10 }, { visible: 0 }))).toBe(18);
  });

  it('waits longer after large messages', () => {
    const rendezvous = { above: 7, gap: 5 };
    expect(seconds(pair, buffered(2, { gap: 10, rendezvous }))).toBe(20);
    expect(seconds(pair, buffered(2, { gap: 10, rendezvous: { above: 8, gap: 5 } }))).toBe(15);
  });

  it('has a bandwidth of its own for each connection', () => {
    const one = two([[send(1)]], [[recv(0)]]);
    // Enters at 1, through at 1 + 8/2 = 5, arrives at 6, done 7.
    expect(seconds(one, buffered(2, { bandwidth: 2 }))).toBe(7);
    // Two connections: the link is free for the second at 2, through at 6.
    const twice = two([[send(1)], [send(1, 1, { channel: 1 })]], [[recv(0)], [recv(0, 1, { channel: 1 })]]);
    expect(seconds(twice, buffered(2, { gap: 10, bandwidth: 2 }))).toBe(8);
  });

  it('needs room in its connection', () => {
    expect(() => seconds(pair, { ...buffered(2, { gap: 10 }), inflight: 0 })).toThrow('inflight of 1 at least');
  });
});

describe('slices', () => {
  const one = two([[send(1)]], [[recv(0)]]);
  const sliced = lanes(2, {}, { slice: chunk });

  it('of a chunk go through the program one after the other', () => {
    // Sends end at 3, 6, …, receives at 5, 8, …: 3 q + 2.
    expect(seconds(one, sliced, 2 * chunk)).toBe(8);
    expect(seconds(one, sliced, 16 * chunk)).toBe(50);
    // Of equal size: three for 2.5 slices, of 20/3 bytes each.
    expect(seconds(one, sliced, 2.5 * chunk)).toBeCloseTo(1 + 20 / 12 + 1 + 1 + 2 * (1 + 20 / 12), 12);
  });

  it('beyond sixteen follow in a line', () => {
    expect(seconds(one, sliced, 40 * chunk)).toBe(122);
    expect(seconds(one, sliced, 1e9 * chunk)).toBe(3e9 + 2);
  });

  it('are bulks of a timeline', () => {
    const { bulks, end } = timeline(one, new Routes(sliced), 3 * chunk);
    expect(bulks).toBe(3);
    expect(Math.max(...end)).toBe(11);
  });
});

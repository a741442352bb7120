/** Pipelines when they are full: simulated intervals, what resources and waits ask for, against closed forms. Times in seconds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { lower } from '../../../src/lower/index.ts';
import { greatestCycleRatio, type Precedences } from '../../../src/model/estimate/pipelines/cycle-ratio.ts';
import { minRecurrence } from '../../../src/model/estimate/pipelines/recurrence.ts';
import { bulkLoads, reductionOverlap, steadyState } from '../../../src/model/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../../src/read/index.ts';
import { drawn } from '../../draw.ts';
import { line, ring, star, type Traits } from '../machines.ts';
import { chainScan, collective, copy, plan, recv, ringAllgather, send } from '../plans.ts';

const alpha = 1;
const beta = 8;
const gamma = 4;

/** `bulks` messages of one chunk each from rank 0 to rank 1; M is `bytes`. */
const stream = (bulks: number) => plan(collective('broadcast', 2), [[[send(1)]], [[recv(0)]]], bulks);

/** Load of a resource by its kind and index. */
function loadsOf(...[given, machine, size]: [Parameters<typeof bulkLoads>[0], ReturnType<typeof line>, number]) {
  const loads = bulkLoads(given, new Routes(machine), size);
  return new Map(loads.map(({ kind, index, seconds }) => [`${kind} ${index}`, seconds]));
}

describe('what one bulk needs', () => {
  it('of blocking links is α + n/β per message, of pipelined ones n/β', () => {
    const allgather = ringAllgather(4);
    for (const [occupancy, each] of [
      ['blocking', alpha + 16 / beta],
      ['pipelined', 16 / beta],
    ] as const) {
      const loads = loadsOf(allgather, ring(4, { occupancy }), 64);
      // Three messages of M/4 each go over the link to the next rank.
      expect(loads.get('link 0')).toBeCloseTo(3 * each, 12);
      expect(loads.size).toBe(4);
    }
  });

  it('of ports is shared among as many as there are', () => {
    const loads = loadsOf(ringAllgather(4), star(4, { ports: { send: 2, receive: 1 } }), 64);
    // The route has one latency, on its uplink; ports are held until the message has arrived.
    expect(loads.get('send port 0')).toBeCloseTo((3 * (alpha + 2)) / 2, 12);
    expect(loads.get('receive port 0')).toBeCloseTo(3 * (alpha + 2), 12);
  });

  it('of chips that reduce with idle ports is all that they reduce and their busiest link', () => {
    const loads = loadsOf(chainScan(3), line(3, { reduce: { throughput: gamma, overlap: false } }), 8);
    expect(loads.get('chip 1')).toBeCloseTo(alpha + 8 / beta + 8 / gamma, 12);
    expect(loads.get('reduce engine 2')).toBeCloseTo(8 / gamma, 12);
    expect(loads.has('chip 0')).toBe(false);
  });

  it('of copy engines is what they copy', () => {
    const staged = plan(collective('broadcast', 2), [[[copy(1), send(1)]], [[recv(0), copy(1)]]]);
    expect(loadsOf(staged, line(2, { copy: 2 }), 8).get('copy engine 1')).toBeCloseTo(4, 12);
  });
});

describe('the time between bulks', () => {
  const steady = (given: ReturnType<typeof stream>, traits: Traits, size: number) => {
    const state = steadyState(given, new Routes(line(given.collective.ranks, traits)), size);
    if (state === undefined) throw new Error('too large');
    return state;
  };

  it('in a chain is what its links need', () => {
    const { interval, leastInterval, recurrence } = steady({ ...chainScan(5), bulks: 6 }, {}, 48);
    expect(interval).toBeCloseTo(alpha + 1, 12);
    expect(leastInterval).toBeCloseTo(alpha + 1, 12);
    expect(recurrence).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 20])(
    'over a long pipelined link is (α + n/β) / handshakes where %i messages are buffered',
    (inflight) => {
      const [latency, perMessage] = [10, 1];
      const { interval, leastInterval } = steady(stream(4), { latency, occupancy: 'pipelined', inflight }, 4 * beta);
      // Without a buffer a send ends when its message arrives.
      const expected = Math.max(perMessage, (latency + perMessage) / Math.max(1, inflight));
      expect(interval).toBeCloseTo(expected, 9);
      expect(leastInterval).toBeCloseTo(expected, 9);
    },
  );

  it('is a round trip shared among the bulks that may be under way', () => {
    // Rank 0 sends its next bulk only when the answer to the one `apart` bulks before has come.
    for (const apart of [1, 2, 3]) {
      const pingPong = plan(
        collective('allgather', 2),
        [
          [[send(1, 1, { after: [[1, 0, apart]] })], [recv(1)]],
          [[recv(0)], [send(0, 1, { after: [[0, 0]] })]],
        ],
        4,
      );
      const { interval, leastInterval, recurrence } = steady(
        pingPong,
        { latency: 10, occupancy: 'pipelined' },
        8 * beta,
      );
      const expected = (2 * (10 + 1)) / apart;
      expect(interval).toBeCloseTo(expected, 9);
      expect(leastInterval).toBeCloseTo(expected, 9);
      expect(recurrence).toBeCloseTo(expected, 9);
    }
  });

  it.each([
    ['in-order-pairwise-reducescatter', 'ring:4'],
    ['split-chain-reduce', 'line:5'],
  ])('is never less than what the busiest link works for each bulk: %s on %s', (schedule, machine) => {
    const ranks = Number(machine.split(':')[1]);
    const request = { ranks, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
    const made = instantiate(loadScheduleFile(schedule), { ...request, limits: defaultLimits });
    const routes = new Routes(resolveTopology(machine));
    const pipelined = lower(made, { bulks: 16, name: schedule });
    const state = steadyState(pipelined, routes, 2 ** 20);
    expect(state?.interval).toBeGreaterThanOrEqual(bulkLoads(pipelined, routes, 2 ** 20)[0].seconds);
  });

  it('is left open for plans of too many operations', () => {
    const long = plan(collective('broadcast', 2), [
      [Array.from({ length: 17_000 }, () => send(1))],
      [Array.from({ length: 17_000 }, () => recv(0))],
    ]);
    const routes = new Routes(line(2));
    expect(minRecurrence(long, routes, 8)).toBeUndefined();
    expect(steadyState({ ...long, bulks: 2 }, routes, 8)).toBeUndefined();
  });
});

describe('the greatest ratio of a cycle', () => {
  /** By trying all simple cycles. */
  function byTrial({ events, from, to, weight, bulks }: Precedences): number {
    let best = 0;
    const walk = (start: number, at: number, length: number, spanned: number, seen: ReadonlySet<number>): void => {
      for (let edge = 0; edge < from.length; edge++) {
        if (from[edge] !== at) continue;
        if (to[edge] === start) best = Math.max(best, (length + weight[edge]) / (spanned + bulks[edge]));
        else if (to[edge] > start && !seen.has(to[edge])) {
          walk(start, to[edge], length + weight[edge], spanned + bulks[edge], new Set([...seen, to[edge]]));
        }
      }
    };
    for (let start = 0; start < events; start++) walk(start, start, 0, 0, new Set([start]));
    return best;
  }

  it('is that of the best simple cycle', () => {
    const edge = fc.record({ a: fc.nat(4), b: fc.nat(4), weight: fc.nat(9), bulks: fc.integer({ min: 1, max: 3 }) });
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 9 }), (edges) => {
        const precedences: Precedences = {
          events: 5,
          from: edges.map(({ a }) => a),
          to: edges.map(({ b }) => b),
          weight: edges.map(({ weight }) => weight),
          // Whatever leads to a later event may happen in the same bulk.
          bulks: edges.map(({ a, b, bulks }) => (a < b ? bulks - 1 : bulks)),
        };
        expect(greatestCycleRatio(precedences)).toBeCloseTo(byTrial(precedences), 6);
      }),
      drawn(200),
    );
  });

  it('does not exist where a cycle spans no bulk', () => {
    const stuck = { events: 2, from: [0, 1], to: [1, 0], weight: [1, 1], bulks: [0, 0] };
    expect(() => greatestCycleRatio(stuck)).toThrow(/deadlock/);
  });
});

describe('reductions', () => {
  // 8 bytes per bulk: a message takes α + 1 = 2 s, and is reduced in 2 s.
  const overlapOf = (ranks: number, overlap: boolean, bulks: number) => {
    const machine = line(ranks, { reduce: { throughput: gamma, overlap } });
    return reductionOverlap({ ...chainScan(ranks), bulks }, new Routes(machine), 8 * bulks);
  };

  it('are hidden behind the next message where there is one', () => {
    const found = overlapOf(2, true, 5);
    expect(found?.reducing).toBeCloseTo(5 * 2, 12);
    expect(found?.hidden).toBeCloseTo(4 * 2, 12);
  });

  it('are told of the first chip that reduces longest: rank 1, which sends one bulk while it reduces the next', () => {
    const found = overlapOf(3, true, 5);
    expect(found?.node).toBe(1);
    expect(found?.hidden).toBeCloseTo(5 * 2, 12);
  });

  it('are not hidden where they keep the ports', () => {
    const found = overlapOf(3, false, 5);
    expect(found?.reducing).toBeCloseTo(5 * 2, 12);
    expect(found?.hidden).toBeCloseTo(0, 12);
  });

  it('are none where they take no time', () => {
    expect(reductionOverlap(chainScan(3), new Routes(line(3)), 8)).toBeUndefined();
  });
});

/** Bounds on how soon all ranks can have heard of one, held against the best of all ways to tell them one by one. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { Random } from '../../src/ir/random.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { testSeed } from '../draw.ts';
import { link, machine } from '../model/machines.ts';
import { collective } from '../model/plans.ts';

/** `ways[a][b]` is the Σα from rank a to rank b: chips have a link to each other, ways over others are no shorter. */
type Ways = readonly (readonly number[])[];

/** The least time in which rank 0 and whoever knows can tell all, `ports` at a time each: every tree of messages, in every order. */
function leastTime(ways: Ways, ports: number): number {
  let best = Number.POSITIVE_INFINITY;
  const search = (free: readonly (readonly [time: number, rank: number])[], untold: readonly number[], end: number) => {
    if (end >= best) return;
    if (untold.length === 0) best = end;
    const [next, ...others] = [...free].sort((a, b) => a[0] - b[0]);
    if (next === undefined || untold.length === 0) return;
    const [time, from] = next;
    for (const to of untold) {
      const told = time + ways[from][to];
      const more = Array.from({ length: ports }, () => [told, to] as const);
      const left = untold.filter((rank) => rank !== to);
      search([...others, [told, from], ...more], left, Math.max(end, told));
    }
    search(others, untold, end);
  };
  search(
    Array.from({ length: ports }, () => [0, 0] as const),
    ways.slice(1).map((_, index) => index + 1),
    0,
  );
  return best;
}

/** Chips with links to all others, which take many messages at a time, where ports are the limit. */
function portMachine(ways: Ways, ports: number): Topology {
  const links = ways.flatMap((row, a) =>
    row.flatMap((latency, b) => (a === b ? [] : [link(a, b, { latency, bandwidth: 1, occupancy: 'pipelined' })])),
  );
  return machine(ways.length, links, { ports: { send: ports, receive: ports } });
}

function turned(ways: Ways): Ways {
  return ways.map((row, a) => row.map((_, b) => ways[b][a]));
}

/** What the bound by spreading says of messages without bytes; its certificates are checked. */
function spreadingOf(kind: 'broadcast' | 'reduce', topology: Topology): number {
  const target = collective(kind, ranksOf(topology));
  const spreading = lowerBound(target, topology, 0).certificates.filter(
    ({ kind: of }) => of === 'spreading' || of === 'families',
  );
  for (const each of spreading) {
    expect(checkCertificate(each, target, topology, 0)).toBe(true);
    expect(checkCertificate({ ...each, seconds: each.seconds * 1.001 }, target, topology, 0)).toBe(false);
  }
  return spreading[0]?.seconds ?? 0;
}

/** Ways between chips in boxes: near ones inside, far ones between them. */
function boxes(sizes: readonly number[], near: () => number, far: () => number): Ways {
  const boxOf = sizes.flatMap((size, box) => new Array<number>(size).fill(box));
  return boxOf.map((box, a) => boxOf.map((other, b) => (a === b ? 0 : box === other ? near() : far())));
}

/** The same where ways over other chips are shorter. */
function closed(ways: Ways): Ways {
  const least = ways.map((row) => [...row]);
  for (const via of ways.keys()) {
    for (const row of least) {
      for (const [to, way] of row.entries()) row[to] = Math.min(way, row[via] + least[via][to]);
    }
  }
  return least;
}

describe('what one rank knows, told over ports', () => {
  it('is not known to all sooner than the bound says, on machines of any distances', () => {
    const random = new Random(testSeed + 5);
    let tight = 0;
    for (let attempt = 0; attempt < 60; attempt++) {
      const sizes = [[5], [2, 3], [3, 3], [2, 2, 2], [1, 4]][attempt % 5];
      const ports = 1 + random.below(2);
      const stretch = random.below(5);
      const ways = closed(
        boxes(
          sizes,
          () => 2 + random.below(3),
          () => 3 + stretch + random.below(2),
        ),
      );
      const topology = portMachine(ways, ports);
      const [told, heard] = [leastTime(ways, ports), leastTime(turned(ways), ports)];
      expect(spreadingOf('broadcast', topology)).toBeLessThanOrEqual(told);
      expect(spreadingOf('reduce', topology)).toBeLessThanOrEqual(heard);
      if (spreadingOf('broadcast', topology) === told) tight++;
    }
    expect(tight).toBeGreaterThan(5);
  });

  it.each([
    [[4, 4], 1, 1, 2],
    [[3, 3], 1, 1, 3],
    [[4, 3], 1, 2, 3],
    [[2, 2, 2], 1, 1, 2],
    [[3, 3], 2, 1, 3],
  ] as const)(
    'boxes of %j chips, %i ports, %i inside and %i between: within a step of the best way',
    (sizes, ports, near, far) => {
      const ways = boxes(
        sizes,
        () => near,
        () => far,
      );
      const best = leastTime(ways, ports);
      const bound = spreadingOf('broadcast', portMachine(ways, ports));
      expect(bound).toBeLessThanOrEqual(best);
      expect(bound).toBeGreaterThan(best - 1 - 1e-9);
    },
  );

  it('four boxes of four, twice as far from each other as inside: six steps, not five', () => {
    // Of four boxes at most three know something after three steps, so the last box hears after four; and two steps more pass until
    // one chip in it has told three, unless others come from outside, all of which are needed elsewhere.
    const ways = boxes(
      [4, 4, 4, 4],
      () => 1,
      () => 2,
    );
    expect(spreadingOf('broadcast', portMachine(ways, 1))).toBeCloseTo(6, 9);
  });

  it('neighbours are told first: on a ring of eight, 3 to the next and 1 more for each step farther', () => {
    const ways = Array.from({ length: 8 }, (_, a) =>
      Array.from({ length: 8 }, (_, b) => (a === b ? 0 : 2 + Math.min((a - b + 8) % 8, (b - a + 8) % 8))),
    );
    // 2 know after 3, 4 after 6, and of 8 the last is the third or later of the first, told after 3 + 3 + 4.
    expect(spreadingOf('broadcast', portMachine(ways, 1))).toBeCloseTo(10, 9);
  });
});

/** Links shared out among groups of ranks: closed forms, and that no link is given away twice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupMachine, routesForGroups } from '../../src/process-groups/link-shares.ts';
import { drawn } from '../draw.ts';
import { full, line, link, machine, ring } from '../model/machines.ts';
import { randomMachine } from '../model/random.ts';

describe('ways for groups', () => {
  it('halve the link that two pairs on a line share', () => {
    const topology = line(4, { latency: 2, bandwidth: 8 });
    const groups = [
      [0, 2],
      [1, 3],
    ];
    const ways = routesForGroups(topology, groups);
    expect(ways?.map((all) => all.map(({ bandwidth }) => bandwidth))).toEqual([
      [4, 4],
      [4, 4],
    ]);
    const shared = groupMachine(topology, groups[0], ways?.[0] ?? []);
    expect(shared?.topology.links.map(({ from, to, latency, bandwidth }) => [from, to, latency, bandwidth])).toEqual([
      [0, 1, 4, 4],
      [1, 0, 4, 4],
    ]);
    const [way] = shared?.waysBetween(1, 0) ?? [];
    expect(way.links.map((each) => topology.links[each].from)).toEqual([2, 1]);
  });

  it('lead round where that is better for all', () => {
    // Opposite pairs on a ring of four: over either neighbour, half of it each; every link has a quarter of all ways.
    const ways = routesForGroups(ring(4), [
      [0, 2],
      [1, 3],
    ]);
    for (const all of ways ?? []) {
      expect(all).toHaveLength(4);
      for (const { bandwidth } of all) expect(bandwidth).toBeCloseTo(4, 0);
    }
  });

  it('leave alone the chips that are in no group', () => {
    const ways = routesForGroups(ring(4), [[0, 1], [2]]) ?? [];
    expect(ways.flat().map(({ links }) => links.length)).toEqual([1, 1]);
    expect(
      routesForGroups(ring(4), [[0, 2], [1]])
        ?.flat()
        .every(({ links }) => links.length === 2),
    ).toBe(true);
    expect(routesForGroups(line(3), [[0, 2]])).toBeUndefined();
  });

  it('are none over links that lead one way, or to chips that cannot be reached', () => {
    const oneWay = machine(3, [link(0, 1), link(1, 2), link(2, 0)]);
    expect(routesForGroups(oneWay, [[0, 1, 2]])).toBeUndefined();
    const apart = machine(4, [link(0, 1), link(1, 0), link(2, 3), link(3, 2)]);
    expect(routesForGroups(apart, [[0, 2]])).toBeUndefined();
    expect(groupMachine(full(3), [0, 1, 2], [])).toBeUndefined();
  });

  it('give no link away twice, but for rounding', () => {
    const setting = fc.record({
      topology: randomMachine(6),
      chips: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      first: fc.integer({ min: 2, max: 4 }),
    });
    fc.assert(
      fc.property(setting, ({ topology, chips, first }) => {
        const links = topology.links.flatMap((each) => [each, { ...each, from: each.to, to: each.from }]);
        const ends = new Map(links.map((each) => [`${each.from} ${each.to}`, each]));
        const duplex = { ...topology, links: [...ends.values()] };
        const ways = routesForGroups(duplex, [chips.slice(0, first), chips.slice(first)]) ?? [];
        expect(ways).toHaveLength(2);
        const finest = Math.min(...duplex.links.map(({ bandwidth }) => bandwidth)) / 12;
        for (const [index, { bandwidth }] of duplex.links.entries()) {
          const over = ways.flat().filter((way) => way.links.includes(index));
          const given = over.reduce((sum, way) => sum + way.bandwidth, 0);
          expect(given).toBeLessThanOrEqual(bandwidth * 1.1 + (over.length * finest) / 2);
        }
      }),
      drawn(40),
    );
  });
});

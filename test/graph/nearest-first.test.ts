import { describe, expect, it } from 'vitest';
import { NearestFirst } from '../../src/graph/nearest-first.ts';
import { Random } from '../../src/ir/random.ts';
import { testSeed } from '../draw.ts';

describe('a search for what is nearest', () => {
  it('gives every place in reach once, in order of the least lengths that trying all ways finds', () => {
    const random = new Random(testSeed + 3);
    const places = 12;
    const search = new NearestFirst(places);
    for (let trial = 0; trial < 100; trial++) {
      const steps = Array.from({ length: 25 }, () => {
        return { from: random.below(places), to: random.below(places), length: random.below(5) };
      });
      const expected = new Array<number>(places).fill(Number.POSITIVE_INFINITY);
      const sources = [random.below(places), random.below(places)];
      for (const source of sources) expected[source] = 0;
      for (let round = 0; round < places; round++) {
        for (const { from, to, length } of steps) expected[to] = Math.min(expected[to], expected[from] + length);
      }
      search.clear();
      for (const source of sources) search.reach(source, 0);
      const given: number[] = [];
      for (let place = search.next(); place >= 0; place = search.next()) {
        given.push(place);
        for (const { from, to, length } of steps) if (from === place) search.reach(to, search.length[place] + length);
      }
      expect([...search.length]).toEqual(expected);
      expect(given.map((place) => expected[place])).toEqual(expected.filter(Number.isFinite).sort((a, b) => a - b));
      expect(new Set(given).size).toBe(given.length);
    }
  });

  it('says whether a way is the shortest so far, and can be left before its end', () => {
    const search = new NearestFirst(3);
    expect([search.reach(0, 2), search.reach(0, 2), search.reach(0, 1), search.reach(1, 5)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(search.next()).toBe(0);
    expect(search.reach(0, 0)).toBe(false);
    search.clear();
    expect([...search.length]).toEqual([Infinity, Infinity, Infinity]);
    expect(search.next()).toBe(-1);
  });
});

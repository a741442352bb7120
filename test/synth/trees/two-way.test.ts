/** Trees used both ways: as many as every partition of the ranks allows, and allreduces that are proved. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../src/cost/index.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { trees } from '../../../src/synth/trees/index.ts';
import { type Connection, packTwoWayTrees } from '../../../src/synth/trees/matroid-partition.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

/** All ways to put ranks into parts: `parts[rank]`, numbered in order of appearance. */
function partitions(ranks: number): number[][] {
  let all: number[][] = [[]];
  for (let rank = 0; rank < ranks; rank++) {
    all = all.flatMap((parts) => Array.from({ length: Math.max(-1, ...parts) + 2 }, (_, part) => [...parts, part]));
  }
  return all;
}

/** Tutte 1961, Nash-Williams 1961: k trees fit exactly if k(p − 1) connections run between the p parts of every partition. */
function fits(ranks: number, connections: readonly Connection[], count: number): boolean {
  return partitions(ranks).every((parts) => {
    const between = connections.filter(({ a, b }) => parts[a] !== parts[b]);
    return between.reduce((sum, { capacity }) => sum + capacity, 0) >= count * Math.max(...parts);
  });
}

const ranks = 5;
const connection = fc
  .tuple(fc.nat(ranks - 1), fc.nat(ranks - 1), fc.integer({ min: 1, max: 4 }))
  .filter(([a, b]) => a !== b)
  .map(([a, b, capacity]) => ({ a, b, capacity }));

describe('two-way trees', () => {
  it('are packed exactly where every partition has room for them', () => {
    fc.assert(
      fc.property(
        fc.array(connection, { minLength: 4, maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        (all, count) => {
          const forest = packTwoWayTrees(ranks, all, count);
          expect(forest !== undefined).toBe(fits(ranks, all, count));
          if (forest === undefined) return;
          const used = new Array<number>(all.length).fill(0);
          for (const tree of forest) {
            const part = Array.from({ length: ranks }, (_, rank) => rank);
            for (const index of tree) {
              used[index]++;
              const [from, to] = [part[all[index].a], part[all[index].b]];
              expect(from).not.toBe(to);
              for (const rank of part.keys()) if (part[rank] === from) part[rank] = to;
            }
            expect(tree.length).toBe(ranks - 1);
          }
          for (const [index, count] of used.entries()) expect(count).toBeLessThanOrEqual(all[index].capacity);
        },
      ),
      { numRuns: 400 },
    );
  });

  // In M per second: both directions of all connections together carry 2(N − 1) messages for every byte.
  it.each([
    ['line:8', 10],
    ['tree:7', 10],
    ['mesh:4x4', (24 * 10) / 15],
    ['dgx1', (24 * 25) / 7],
  ])('carry an allreduce on %s at the rate of all connections together', (name, gigabytesPerSecond) => {
    const topology = resolveTopology(name);
    const [n, size] = [topology.chips.length, 2 ** 30];
    const problem = problemFor(collectiveOf('allreduce', n, { inPlace: true }), topology, { size });
    const found = candidatesAmong(trees.propose(problem)).filter(
      (candidate) => candidate.name === 'packed trees, both ways',
    );
    expect(found.length).toBe(1);
    for (const bulks of [1, 3]) {
      const plan = lower(found[0].build(1), { bulks });
      expect(prove(plan, { topology }).verification.findings).toEqual([]);
      const { links } = simulate(plan, new Routes(topology), size);
      const busiest = Math.max(...links.map(({ link, bytes }) => bytes / topology.links[link].bandwidth));
      expect(size / busiest / 1e9).toBeCloseTo(gigabytesPerSecond, 6);
    }
  });
});

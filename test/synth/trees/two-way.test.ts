/** Trees used both ways: as many as every partition of the ranks allows, and allreduces that are proved. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { treesEngine } from '../../../src/synth/trees/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { link, machine } from '../../model/machines.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

describe('two-way trees', () => {
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
    const found = candidatesAmong(treesEngine.propose(problem)).filter(
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

  it('are not to be had where some chips are joined one way only', () => {
    // 0 and 2 both ways, and round over 1.
    const topology = machine(3, [link(0, 2), link(2, 0), link(2, 1), link(1, 0)]);
    const problem = problemFor(collectiveOf('allreduce', 3), topology, { size: 2 ** 30 });
    expect(reasonsAmong(treesEngine.propose(problem))).toContain(
      'connections both ways do not reach every chip, or there was no time',
    );
  });
});

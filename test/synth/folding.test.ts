/** Short reductions: gathered first, combined where they are needed. */
import { describe, expect, it } from 'vitest';
import type { Collective } from '../../src/ir/collective.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type Candidate, engines } from '../../src/synth/index.ts';
import { problemOn, provedSeconds } from './list/support.ts';
import { candidatesAmong } from './problems.ts';

function foldedOn(machine: string, kind: Collective['kind'], size: number, ordered = false): Candidate[] {
  const folding = engines.find(({ name }) => name === 'folding');
  const proposals = [...(folding?.propose(problemOn(machine, { kind, size, ordered })) ?? [])];
  return candidatesAmong(proposals);
}

describe('folding', () => {
  it.each(['allreduce', 'reduce', 'reducescatter', 'scan', 'exscan'] as const)(
    'makes a proved %s on machines of all kinds, of operators that need not commute',
    (kind) => {
      for (const machine of ['torus:3x3', 'switch:6', 'ring:5']) {
        const candidates = foldedOn(machine, kind, 72, true);
        expect(candidates.length).toBeGreaterThan(0);
        for (const candidate of candidates) {
          provedSeconds(candidate.build(1), machine, 72);
          provedSeconds(candidate.build(3), machine, 72);
        }
      }
    },
  );

  it('takes one latency per step of the machine and the bytes of all vectors', () => {
    // DGX-1: two steps; 7 vectors of 96 bytes come in over six links of 25 GB/s; then 7 reductions.
    const gathered = foldedOn('dgx1', 'allreduce', 96);
    const { nodes, chips, links } = resolveTopology('dgx1');
    const least = 2 * links[0].latency;
    const reducing = (7 * 96) / (nodes[chips[0]].reduce?.throughput ?? Number.POSITIVE_INFINITY);
    const seconds = Math.min(...gathered.map(({ build }) => provedSeconds(build(1), 'dgx1', 96)));
    expect(seconds).toBeGreaterThan(least);
    expect(seconds).toBeLessThan(least + (2 * 7 * 96) / (6 * links[0].bandwidth) + 2 * reducing + 1e-8);
  });

  it('is not proposed for long vectors, nor where nothing is reduced', () => {
    expect(foldedOn('dgx1', 'allreduce', 2 ** 30)).toEqual([]);
    expect(foldedOn('dgx1', 'allgather', 96)).toEqual([]);
  });
});

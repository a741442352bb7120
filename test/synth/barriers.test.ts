/** Barriers of allgathers of tokens, on machines where the least number of latencies is known. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { engines } from '../../src/synth/index.ts';
import { problemOn, provedSeconds, type Wanted } from './list/support.ts';
import { candidatesAmong } from './problems.ts';

const tokenBytes = 4;

function barriersOn(machine: string, wanted: Partial<Wanted> = {}) {
  const engine = engines.find(({ name }) => name === 'barriers');
  const problem = problemOn(machine, { kind: 'barrier', size: tokenBytes, ...wanted });
  return candidatesAmong([...(engine?.propose(problem) ?? [])]);
}

const firstLatency = ({ links }: Topology): number => links[0].latency;

describe('barriers', () => {
  // The farthest two chips must hear of each other, and with a link to each neighbour nothing else takes time.
  it.each([
    ['ring:9', 4],
    ['ring:16', 8],
    ['line:7', 6],
    ['mesh:3x4', 5],
    ['torus:4x4', 4],
    ['torus:3x4x5', 1 + 2 + 2],
    ['hypercube:4', 4],
    ['dgx1', 2],
    ['tree', 4],
  ])('on %s take the latencies of its diameter, %i', (machine, diameter) => {
    const latency = firstLatency(resolveTopology(machine));
    const times = barriersOn(machine).map((candidate) => provedSeconds(candidate.build(1), machine, tokenBytes));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(diameter * latency);
    expect(Math.min(...times)).toBeLessThan(1.01 * diameter * latency);
  });

  it('through switches with room for all take one way across', () => {
    // a100: 1 µs to a switch of the box and back; between boxes over the adapters 5 µs.
    const times = barriersOn('a100:2').map((candidate) => provedSeconds(candidate.build(1), 'a100:2', tokenBytes));
    expect(Math.min(...times)).toBeLessThan(5.01e-6);
  });

  it('are asked for barriers only', () => {
    expect(barriersOn('ring:4', { kind: 'allreduce' })).toEqual([]);
    expect(barriersOn('ring:4', { algorithm: 'dissemination' })).toEqual([]);
  });
});

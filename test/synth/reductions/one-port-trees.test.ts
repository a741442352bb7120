/** Reductions up edge-disjoint trees, in step: what chips with one port each take for as many blocks as suit the size. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../src/cost/index.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { waves } from '../../../src/synth/reductions/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

const name = 'edge-disjoint-trees-reduce, in step';
/** α, 1/β + 1/γ of the shipped switches. */
const [latency, perByte] = [1e-6, 1e-10 + 2e-11];
const mebibyte = 2 ** 20;

function candidateOn(topology: string, root: number, size: number) {
  const machine = resolveTopology(topology);
  const collective = collectiveOf('reduce', machine.chips.length, { root });
  const found = candidatesAmong(waves.propose(problemFor(collective, machine, { size })));
  return { machine, candidate: found.find((each) => each.name === name) };
}

describe('one-port trees', () => {
  it.each([
    ['switch:8', 0, mebibyte],
    ['switch:16', 5, mebibyte],
    ['switch:64', 0, 16 * mebibyte],
  ])('on %s with root %i take (L + C)(α + cM/C), least over the multiples C of L = log₂N', (topology, root, size) => {
    const { machine, candidate } = candidateOn(topology, root, size);
    if (candidate === undefined) throw new Error('as many ranks as a hypercube has');
    const plan = lower(candidate.build(1));
    expect(prove(plan, { topology: machine }).verification.verdict).toBe('correct');
    const height = Math.log2(machine.chips.length);
    const closedForm = (blocks: number) => (height + blocks) * (latency + (size * perByte) / blocks);
    const times = Array.from({ length: 500 }, (_, i) => closedForm(height * (i + 1)));
    expect(simulate(plan, new Routes(machine), size).seconds).toBeCloseTo(Math.min(...times), 9);
  });

  it.each(['switch:12', 'hypercube:3', 'routed-ring:8'])(
    'are not for %s: no hypercube, more links, or shared ones',
    (topology) => {
      expect(candidateOn(topology, 0, mebibyte).candidate).toBeUndefined();
    },
  );
});

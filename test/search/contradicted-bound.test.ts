/** A correct plan that is faster than a certified bound shows a bug in ccc: no result leaves, and a file reproduces it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { machineFacts, once } from '../../src/bounds/machine-facts.ts';
import { exitCodeOf, exitCodes, textOfError } from '../../src/cli/failure.ts';
import {
  ContradictedBound,
  prove,
  Routes,
  readPlan,
  resolveTopology,
  searchDefaults,
  searchPlan,
  simulate,
} from '../../src/index.ts';
import type { Certificate } from '../../src/ir/certificate.ts';
import { contradictedClaims, optimality } from '../../src/ir/report.ts';
import { withMaterialSaved } from '../../src/session/internal-error.ts';
import { tuneSizes } from '../../src/tune/tune.ts';
import { collectiveOf } from '../collectives.ts';

const collective = collectiveOf('allgather', 5);
const size = 2 ** 20;

/** A machine with a bound that plans do not keep to. */
function withUnsoundBound(seconds: number) {
  const topology = resolveTopology('ring:5');
  const unsound: Certificate = { kind: 'latency', seconds, reason: 'made up', witness: { from: 0, to: 1 } };
  once(machineFacts(topology), 'latency allgather 0', () => [unsound]);
  expect(lowerBound(collective, topology, size).seconds).toBe(seconds);
  return topology;
}

function contradictionIn(search: () => unknown): ContradictedBound {
  try {
    search();
  } catch (error) {
    if (error instanceof ContradictedBound) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

it('a search ends with an error that holds the plan, its time and the bound', () => {
  const topology = withUnsoundBound(1);
  const { contradiction, message } = contradictionIn(() =>
    searchPlan({ ...searchDefaults, collective, topology, size }),
  );
  expect(message).toMatch(/takes .* less than its certified lower bound of 1 s \(latency\)/);
  const { plan } = readPlan({ name: 'plan.json', text: contradiction.plan });
  expect(prove(plan, { topology }).proved).toBeDefined();
  expect(simulate(plan, Routes.of(topology), contradiction.size).seconds).toBe(contradiction.seconds);
  expect(contradiction.claims).toMatchObject([{ kind: 'latency', seconds: 1 }]);
  expect(contradiction.request).toMatchObject({ collective, size, dtype: 'f32', objective: 'time' });
});

it('the error leads to a file, which its message names, and to the exit code of bugs', () => {
  const topology = withUnsoundBound(1);
  const error = withMaterialSaved(contradictionIn(() => searchPlan({ ...searchDefaults, collective, topology, size })));
  expect(exitCodeOf(error)).toBe(exitCodes.bug);
  const path = /what reproduces this is in (\S+)$/.exec(textOfError(error).trim())?.[1] ?? '';
  const saved = JSON.parse(readFileSync(path, 'utf8'), (_, value) =>
    value === 'Infinity' ? Number.POSITIVE_INFINITY : value,
  );
  expect(saved).toMatchObject({ version: expect.stringMatching(/^\d/), topology: { name: 'ring:5' }, size });
  const { plan } = readPlan({ name: path, text: JSON.stringify(saved.plan) });
  expect(simulate(plan, new Routes(saved.topology), saved.size).seconds).toBe(saved.seconds);
  expect(saved.claims[0].seconds).toBeGreaterThan(saved.seconds);
});

it('searches for several sizes end likewise', () => {
  const topology = withUnsoundBound(1);
  const request = { ...searchDefaults, collective, topology, sizes: [size], tolerance: 0.01 };
  expect(() => tuneSizes(request)).toThrow(ContradictedBound);
});

it('rounding contradicts nothing', () => {
  const bound = { seconds: 2, certificates: [{ kind: 'made up', seconds: 2, reason: '' }] };
  expect(contradictedClaims(bound, 1)).toEqual(bound.certificates);
  expect(contradictedClaims(bound, 2 * (1 - 1e-12))).toEqual([]);
  expect(optimality(2, 2 * (1 - 1e-12))).toBe(1);
});

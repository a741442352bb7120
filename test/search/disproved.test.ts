/** A bound that says more than a plan takes is a bug: it is dropped and told, and costs nobody the plan. */
import { expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { machineFacts, once } from '../../src/bounds/machine-facts.ts';
import { disprovedTexts } from '../../src/cli/disproved.ts';
import { boundDocument } from '../../src/cli/plan-document.ts';
import { planJson, resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import type { Certificate } from '../../src/ir/certificate.ts';
import { bestValidBound, optimality } from '../../src/ir/report.ts';
import { collectiveOf } from '../collectives.ts';

const collective = collectiveOf('allgather', 5);
const size = 2 ** 20;

/** A machine of which a bound is known that no plan keeps to. */
function withUnsoundBound(seconds: number) {
  const topology = resolveTopology('ring:5');
  const unsound: Certificate = { kind: 'latency', seconds, reason: 'made up', witness: { from: 0, to: 1 } };
  once(machineFacts(topology), 'latency allgather 0', () => [unsound]);
  expect(lowerBound(collective, topology, size).seconds).toBe(seconds);
  return topology;
}

it('an unsound bound is left out, the next best stands, and a warning asks for a report', () => {
  const sound = searchPlan({ ...searchDefaults, collective, topology: resolveTopology('ring:5'), size });
  const topology = withUnsoundBound(1);
  const found = searchPlan({ ...searchDefaults, collective, topology, size });
  const { bound, cost, proved } = found.bundle;
  expect(proved.plan).toEqual(sound.bundle.proved.plan);
  expect(bound.seconds).toBe(sound.bundle.bound.seconds);
  expect(bound.certificates[0].kind).not.toBe('latency');
  expect(bound.disproved).toMatchObject([{ kind: 'latency', seconds: 1 }]);
  expect(disprovedTexts(bound.disproved).join()).toMatch(
    /^a bound \(latency\) says that no plan takes less than 1 s, .* Please report this/,
  );
  expect(disprovedTexts(sound.bundle.bound.disproved)).toEqual([]);
  expect(boundDocument(bound, cost.seconds)).toMatchObject({ disproved: [{ kind: 'latency' }] });
  expect(JSON.parse(planJson(found.bundle)).bound).toEqual(JSON.parse(planJson(sound.bundle)).bound);
  expect(found.explain()[0].status).toBe('chosen');
});

it('where no bound is left, none stands', () => {
  const certificate = { kind: 'made up', seconds: 2, reason: '' };
  const bound = { seconds: 2, certificates: [certificate] };
  expect(bestValidBound(bound, 1)).toEqual({ seconds: 0, certificates: [], disproved: [certificate] });
  expect(bestValidBound(bound, 2 * (1 - 1e-12))).toBe(bound);
  expect(optimality(2, 2 * (1 - 1e-12))).toBe(1);
});

/** What a candidate in one bulk is expected to take in as many as suit it, and how deep pipelines may be. Times are closed forms. */
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import {
  type EvaluatedCandidate,
  type EvaluationRequest,
  evaluateCandidate,
  Pipelines,
  tune,
} from '../../../src/search/evaluate/index.ts';
import { libraryEngine } from '../../../src/synth/index.ts';
import { problemOn } from '../../synth/list/support.ts';

const ranks = 6;
const size = 2 ** 26;
const topology = resolveTopology(`line:${ranks}`);
const routes = new Routes(topology);
const [{ latency, bandwidth }] = topology.links;

/** A chain over N chips, whose links are taken for all of a message: (N − 2 + k)(α + M/kβ). */
const chainTime = (bulks: number): number => (ranks - 2 + bulks) * (latency + size / bulks / bandwidth);
const leastChainTime = (): number => Math.min(...Array.from({ length: 4096 }, (_, k) => chainTime(k + 1)));
/** Of a chain; out of place the root copies the message as well. */
const operations = 2 * (ranks - 1) + 1;

function request(changes: Partial<EvaluationRequest> = {}): EvaluationRequest {
  const problem = problemOn(topology, { kind: 'broadcast', size });
  return { ...problem, topology, bulks: 'auto', effort: 'quick', ...changes };
}

function chain(asked: EvaluationRequest): EvaluatedCandidate {
  const problem = problemOn(topology, { kind: 'broadcast', size, algorithm: 'chain-broadcast' });
  const [proposal] = libraryEngine.propose(problem);
  if (proposal?.kind !== 'candidate') throw new Error('there is a chain');
  const outcome = evaluateCandidate(proposal.candidate, asked, routes, Number.POSITIVE_INFINITY);
  if (outcome.kind !== 'priced') throw new Error('it is correct');
  return outcome;
}

const estimateOf = (single: EvaluatedCandidate, asked: EvaluationRequest) =>
  new Pipelines(single, asked, routes).estimate('quick');

describe('the estimate of what tuning makes of a chain', () => {
  it('is its time in the number of bulks that suits it', () => {
    const single = chain(request());
    expect(single.cost.seconds).toBeCloseTo(chainTime(1), 12);
    expect(estimateOf(single, request()) / leastChainTime()).toBeCloseTo(1, 6);
  });

  it('is its time in as many bulks as may be simulated, where more would suit', () => {
    const asked = request({ limits: { ...defaultLimits, operations: 9 * operations } });
    expect(estimateOf(chain(asked), asked)).toBeCloseTo(chainTime(9), 12);
  });

  it('is told from the first bulks of a pipeline, which are counted', () => {
    let simulated = 0;
    const onSimulated = (count: number) => {
      simulated += count;
    };
    const asked = request({ onSimulated });
    // What bulks after the first ones take is how far apart these are.
    const tuned = new Pipelines(chain(asked), asked, routes).tuned('quick');
    expect(tuned.cost.seconds / leastChainTime()).toBeCloseTo(1, 6);
    expect(simulated).toBeGreaterThan(0);
    expect(simulated).toBeLessThan(100 * operations);
  });

  it('is what its busiest link carries where the number of bulks is given', () => {
    const given = request({ bulks: 3 });
    expect(estimateOf(chain(given), given)).toBeCloseTo(3 * latency + size / bandwidth, 12);
  });

  it('is what it takes where it keeps in step', () => {
    const single = chain(request());
    const inStep = { ...single, schedule: { ...single.schedule, inStep: true as const } };
    expect(estimateOf(inStep, request())).toBe(single.cost.seconds);
  });
});

describe('a pipeline', () => {
  it('has no more operations in all than may be simulated, and all that were are told', () => {
    let simulated = 0;
    const onSimulated = (count: number) => {
      simulated += count;
    };
    const deep = tune(chain(request()), request({ onSimulated }), routes, Number.POSITIVE_INFINITY);
    const shallow = tune(
      chain(request()),
      request({ limits: { ...defaultLimits, operations: 100 } }),
      routes,
      Number.POSITIVE_INFINITY,
    );
    expect(deep.checked.plan.bulks * operations).toBeGreaterThan(100);
    expect(shallow.checked.plan.bulks).toBe(Math.floor(100 / operations));
    expect(shallow.cost.seconds).toBeCloseTo(chainTime(Math.floor(100 / operations)), 12);
    // Three bulks are the least that tell how a pipeline goes on.
    expect(simulated).toBeGreaterThan(3 * operations);
  });
});

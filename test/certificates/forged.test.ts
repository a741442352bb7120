/** No certificate that claims more than a plan takes is believed. */
import { describe, expect, it } from 'vitest';
import { judgeCertificate } from '../../src/certificates/index.ts';
import { Random } from '../../src/ir/random.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';
import { testFactor, testSeed } from '../draw.ts';
import { full, line } from '../model/machines.ts';
import { believed, drawnProblem, enumeratedProblem, type Problem } from './forgeries.ts';
import { optimum } from './optima.ts';

it('certificates at random claim no more than plans take', () => {
  const random = new Random(testSeed);
  const elsewhere: unknown[] = [];
  for (let drawn = 0; drawn < 24 * testFactor; drawn++) {
    const problem = drawnProblem(random);
    if (problem === undefined) continue;
    const { collective, topology, size, seconds, honest } = problem;
    for (const certificate of honest) {
      expect(certificate).toMatchObject({ seconds: expect.toSatisfy((claimed) => claimed <= seconds * (1 + 1e-9)) });
      expect(judgeCertificate(certificate, collective, topology, size)).toBe('certified');
    }
    expect(believed(problem, elsewhere.slice(-100), 250, random), told(problem)).toEqual([]);
    elsewhere.push(...honest);
  }
});

it('nor more than the least time of all plans in whole chunks, where it is known by trying them', () => {
  const random = new Random(testSeed + 1);
  const elsewhere: unknown[] = [];
  let known = 0;
  for (let drawn = 0; drawn < 45 * testFactor; drawn++) {
    const problem = enumeratedProblem(random);
    if (problem === undefined) continue;
    known++;
    const exceeding = problem.honest.filter(({ seconds }) => seconds > problem.seconds * (1 + 1e-9));
    expect(exceeding, told(problem)).toEqual([]);
    expect(believed(problem, elsewhere.slice(-100), 250, random), told(problem)).toEqual([]);
    elsewhere.push(...problem.honest);
  }
  expect(known).toBeGreaterThan(10);
});

it.each([
  // Two hops; two halves behind each other over two hops; one message from each to each, of a shard or of all.
  ['broadcast', 1, 2 * (1 + 96 / 8)],
  ['broadcast', 2, 3 * (1 + 48 / 8)],
  ['allgather', 1, 1 + 32 / 8],
  ['allreduce', 1, 1 + 96 / 8],
] as const)('the least time of a %s in %i chunks is found', (kind, chunks, seconds) => {
  expect(optimum(collectiveOf(kind, 3), kind === 'broadcast' ? line(3) : full(3), 96, chunks, { most: 20_000 })).toBe(
    seconds,
  );
});

function told({ collective, topology, size, seconds }: Problem): string {
  return JSON.stringify({ collective, topology, size, seconds });
}

it.each([
  ['spans', 'allreduce', { lengths: new Array(1024).fill(1) }],
  ['distances', 'alltoall', { lengths: Array.from({ length: 1024 }, (_, link) => (link % 2) * 2 ** (link % 29)) }],
  ['spreading', 'broadcast', { direction: 'out', hub: 0 }],
  ['cut', 'alltoall', { inside: [0], sources: [0], targets: Array.from({ length: 511 }, (_, rank) => rank + 1) }],
] as const)('%s of 512 ranks are looked at', (kind, of, witness) => {
  const certificate = { kind, seconds: 1e9, reason: '', witness };
  expect(judgeCertificate(certificate, collectiveOf(of, 512), resolveTopology('ring:512'), 1024)).toBe('refused');
});

describe('lengths of links, of an alltoall that moves nothing,', () => {
  const ranks = 4;
  const pairs = Array.from({ length: ranks ** 2 }, (_, pair) => pair);
  const toItself = pairs.map((pair) => (Math.floor(pair / ranks) === pair % ranks ? 7 : 0));
  const lengths = [0, 5e-324, 1, 1e9, 1e10, 1e300, Number.POSITIVE_INFINITY, Number.NaN];
  const claimed = [5e-324, 1e-12, 1, 1e250, 1e308];

  it.each([
    ['no bytes from any rank', ranks, pairs.map(() => 0), [0, 1, 2 ** 40, 1e200, 1e308]],
    ['bytes of each rank for itself', ranks, toItself, [0, 1, 2 ** 40, 1e200, 1e308]],
    ['a size of nothing', ranks, undefined, [0]],
    ['one rank', 1, undefined, [0, 1, 2 ** 40, 1e308]],
  ] as const)('prove nothing: %s', (_, count, counts, sizes) => {
    for (const topology of [line(count), full(count)]) {
      const asked = collectiveOf('alltoall', count, counts === undefined ? {} : { counts });
      const judged = (['distances', 'spans', 'stretches'] as const).flatMap((kind) =>
        lengths.flatMap((length) =>
          claimed.flatMap((seconds) => {
            const witness = { lengths: topology.links.map(() => length) };
            return sizes.map((size) => judgeCertificate({ kind, seconds, reason: '', witness }, asked, topology, size));
          }),
        ),
      );
      expect(new Set(judged)).toEqual(new Set(['refused']));
    }
  });
});

it('what takes more than a limit of work is not', () => {
  const certificate = { kind: 'stretches', seconds: 1e9, reason: '', witness: { lengths: new Array(2048).fill(1) } };
  const found = judgeCertificate(certificate, collectiveOf('scan', 1024), resolveTopology('ring:1024'), 1024);
  expect(found).toBe('too much work');
});

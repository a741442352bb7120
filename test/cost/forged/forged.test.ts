/** No certificate that claims more than a plan takes is believed; forged-long.ts goes on with others. */
import { expect, it } from 'vitest';
import { judgeCertificate } from '../../../src/cost/index.ts';
import { Random } from '../../../src/ir/random.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { believed, drawnProblem, type Problem } from './forgeries.ts';

it('certificates at random claim no more than plans take', () => {
  const random = new Random(Number(process.env.CCC_TEST_SEED ?? 1));
  const elsewhere: unknown[] = [];
  for (let drawn = 0; drawn < 24; drawn++) {
    const problem = drawnProblem(random);
    if (problem === undefined) continue;
    const { collective, topology, size, seconds, honest } = problem;
    for (const certificate of honest) {
      expect(certificate).toMatchObject({ seconds: expect.toSatisfy((claimed) => claimed <= seconds * (1 + 1e-9)) });
      expect(judgeCertificate(certificate, collective, topology, size)).toBe('certified');
    }
    expect(believed(problem, elsewhere.slice(-100), 250, random), describe(problem)).toEqual([]);
    elsewhere.push(...honest);
  }
});

function describe({ collective, topology, size, seconds }: Problem): string {
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

it('what takes more than a limit of work is not', () => {
  const certificate = { kind: 'stretches', seconds: 1e9, reason: '', witness: { lengths: new Array(2048).fill(1) } };
  const found = judgeCertificate(certificate, collectiveOf('scan', 1024), resolveTopology('ring:1024'), 1024);
  expect(found).toBe('too much work');
});

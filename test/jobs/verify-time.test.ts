/** `ccc verify` simulates a plan again whose document states a time, and says so where that is not what it takes. */
import { describe, expect, it } from 'vitest';
import { json } from '../../src/emit/index.ts';
import { type CollectiveKind, resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { formatSeconds } from '../../src/ir/units.ts';
import { verifyText } from '../../src/jobs/verify-file.ts';
import { withoutParts } from '../../src/read/index.ts';

interface Document {
  readonly cost: { readonly seconds: number };
  readonly bound: { readonly optimality: number };
  readonly topology: object;
}

function documentOf(kind: CollectiveKind, topo: string): Document {
  const [base, ...parts] = topo.split(' --without ');
  const topology = withoutParts(resolveTopology(base), parts);
  const collective = { kind, ranks: topology.chips.length, chunks: 1, root: 0, op: 'sum' } as const;
  const asked = { collective: { ...collective, ordered: false, inPlace: false }, topology, size: 2 ** 20 };
  const { bundle } = searchPlan({ ...searchDefaults, ...asked, engine: 'library' });
  return JSON.parse([...json.emit(bundle)].join(''));
}

async function verificationOf(document: object) {
  const request = { op: 'sum', root: 0, ordered: false, inPlace: false, bitwise: false, parameters: {} } as const;
  const source = { name: 'plan.json', text: JSON.stringify(document) };
  const { verdicts } = await verifyText(source, { ...request, limits: defaultLimits });
  return verdicts[0].verification;
}

describe('the time in a plan', () => {
  it.each([
    ['allgather', 'ring:4'],
    ['allreduce', 'sg2260x4'],
    ['alltoall', 'a100:2'],
    ['reduce', 'mesh:2x3'],
    ['allgather', 'dgx1 --without link:0-1 --without chip:3'],
  ] as const)('%s on %s is simulated again', async (kind, topo) => {
    const { verdict, proved, findings } = await verificationOf(documentOf(kind, topo));
    expect([verdict, findings]).toEqual(['correct', []]);
    expect(proved.at(-1)).toMatch(/ for 1 MiB of f32 on .+ \(simulated; size, dtype and topology from the plan\)$/);
  });

  it('is a warning where it is another', async () => {
    const document = documentOf('allgather', 'ring:2');
    const stated = { ...document, cost: { ...document.cost, seconds: document.cost.seconds * 0.999 } };
    const { verdict, proved, findings } = await verificationOf(stated);
    expect(verdict).toBe('correct');
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ['warning', expect.stringMatching(/its document says .*; simulated, it takes /)],
    ]);
    expect(proved.at(-1)).toContain(`takes ${formatSeconds(document.cost.seconds)} `);
  });

  it('is a warning where the distance from the bound is made up', async () => {
    const document = documentOf('allreduce', 'dgx1');
    const { verdict, findings } = await verificationOf({ ...document, bound: { ...document.bound, optimality: 0.99 } });
    expect(verdict).toBe('correct');
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/says 0\.99 of the bound; by its own bound and time it is 0\./),
    ]);
  });

  it('is a warning where it is less than the bound that is claimed', async () => {
    const document = documentOf('allgather', 'ring:2');
    const bound = { seconds: document.cost.seconds * 2, optimality: 1 };
    const { verdict, findings } = await verificationOf({ ...document, bound });
    expect(verdict).toBe('correct');
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(/no plan takes less than/),
    });
  });

  it('is left alone where the machine is not known', async () => {
    const document = documentOf('allgather', 'ring:4');
    const renamed = { ...document, topology: { ...document.topology, name: 'of-my-own' }, cost: { seconds: 1 } };
    const { proved, findings } = await verificationOf(renamed);
    expect(findings).toEqual([]);
    expect(proved.some((line) => line.startsWith('time:'))).toBe(false);
  });
});

/** `ccc verify` recomputes the bound that a plan states, and believes nothing that the plan's certificate does not prove. */
import { describe, expect, it } from 'vitest';
import { compileCompact } from '../../src/compact/compile.ts';
import { resolveSymmetricTopology } from '../../src/compact/machine/resolve.ts';
import { compactPlanText } from '../../src/compact/plan-json.ts';
import { json } from '../../src/emit/index.ts';
import { type CollectiveKind, resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import type { SymmetricTopology } from '../../src/ir/compact.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { compactVerification } from '../../src/jobs/compact.ts';
import { type VerifyRequest, verifyText } from '../../src/jobs/verify-file.ts';
import { readAnyPlan } from '../../src/read/plan/index.ts';
import { collectiveOf } from '../collectives.ts';

function planText(kind: CollectiveKind, topo: string): string {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective = collectiveOf(kind, ranks);
  const { bundle } = searchPlan({ ...searchDefaults, engine: 'library', collective, topology, size: 2 ** 20 });
  return [...json.emit(bundle)].join('');
}

async function verdict(text: string, topology?: Topology) {
  const request: VerifyRequest = {
    ...{ op: 'sum', root: 0, ordered: false, inPlace: false, bitwise: false, parameters: {} },
    ...{ limits: defaultLimits, topology },
  };
  const { verdicts } = await verifyText({ name: 'plan.json', text }, request);
  return verdicts[0].verification;
}

/** The text with its bound changed. */
function altered(text: string, change: (bound: Record<string, unknown>) => unknown): string {
  const document = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ ...document, bound: change(document.bound as Record<string, unknown>) });
}

describe('the bound in a plan', () => {
  it.each([
    ['allgather', 'ring:4'],
    ['allreduce', 'dgx1'],
    ['alltoall', 'torus:2x3'],
    ['broadcast', 'switch:5'],
    ['reducescatter', 'sg2260x4'],
  ] as const)('%s on %s is certified on the machine that it names', async (kind, topo) => {
    const { verdict: found, proved } = await verdict(planText(kind, topo));
    expect(found).toBe('correct');
    expect(proved.some((line) => line.startsWith('bound: certified'))).toBe(true);
  });

  it('is refused where it claims more than its certificate proves', async () => {
    const text = planText('allgather', 'ring:4');
    const raised = await verdict(altered(text, (bound) => ({ ...bound, seconds: Number(bound.seconds) * 1.01 })));
    expect(raised.verdict).toBe('malformed');
    expect(raised.findings[0].message).toMatch(/does not prove/);
    const foreign = { kind: 'spans', seconds: 1e-4, reason: '', witness: { lengths: [1] } };
    expect((await verdict(altered(text, () => ({ seconds: 1e-4, certificate: foreign })))).verdict).toBe('malformed');
  });

  it.each([
    // Of a price beyond any number nothing is left but rounding.
    ['allreduce', 'ring:4', { kind: 'stopped-links', witness: { direction: 'out', price: 1e308 } }],
    ['reducescatter', 'ring:4', { kind: 'stopped-links', witness: { direction: 'out', price: -1 } }],
    ['allgather', 'ring:4', { kind: 'latency', witness: { from: 0, to: 30_000_000 } }],
    ['allgather', 'ring:4', { kind: 'latency', witness: { from: 0, to: 1e160 } }],
    ['allgather', 'ring:4', { kind: 'latency', witness: { from: 0.5, to: 1 } }],
    ['allgather', 'ring:4', { kind: 'gathering', witness: { direction: 'in', rank: 1e9 } }],
    ['allgather', 'ring:4', { kind: 'cut', witness: { inside: [1e9], sources: [1e9], targets: [0] } }],
    ['broadcast', 'switch:5', { kind: 'relay', witness: { root: 2 ** 53, direction: 'out', chips: [1] } }],
    [
      'broadcast',
      'switch:5',
      { kind: 'families', witness: { direction: 'out', hub: 0, apart: 1, unit: 1e-300, prices: [0] } },
    ],
    ['allreduce', 'dgx1', { kind: 'spans', witness: { lengths: new Array(16).fill(1e308) } }],
    ['allreduce', 'dgx1', { kind: 'first-hand', witness: { rank: 1e9, contributors: [1] } }],
  ] as const)('%s on %s: %j is no proof, whatever numbers it has', async (kind, topo, forged) => {
    const certificate = { ...forged, seconds: 1, reason: '' };
    const found = await verdict(altered(planText(kind, topo), () => ({ seconds: 1, certificate })));
    expect([found.verdict, found.findings[0].message]).toEqual(['malformed', expect.stringMatching(/does not prove/)]);
  });

  it('that cannot be read is a warning', async () => {
    for (const certificate of ['yes', {}, { kind: 'hope', seconds: 1, witness: {} }, { kind: 'latency', seconds: 1 }]) {
      const { verdict: found, findings } = await verdict(
        altered(planText('allgather', 'ring:4'), (bound) => ({ ...bound, certificate })),
      );
      expect([found, findings[0].severity]).toEqual(['correct', 'warning']);
    }
  });

  it('is left alone where the machine is another, or is not known', async () => {
    const text = planText('allgather', 'ring:4');
    const certified = async (changed: string, topology?: Topology) =>
      (await verdict(changed, topology)).proved.some((line) => line.startsWith('bound:'));
    expect(await certified(text, resolveTopology('ring:4'))).toBe(true);
    expect(await certified(text, resolveTopology('line:4'))).toBe(false);
    expect(await certified(text.replace('"name":"ring:4"', '"name":"/etc/hostname"'))).toBe(false);
    expect(await certified(text.replace('"name":"ring:4"', '"name":"ring:x"'))).toBe(false);
  });
});

describe('the bound in a compact plan', () => {
  const text = (kind: 'allgather' | 'reducescatter', topology: SymmetricTopology) => {
    const ranks = topology.shape.reduce((product, extent) => product * extent, 1);
    const collective = collectiveOf(kind, ranks);
    const request = { topology, size: 2 ** 20, dtype: 'f32', bulks: 'auto', limits: defaultLimits } as const;
    return [...compactPlanText(compileCompact({ ...request, collective }).bundle)].join('');
  };
  const torus = resolveSymmetricTopology('torus:4x6');

  it.each(['allgather', 'reducescatter'] as const)('%s is certified on the machine that it names', async (kind) => {
    const { verdict: found, proved } = await verdict(text(kind, torus));
    expect(found).toBe('correct');
    expect(proved).toContainEqual(expect.stringMatching(/^bound: certified .* on torus:4x6$/));
  });

  it('is refused where it claims more than its certificate proves', async () => {
    const raised = altered(text('allgather', torus), (bound) => ({ ...bound, seconds: Number(bound.seconds) * 1.01 }));
    const { verdict: found, findings } = await verdict(raised);
    expect(found).toBe('malformed');
    expect(findings[0].message).toMatch(/does not prove/);
  });

  it('is left alone where the machine has other numbers than the one of its name', async () => {
    const faster = { ...torus, generators: torus.generators.map((g) => ({ ...g, bandwidth: 2 * g.bandwidth })) };
    const { verdict: found, proved } = await verdict(text('allgather', faster));
    expect(found).toBe('correct');
    expect(proved.some((line) => line.startsWith('bound:'))).toBe(false);
    const own = { limits: defaultLimits };
    const document = readAnyPlan({ name: 'plan.json', text: text('allgather', faster) }, own);
    if (!('compact' in document)) throw new Error('not a compact plan');
    const bounds = (machine: SymmetricTopology) =>
      compactVerification(document, machine, own).proved.filter((line) => line.startsWith('bound:'));
    expect(bounds(faster)).toEqual([expect.stringMatching(/^bound: certified/)]);
    expect(bounds(torus)).toEqual([]);
  });
});

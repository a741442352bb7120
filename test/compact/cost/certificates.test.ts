/** Certificates of compact plans: each is recomputed from what one chip sees, and none proves more than it says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactLowerBound, judgeCompactCertificate } from '../../../src/compact/cost/index.ts';
import type { Collective } from '../../../src/ir/collective.ts';
import type { SymmetricTopology } from '../../../src/ir/compact.ts';
import { TranslationGroup } from '../../../src/ir/translation-group.ts';
import { drawn } from '../../draw.ts';
import { allgather, torus } from '../machines.ts';

const size = 2 ** 20;

const checkCompactCertificate = (...asked: Parameters<typeof judgeCompactCertificate>): boolean =>
  judgeCompactCertificate(...asked) === 'certified';

function turned(machine: SymmetricTopology): SymmetricTopology {
  const group = new TranslationGroup(machine.shape);
  const generators = machine.generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  return { ...machine, generators, ports: { send: machine.ports.receive, receive: machine.ports.send } };
}

/** All certificates for a machine, with the collective that they are about. */
type Kind = 'allgather' | 'reducescatter' | 'allreduce' | 'alltoall';

function certificatesOf(machine: SymmetricTopology, kind: Kind) {
  const ranks = machine.shape.reduce((product, extent) => product * extent, 1);
  const collective = { ...allgather(ranks, 1), kind };
  const seen = kind === 'reducescatter' ? turned(machine) : machine;
  return { collective, certificates: compactLowerBound(collective, seen, size).certificates };
}

describe('certificates of compact plans', () => {
  const machines = fc.record({
    shape: fc.constantFrom([1], [2], [5], [6], [2, 2], [2, 3], [3, 3], [4, 2], [2, 2, 3]),
    links: fc.array(
      fc.record({
        latency: fc.constantFrom(1e-6, 3e-6),
        bandwidth: fc.constantFrom(1e9, 4e9, 1e10),
        occupancy: fc.constantFrom('blocking' as const, 'pipelined' as const),
        units: fc.constant(1),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    send: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
    receive: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
    reduce: fc.constantFrom(undefined, { throughput: 2e9, overlap: true }, { throughput: 2e9, overlap: false }),
    // Only links that go up: both directions are then told apart.
    oneWay: fc.boolean(),
    kind: fc.constantFrom<Kind[]>('allgather', 'reducescatter', 'allreduce', 'alltoall'),
  });

  it('are recomputed, and prove no hundredth more', () => {
    fc.assert(
      fc.property(machines, ({ shape, links, send, receive, reduce, oneWay, kind }) => {
        const whole: SymmetricTopology = { ...torus(shape, links), ports: { send, receive }, reduce };
        const group = new TranslationGroup(shape);
        const up = whole.generators.filter(({ offset }) => offset <= group.negate(offset));
        const machine = oneWay ? { ...whole, generators: up } : whole;
        const { collective, certificates } = certificatesOf(machine, kind);
        for (const certificate of certificates) {
          expect(checkCompactCertificate(certificate, collective, machine, size), certificate.reason).toBe(true);
          const more = { ...certificate, seconds: certificate.seconds * 1.01 + 1e-9 };
          expect(checkCompactCertificate(more, collective, machine, size), certificate.reason).toBe(false);
        }
      }),
      drawn(150),
    );
  });

  it('say on a one-way ring who is far from whom', () => {
    const ring = torus([7]);
    const oneWay = { ...ring, generators: ring.generators.filter(({ offset }) => offset === 1) };
    for (const [kind, witness] of [
      ['allgather', { from: 1, to: 0 }],
      ['reducescatter', { from: 0, to: 6 }],
    ] as const) {
      const { certificates } = certificatesOf(oneWay, kind);
      const latency = certificates.find((certificate) => certificate.kind === 'latency');
      expect(latency?.witness).toEqual(witness);
      expect(latency?.seconds).toBeCloseTo(6e-6, 15);
    }
  });

  it('are refused for other machines, other collectives, and with witnesses that are none', () => {
    const machine = torus([4, 4]);
    const { collective, certificates } = certificatesOf(machine, 'allgather');
    const [best] = certificates;
    const holds = (certificate: unknown, other = machine, target: Collective = collective) =>
      checkCompactCertificate(certificate, target, other, size);
    expect(holds(best)).toBe(true);
    expect(holds(best, torus([4, 5]))).toBe(false);
    for (const kind of ['broadcast', 'allreduce', 'reduce'] as const) {
      expect(holds(best, machine, { ...collective, kind })).toBe(false);
    }
    const fewer = { ...machine, generators: machine.generators.map((g) => ({ ...g, bandwidth: 2 * g.bandwidth })) };
    expect(holds(best, fewer)).toBe(false);
    const claims = [
      { kind: 'latency', witness: { from: 1, to: 99 } },
      { kind: 'latency', witness: {} },
      { kind: 'cut', witness: { axes: [0, 0] } },
      { kind: 'cut', witness: { axes: [7] } },
      { kind: 'cut', witness: { axes: [0, 1] } },
      { kind: 'row', witness: {} },
      { kind: 'distance', witness: { distance: 1 } },
      { kind: 'spreading', witness: { direction: 'up' } },
      { kind: 'reductions', witness: {} },
      { kind: 'pair', witness: { from: 3, to: 3 } },
      { kind: 'messages', witness: { direction: 'out' } },
      { kind: 'distances', witness: { lengths: [1, 1, 1, 1] } },
    ];
    for (const claim of claims) expect(holds({ ...claim, seconds: 1e-9, reason: '' })).toBe(false);
  });

  it('of distances on pipelined links hold only from the first link on', () => {
    const pipelined = torus([9], [{ latency: 1e-6, bandwidth: 1e9, occupancy: 'pipelined', units: 1 }]);
    const collective = allgather(9, 1);
    const at = (distance: number) => {
      const certificate = { kind: 'distance', seconds: 1e-6, reason: '', witness: { distance } };
      return checkCompactCertificate(certificate, collective, pipelined, size);
    };
    expect(at(1e-6)).toBe(true);
    expect(at(2e-6)).toBe(false);
  });
});

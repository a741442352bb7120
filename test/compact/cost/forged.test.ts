/** The same of compact plans: no certificate at random claims more than the best plan takes on the machine written out. */
import { expect, it } from 'vitest';
import { judgeCompactCertificate } from '../../../src/compact/cost/index.ts';
import { searchDefaults, searchPlan } from '../../../src/index.ts';
import type { CompactWitnesses } from '../../../src/ir/certificate.ts';
import type { SymmetricTopology } from '../../../src/ir/compact.ts';
import { Random } from '../../../src/ir/random.ts';
import { collectiveOf } from '../../collectives.ts';
import { testSeed } from '../../draw.ts';
import { torus, wholeMachine } from '../machines.ts';

const random = new Random(testSeed);
const oneOf = <Item>(items: readonly Item[]): Item => items[random.below(items.length)];

function drawnMachine(): SymmetricTopology {
  const shape = oneOf([[2], [3], [4], [5], [2, 2], [2, 3], [3, 3]]);
  const link = () => ({
    ...{ latency: oneOf([1, 1, 2, 4]), bandwidth: oneOf([1, 2, 8]), units: 1 },
    occupancy: oneOf(['blocking', 'blocking', 'pipelined'] as const),
  });
  const most = () => oneOf([1, 2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  const reduce = oneOf([undefined, { throughput: 2, overlap: true }, { throughput: 2, overlap: false }]);
  return { ...torus(shape, [link(), link()]), ports: { send: most(), receive: most() }, reduce };
}

type Draw = (machine: SymmetricTopology) => unknown;
const rank: Draw = ({ shape }) => random.below(shape.reduce((product, extent) => product * extent, 1));
const direction: Draw = () => oneOf(['out', 'in']);

const witnesses: Readonly<Record<keyof CompactWitnesses, Readonly<Record<string, Draw>>>> = {
  ...{ trivial: {}, gathering: {}, row: {}, reductions: {}, 'stopped-links': {} },
  latency: { from: rank, to: rank },
  pair: { from: rank, to: rank },
  spreading: { direction },
  distance: { distance: () => random.below(20) / 2 },
  cut: { axes: ({ shape }) => [...shape.keys()].filter(() => random.below(2) === 0) },
  distances: { lengths: ({ generators }) => generators.map(() => oneOf([0, 1, 1, 2, 1000])) },
  messages: { direction },
};
const strange = [0, -1, 0.5, 1e9, 1e308, Number.NaN, null, '1', [], [0, 0], [9], [1e308, 1, 1, 1], {}];

it('certificates at random claim no more than plans take', () => {
  for (let drawn = 0; drawn < 20; drawn++) {
    const machine = drawnMachine();
    const whole = wholeMachine(machine);
    const kind = oneOf(['allgather', 'reducescatter', 'allreduce', 'alltoall'] as const);
    const collective = collectiveOf(kind, whole.chips.length);
    const size = oneOf([1, 12, 96, 1000]);
    const { seconds } = searchPlan({ ...searchDefaults, collective, topology: whole, size, effort: 'quick' }).bundle
      .cost;
    for (let forged = 0; forged < 200; forged++) {
      const of = oneOf(Object.keys(witnesses));
      const draws = Object.entries(witnesses[of as keyof CompactWitnesses]);
      const fields = draws.map(([name, draw]) => [name, random.below(4) === 0 ? oneOf(strange) : draw(machine)]);
      const claimed = seconds * oneOf([1 + 1e-6, 1 + 1e-6, 2, 1e200, Number.POSITIVE_INFINITY]);
      const certificate = { kind: of, seconds: claimed, reason: '', witness: Object.fromEntries(fields) };
      const found = judgeCompactCertificate(certificate, collective, machine, size);
      expect(found, JSON.stringify({ certificate, kind, size, machine })).not.toBe('certified');
    }
  }
});

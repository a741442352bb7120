/** What must cross a cut of a custom collective: as much as of the named collective that it spells out, and never more than some plan sends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { bytesBetween } from '../../src/bounds/needs.ts';
import { valuesBetween } from '../../src/certificates/demands.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { questionOf } from '../../src/certificates/question.ts';
import type { Collective } from '../../src/ir/collective.ts';
import { customResults } from '../../src/ir/custom-results.ts';
import { Routes } from '../../src/ir/routes.ts';
import { jointCollective, lower, sideBySide } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { listShipped, loadScheduleFile } from '../../src/read/index.ts';
import { drawn } from '../draw.ts';
import { full, line, ring, star } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { claims, scheduleOf } from '../seeds/library.ts';

const ranks = 5;
const everyone = Array.from({ length: ranks }, (_, rank) => rank);
const kinds = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const),
  ...(['scatter', 'gather', 'alltoall', 'scan', 'exscan'] as const),
];

/** The same collective as a condition without a name. */
function spelledOut(named: Collective): Collective {
  return jointCollective([{ collective: named, group: everyone }], ranks);
}

describe('a named collective spelled out', () => {
  it.each(kinds)('%s: has the same values to pass, over every cut', (kind) => {
    for (const root of kind === 'scan' || kind === 'exscan' ? [0] : [0, 3]) {
      const named = collective(kind, ranks, 2, root);
      const custom = spelledOut(named);
      for (let cut = 1; cut < 2 ** ranks - 1; cut++) {
        const sources = everyone.filter((rank) => (cut >> rank) % 2 === 1);
        const targets = everyone.filter((rank) => (cut >> rank) % 2 === 0);
        // Rank 0 gets nothing of an exscan: then the least source is below the greatest target all the same.
        const bytes = bytesBetween(named, 120, sources, targets);
        expect(bytesBetween(custom, 120, sources, targets), `${kind}, from ${sources}`).toBeCloseTo(bytes, 9);
        expect(120 * valuesBetween(questionOf(custom, line(ranks), 1), new Set(sources), targets)).toBeCloseTo(
          bytes,
          9,
        );
      }
    }
  });
});

describe('sums of parts', () => {
  const custom = (results: readonly (readonly number[])[]): Collective => {
    const slots = results.map((contributors) => contributors.map((rank) => ({ rank, chunk: 0 })));
    const inputs = { input: [1, 1, 1, 1, 0], output: [0, 0, 0, 0, slots.length] };
    return { ...collective('custom', ranks), custom: { ...inputs, results: customResults([[], [], [], [], slots]) } };
  };
  const across = (results: readonly (readonly number[])[], sources: readonly number[]): number =>
    (bytesBetween(custom(results), 60, sources, [4]) / 60) * Math.max(1, results.length);

  it.each([
    ['one sum', [[0, 1, 2, 3]], [0, 1], 1],
    [
      'the same sum twice',
      [
        [0, 1],
        [0, 1],
      ],
      [0, 1],
      1,
    ],
    [
      'two sums that share nothing',
      [
        [0, 1],
        [2, 3],
      ],
      [0, 1, 2, 3],
      2,
    ],
    [
      'sums that share a part elsewhere',
      [
        [0, 3],
        [1, 3],
      ],
      [0, 1],
      2,
    ],
    ['a sum and its parts', [[0, 1], [0], [1]], [0, 1], 2],
    ['nothing of the sources', [[2, 3]], [0, 1], 0],
  ] as const)('are counted for %s', (_, results, sources, values) => {
    expect(across(results, sources)).toBeCloseTo(values, 9);
  });
});

describe('bounds of several groups', () => {
  const names = listShipped('schedules').filter((name) => !/-(barrier|custom)$/.test(name));
  const machines = [ring, line, star, full];

  it('are checked, and no plan is faster', () => {
    const setting = fc.record({
      name: fc.constantFrom(...names),
      sizes: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 })),
      chips: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
      machine: fc.constantFrom(...machines),
      reduce: fc.constantFrom(undefined, { throughput: 4, overlap: false }),
    });
    fc.assert(
      fc.property(setting, ({ name, sizes: [m, n], chips, machine, reduce }) => {
        fc.pre(claims(name, m) && claims(name, n));
        const kind = loadScheduleFile(name).collective;
        const topology = machine(7, { latency: 2, bandwidth: 16, ...(reduce === undefined ? {} : { reduce }) });
        const groups = [chips.slice(0, m), chips.slice(m, m + n)];
        const parts = groups.map((group) => ({ plan: lower(scheduleOf(name, group.length)), group }));
        const joint = sideBySide(parts, 7, name);
        const seconds = simulate(joint, new Routes(topology), 8400).seconds;
        const coarse = groups.map((group) => ({ collective: collective(kind, group.length), group }));
        const bound = lowerBound(jointCollective(coarse, 7), topology, 8400);
        expect(bound.seconds).toBeLessThanOrEqual(seconds * (1 + 1e-9));
        for (const certificate of bound.certificates) {
          expect(checkCertificate(certificate, joint.collective, topology, 8400), certificate.reason).toBe(true);
        }
      }),
      drawn(120),
    );
  });
});

/** Certificates with lengths: whatever the lengths and the price, none proves more than a plan takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCertificate, simulate } from '../../../src/cost/index.ts';
import type { Certificate } from '../../../src/ir/report.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { lower, sideBySide } from '../../../src/lower/index.ts';
import { claims, scheduleOf } from '../../seeds/library.ts';
import { line, link, machine, ring } from '../machines.ts';
import { collective } from '../plans.ts';

const schedules = ['ring-allreduce', 'halved-ring-allreduce', 'recursive-doubling-allreduce', 'rabenseifner-allreduce'];
const engine = { throughput: 4, overlap: false };

/** Two rows of chips with links across: messages pass chips of other groups. */
function ladder(length: number): ReturnType<typeof machine> {
  const across = Array.from({ length }, (_, i) => [i, i + length] as const);
  const along = [0, length].flatMap((row) =>
    Array.from({ length: length - 1 }, (_, i) => [row + i, row + i + 1] as const),
  );
  const links = [...across, ...along].flatMap(([a, b]) => [link(a, b), link(b, a)]);
  return machine(2 * length, links, { reduce: engine });
}

const machines = [ring(6, { reduce: engine }), line(6, { reduce: engine }), ladder(3)];

describe('lengths and prices at random', () => {
  it('prove no more than one group, or two at once, take', () => {
    const setting = fc.record({
      name: fc.constantFrom(...schedules.filter((name) => claims(name, 2) && claims(name, 4))),
      sizes: fc.constantFrom([4, 2], [2, 2], [4, 1], [2, 4]),
      chips: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      topology: fc.constantFrom(...machines),
      lengths: fc.array(fc.constantFrom(0, 0, 1, 1, 2, 5), { minLength: 20, maxLength: 20 }),
      price: fc.constantFrom(0, 0.5, 1, 2, 4, 8),
      direction: fc.constantFrom('out', 'in'),
    });
    fc.assert(
      fc.property(setting, ({ name, sizes: [m, n], chips, topology, lengths, price, direction }) => {
        const groups = [chips.slice(0, m), chips.slice(m, m + n)].filter((group) => group.length > 1);
        const parts = groups.map((group) => ({ plan: lower(scheduleOf(name, group.length)), group }));
        const plan = sideBySide(parts, 6, name);
        const size = 8400;
        const seconds = 1.0001 * simulate(plan, new Routes(topology), size).seconds;
        const ofLinks = lengths.slice(0, topology.links.length);
        const refuted: Certificate[] = [
          { kind: 'bandwidth', seconds, reason: '', witness: { lengths: ofLinks } },
          { kind: 'combined', seconds, reason: '', witness: { direction, price, lengths: ofLinks } },
        ];
        for (const certificate of refuted) {
          expect(checkCertificate(certificate, plan.collective, topology, size), certificate.kind).toBe(false);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('count no reductions of a chip that others send past meanwhile', () => {
    // Between chips 1 and 2 go 2M over 16 B/s: 1 s. Chip 1 has time to reduce all 2M while chip 0 sends to chip 2, and back.
    const topology = line(3, { reduce: { throughput: 64, overlap: false } });
    const [allreduce, size] = [collective('allreduce', 3), 8];
    const lengths = topology.links.map(({ from, to }) => (from + to === 3 ? 1 : 0));
    for (const direction of ['out', 'in']) {
      const proves = (seconds: number): boolean =>
        [1, 2, 4].some((times) => {
          const witness = { direction, price: (times * 8) / 64, lengths };
          return checkCertificate({ kind: 'combined', seconds, reason: '', witness }, allreduce, topology, size);
        });
      expect(proves(1 + 1)).toBe(true);
      expect(proves(1 + 1.04)).toBe(false);
    }
  });
});

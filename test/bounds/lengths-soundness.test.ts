/** Certificates with lengths and prices: whatever these are, none proves more than a plan takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCertificate } from '../../src/certificates/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { lower, sideBySide } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { drawn } from '../draw.ts';
import { line, link, machine, ring } from '../model/machines.ts';
import { claims, scheduleOf } from '../seeds/library.ts';

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
        const refuted = [
          { kind: 'spans', seconds, witness: { lengths: ofLinks } },
          { kind: 'stopped-links', seconds, witness: { direction, price } },
        ];
        for (const certificate of refuted) {
          expect(checkCertificate(certificate, plan.collective, topology, size), certificate.kind).toBe(false);
        }
      }),
      drawn(200),
    );
  });
});

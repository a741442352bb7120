/** Lanes against a slow and plain simulator, on random plans and machines. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LaneModel, LinkLane } from '../../../src/ir/lanes.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { simulate } from '../../../src/model/index.ts';
import { drawn } from '../../draw.ts';
import { evenSize, randomMachine, randomPlan } from '../random.ts';
import { slowLanedSimulate } from './laned-reference.ts';

const seconds = fc.constantFrom(0, 0.25, 1, 3);
const rate = fc.constantFrom(1, 2, 8, 64);

const laneModel: fc.Arbitrary<LaneModel> = fc.record({
  overhead: seconds,
  bandwidth: rate,
  visible: fc.constantFrom(0, 0.5, 1),
  slice: fc.constantFrom(8, 16, Number.POSITIVE_INFINITY),
  count: fc.constant(Number.POSITIVE_INFINITY),
  local: fc.record({ overhead: seconds, bandwidth: rate }),
  long: fc.option(fc.record({ above: fc.constantFrom(4, 8, 16), overhead: seconds, bandwidth: rate }), {
    nil: undefined,
  }),
});

const linkLane: fc.Arbitrary<LinkLane | undefined> = fc.option(
  fc.record({
    buffered: fc.boolean(),
    gap: seconds,
    rendezvous: fc.option(fc.record({ above: fc.constantFrom(8, 16, 40), gap: seconds }), { nil: undefined }),
    bandwidth: fc.constantFrom(1, 4, Number.POSITIVE_INFINITY),
  }),
  { nil: undefined },
);

/** Machines as those of the plain rules, with lanes; where nothing can be buffered nothing is. */
function lanedMachine(ranks: number): fc.Arbitrary<Topology> {
  return fc
    .record({
      base: randomMachine(ranks),
      lane: laneModel,
      launch: seconds,
      links: fc.array(linkLane, { minLength: 4, maxLength: 4 }),
    })
    .map(({ base, lane, launch, links }) => ({
      ...base,
      lane,
      launch,
      links: base.links.map((link, index) => {
        const own = links[index % links.length];
        const plain = { buffered: false, gap: 0, bandwidth: Number.POSITIVE_INFINITY };
        return { ...link, lane: base.inflight === 0 || own?.buffered === false ? plain : own };
      }),
    }));
}

const cases = fc.integer({ min: 2, max: 5 }).chain((ranks) => fc.tuple(randomPlan(ranks), lanedMachine(ranks)));

it('agrees with the slow simulator', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(evenSize, evenSize, 0), ([plan, topology], size) => {
      const routes = new Routes(topology);
      expect(simulate(plan, routes, size).seconds).toBe(slowLanedSimulate(plan, routes, size));
    }),
    drawn(300),
  );
});

it('has a critical path from the launch to the end whose steps each wait for the one before', () => {
  fc.assert(
    fc.property(cases, ([plan, topology]) => {
      const { seconds: total, criticalPath } = simulate(plan, new Routes(topology), evenSize);
      if (criticalPath.length === 0) return;
      expect(criticalPath[0].start).toBeGreaterThanOrEqual(topology.launch ?? 0);
      expect(criticalPath[criticalPath.length - 1].end).toBeLessThanOrEqual(total);
      for (let at = 1; at < criticalPath.length; at++) {
        expect(criticalPath[at].start).toBeGreaterThanOrEqual(criticalPath[at - 1].start);
        expect(criticalPath[at].end).toBeGreaterThanOrEqual(criticalPath[at].start);
      }
    }),
    drawn(150),
  );
});

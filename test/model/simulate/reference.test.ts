/** The simulator against a slow and plain one, on random plans and machines. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { simulate } from '../../../src/model/index.ts';
import { drawn } from '../../draw.ts';
import { evenSize, randomMachine, randomPlan } from '../random.ts';
import { slowSimulate } from './reference.ts';

const cases = fc.integer({ min: 2, max: 5 }).chain((ranks) => fc.tuple(randomPlan(ranks), randomMachine(ranks)));

it('agrees with the slow simulator', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(evenSize, 0), ([plan, topology], size) => {
      const routes = new Routes(topology);
      expect(simulate(plan, routes, size).seconds).toBe(slowSimulate(plan, routes, size));
    }),
    drawn(300),
  );
});

it('has a critical path that ends with the plan and whose steps each wait for the one before', () => {
  fc.assert(
    fc.property(cases, ([plan, topology]) => {
      const { seconds, criticalPath } = simulate(plan, new Routes(topology), evenSize);
      if (criticalPath.length === 0) return;
      expect(criticalPath[0].start).toBe(0);
      expect(criticalPath[criticalPath.length - 1].end).toBe(seconds);
      for (let at = 1; at < criticalPath.length; at++) {
        expect(criticalPath[at].start).toBeGreaterThanOrEqual(criticalPath[at - 1].start);
        expect(criticalPath[at].end).toBeGreaterThanOrEqual(criticalPath[at].start);
      }
    }),
    drawn(200),
  );
});

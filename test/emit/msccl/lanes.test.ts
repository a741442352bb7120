/** MSCCL XML of plans whose lanes are not what ccc itself makes: random lanes, with any peers and channels in any of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationCode, operationAt, operationFrom, type Plan, PlanBuilder } from '../../../src/ir/plan.ts';
import { prove } from '../../../src/verify/index.ts';
import { drawn } from '../../draw.ts';
import { planOf } from '../../seeds/library.ts';
import { bundleOf, profiles, readBack } from './plans.ts';

const names = [
  'ring-allreduce',
  'bidirectional-ring-allgather',
  'recursive-doubling-allreduce',
  'full-mesh-alltoall',
  'bruck-alltoall',
  'pipelined-chain-reduce',
  'binary-tree-allreduce',
];

/** The same operations and waits, in lanes by `choices`: those of a connection end stay together. */
function inOtherLanes(plan: Plan, choices: readonly number[], lanes: number): Plan {
  const builder = new PlanBuilder();
  const handles = new Int32Array(plan.ops.kind.length);
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    const opened = Array.from({ length: lanes }, (_, id) => builder.openLane(rank, id));
    const laneOf: number[] = [];
    const own: number[] = [];
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
      for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
        own.push(o);
        laneOf[o] = opened[choices[lane % choices.length] % lanes];
      }
    }
    const { step, kind } = plan.ops;
    const late = (o: number): number => (kind[o] === OperationCode.send ? 0 : 1);
    own.sort((a, b) => step[a] - step[b] || late(a) - late(b) || a - b);
    for (const o of own) {
      const { op, ...rest } = operationAt(plan, o);
      handles[o] = builder.add(laneOf[o], operationFrom(op, rest));
    }
  }
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  for (let o = 0; o < handles.length; o++) {
    for (let a = firstAfter[o]; a < firstAfter[o + 1]; a++)
      builder.wait(handles[o], handles[afterOp[a]], afterBulks[a]);
  }
  return builder.build(plan);
}

describe('MSCCL XML of random lanes', () => {
  it('is proved as it was written', () => {
    let written = 0;
    const setting = fc.record({
      name: fc.constantFrom(...names),
      ranks: fc.constantFrom(2, 3, 4, 5, 8),
      inPlace: fc.boolean(),
      lanes: fc.integer({ min: 1, max: 4 }),
      choices: fc.array(fc.nat({ max: 3 }), { minLength: 7, maxLength: 7 }),
    });
    fc.assert(
      fc.property(setting, ({ name, ranks, inPlace, lanes, choices }) => {
        const plan = inOtherLanes(planOf(name, ranks, { inPlace }), choices, lanes);
        // Lanes may be put together so that they deadlock: then there is no plan to write.
        if (prove(plan, { inflight: 2 }).proved === undefined) return;
        const bundle = bundleOf(plan, 2);
        for (const profile of profiles) {
          if (profile.check(bundle).length > 0) continue;
          const { verification } = readBack([...profile.emit(bundle)].join(''), plan.collective);
          expect(verification.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
          expect(verification.verdict).toBe('correct');
          written++;
        }
      }),
      drawn(60),
    );
    expect(written).toBeGreaterThan(60);
  });
});

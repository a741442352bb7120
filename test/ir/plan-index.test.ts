/** The index of drawn plans against queues that are filled and emptied message by message. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NewOperation, operationFrom, type Plan, PlanBuilder } from '../../src/ir/plan.ts';
import { PlanIndex } from '../../src/ir/plan-index.ts';

const slice = { buffer: 'output', offset: 0, count: 1 } as const;

/** One operation of a drawn plan, and the lane that runs it. */
interface Drawn {
  readonly rank: number;
  readonly lane: number;
  readonly kind: NewOperation['kind'];
  readonly peer: number;
  readonly channel: number;
}

function drawnPlans(ranks: number): fc.Arbitrary<readonly Drawn[]> {
  const rank = fc.integer({ min: 0, max: ranks - 1 });
  const kind = fc.constantFrom<NewOperation['kind']>('copy', 'reduce', 'send', 'recv', 'recvReduce');
  const operation = fc.record({ rank, lane: fc.nat(1), kind, peer: rank, channel: fc.nat(2) });
  return fc.array(operation, { maxLength: 60 });
}

function planOf(ranks: number, operations: readonly Drawn[]): Plan {
  const builder = new PlanBuilder();
  const lanes = Array.from({ length: ranks }, (_, rank) => [0, 1].map((id) => builder.openLane(rank, id)));
  for (const { rank, lane, kind, peer, channel } of operations) {
    builder.add(lanes[rank][lane], operationFrom(kind, { peer, channel, src: slice, dst: slice, step: 0 }));
  }
  const buffers = lanes.map(() => ({ input: 1, output: 1, scratch: 0 }));
  const facts = { ranks, chunks: 1, op: 'sum', root: 0, ordered: false, inPlace: true } as const;
  const collective = { kind: 'allreduce', ...facts } as const;
  return builder.build({ name: 'drawn', collective, bulks: 1, scratchPerBulk: 1, buffers, rounds: [] });
}

/** The operations in the order of the plan: rank by rank, lane by lane. */
function inPlanOrder(operations: readonly Drawn[]): readonly Drawn[] {
  return operations.toSorted((a, b) => a.rank - b.rank || a.lane - b.lane);
}

/** By operation the other end of its message: each receive takes the oldest send of its connection that no receive has taken. */
function matchedByQueues(operations: readonly Drawn[]): readonly number[] {
  const partner = operations.map(() => -1);
  const open = operations.flatMap(({ kind }, send) => (kind === 'send' ? [send] : []));
  operations.forEach(({ rank, kind, peer, channel }, receive) => {
    if (kind !== 'recv' && kind !== 'recvReduce') return;
    const at = open.findIndex((send) => {
      const from = operations[send];
      return from.rank === peer && from.peer === rank && from.channel === channel;
    });
    if (at < 0) return;
    const [send] = open.splice(at, 1);
    partner[send] = receive;
    partner[receive] = send;
  });
  return partner;
}

describe('the index of a plan', () => {
  it('matches each receive with the oldest send of its connection that is not matched yet', () => {
    fc.assert(
      fc.property(drawnPlans(3), (operations) => {
        const { connections } = new PlanIndex(planOf(3, operations));
        expect([...connections.partner]).toEqual(matchedByQueues(inPlanOrder(operations)));
      }),
    );
  });

  it('knows the rank and the lane of every operation, and the ends and the order of every connection', () => {
    fc.assert(
      fc.property(drawnPlans(4), (operations) => {
        const plan = planOf(4, operations);
        const { rankOf, laneOf, connections, ends } = new PlanIndex(plan);
        const expected = inPlanOrder(operations);
        expect([...rankOf]).toEqual(expected.map(({ rank }) => rank));
        expect([...laneOf]).toEqual(expected.map(({ rank, lane }) => 2 * rank + lane));
        const counts = new Map<string, number>();
        expected.forEach(({ rank, kind, peer, channel }, operation) => {
          const connection = connections.of[operation];
          if (kind === 'copy' || kind === 'reduce') {
            expect(connection).toBe(-1);
            return;
          }
          const [from, to] = kind === 'send' ? [rank, peer] : [peer, rank];
          expect([ends.sender[connection], ends.receiver[connection], ends.channel[connection]]).toEqual([
            from,
            to,
            channel,
          ]);
          const key = `${from} ${to} ${channel} ${kind === 'send'}`;
          const before = counts.get(key) ?? 0;
          counts.set(key, before + 1);
          expect(connections.ordinal[operation]).toBe(before);
        });
        const seen = [...connections.of].filter((connection) => connection >= 0);
        expect([...new Set(seen)]).toEqual(Array.from({ length: connections.count }, (_, c) => c));
      }),
    );
  });

  it('is balanced exactly where every send has a receive and every receive a send', () => {
    fc.assert(
      fc.property(drawnPlans(2), (operations) => {
        const { connections } = new PlanIndex(planOf(2, operations));
        const partner = matchedByQueues(inPlanOrder(operations));
        const isAlone = inPlanOrder(operations).some(({ kind }, o) => !/copy|^reduce/.test(kind) && partner[o] < 0);
        expect(connections.isBalanced).toBe(!isAlone);
      }),
    );
  });

  it('is shared by all who ask for the index of the same plan, and by nobody who makes one', () => {
    const plan = planOf(2, [
      { rank: 0, lane: 0, kind: 'send', peer: 1, channel: 0 },
      { rank: 1, lane: 0, kind: 'recv', peer: 0, channel: 0 },
    ]);
    expect(PlanIndex.of(plan)).toBe(PlanIndex.of(plan));
    expect([...PlanIndex.of(plan).connections.partner]).toEqual([1, 0]);
    plan.ops.peer[1] = 1;
    expect([...new PlanIndex(plan).connections.partner]).toEqual([-1, -1]);
  });
});

describe('a new operation', () => {
  it('has a peer that is a rank, and the slices of its kind', () => {
    const builder = new PlanBuilder();
    const lane = builder.openLane(0, 0);
    const send = { kind: 'send', src: slice, step: 0 } as const;
    expect(() => builder.add(lane, { ...send, peer: -1 })).toThrow(RangeError);
    expect(() => builder.add(lane, { ...send, peer: 1, channel: -1 })).toThrow(RangeError);
    expect(() => operationFrom('send', { src: slice, step: 0 })).toThrow('a send without peer');
    expect(() => operationFrom('copy', { src: slice, step: 0 })).toThrow('a copy without dst');
    expect(builder.operationCount).toBe(0);
    expect(builder.add(lane, { ...send, peer: 1 })).toBe(0);
  });
});

/**
 * Buffering for messages. MPI guarantees none: a send may complete only once its receive has been posted. If a plan needs buffering, a message waits
 * at its receiver, if it is combined there anyway, or else in an outbox of the sender's lane.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import type { OpenBundle } from '../emitter.ts';

/**
 * The sends that copy their message to the outbox of their lane and complete at once. In a plan that needs buffering these are all sends, except
 * those to a lane that does nothing but combine the messages of one connection: such a lane posts each receive as soon as the previous one is
 * complete.
 */
export function sendsThatLeave({ plan, verification }: Pick<OpenBundle, 'plan' | 'verification'>): ReadonlySet<number> {
  if ((verification.smallestInflight ?? 0) === 0) return new Set();
  const { sends, of } = PlanIndex.of(plan).connections;
  const combining = connectionsThatCombine(plan);
  return new Set(sends.filter((send) => !combining.has(of[send])));
}

/** Why the required buffering is impossible; empty if it is possible. An outbox holds one message of one connection. */
export function roomLacking(proved: Pick<OpenBundle, 'plan' | 'verification'>): readonly string[] {
  const { laneOf, connections } = PlanIndex.of(proved.plan);
  const connectionOfLane = new Map<number, number>();
  for (const send of sendsThatLeave(proved)) {
    const connection = connections.of[send];
    const known = connectionOfLane.get(laneOf[send]) ?? connection;
    if (known !== connection) return ['the plan needs room in channels, and a lane of it sends on several'];
    connectionOfLane.set(laneOf[send], connection);
  }
  return [];
}

/** The connections whose receives all combine, in a lane that does nothing else. All receives of a connection belong to one lane. */
function connectionsThatCombine(plan: Plan): ReadonlySet<number> {
  const { laneOf, connections } = PlanIndex.of(plan);
  const { count, receives, firstReceive } = connections;
  const combining = new Set<number>();
  for (let c = 0; c < count; c++) {
    const own = receives.subarray(firstReceive[c], firstReceive[c + 1]);
    const lane = laneOf[own[0]];
    const isAlone = plan.firstOp[lane + 1] - plan.firstOp[lane] === own.length;
    if (isAlone && own.every((o) => plan.ops.kind[o] === OperationCode.recvReduce)) combining.add(c);
  }
  return combining;
}

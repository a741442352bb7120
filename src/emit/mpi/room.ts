/**
 * Room in channels, of which MPI promises none: a send may be complete only once its receive has been posted. Plans that need
 * room for a message get it at the receiver where the message waits to be combined anyway, else in an outbox of the sender's
 * lane.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import type { OpenBundle } from '../emitter.ts';

/**
 * The sends that copy their message to the outbox of their lane and complete at once. In plans that need room in channels these are
 * all sends but those to lanes that do nothing but combine the messages of one connection: such a lane posts each receive as soon as
 * the one before it is done.
 */
export function sendsThatLeave({ plan, verification }: Pick<OpenBundle, 'plan' | 'verification'>): ReadonlySet<number> {
  if ((verification.smallestInflight ?? 0) === 0) return new Set();
  const { sends, of } = PlanIndex.of(plan).connections;
  const combining = connectionsThatCombine(plan);
  return new Set(sends.filter((send) => !combining.has(of[send])));
}

/** Why the plan cannot be given the room that it needs, if so: an outbox holds one message, of one connection. */
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

/** The connections whose receives all combine, in a lane that runs nothing else. The receives of a connection stand in one lane. */
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

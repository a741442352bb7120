/**
 * Room in channels, of which MPI promises none: a send may be complete only once its receive has been posted. Plans that need
 * room for a message get it at the receiver where the message waits to be combined anyway, else in an outbox of the sender's
 * lane.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { ProvedPlan } from '../../ir/verification.ts';

/**
 * The sends that leave a copy in their lane's outbox and are complete at once: in plans that need room, all but those to lanes
 * that do nothing but combine what comes from there (they post each receive as soon as the one before it is done).
 */
export function sendsThatLeave({ plan, verification }: ProvedPlan): ReadonlySet<number> {
  if ((verification.smallestInflight ?? 0) === 0) return new Set();
  const roomy = connectionsThatCombine(plan);
  const leaving = new Set<number>();
  forEachOperation(plan, (operation, rank) => {
    const { kind, peer, channel } = plan.ops;
    if (kind[operation] !== OperationCode.send) return;
    if (!roomy.has(connectionName(rank, peer[operation], channel[operation]))) leaving.add(operation);
  });
  return leaving;
}

/** What is in the way of giving the plan room: an outbox holds one message, of one connection. */
export function roomLacking(proved: ProvedPlan): readonly string[] {
  const { plan } = proved;
  const leaving = sendsThatLeave(proved);
  const connectionOfLane = new Map<number, string>();
  let shared = false;
  forEachOperation(plan, (operation, rank, lane) => {
    if (!leaving.has(operation)) return;
    const name = connectionName(rank, plan.ops.peer[operation], plan.ops.channel[operation]);
    shared ||= (connectionOfLane.get(lane) ?? name) !== name;
    connectionOfLane.set(lane, name);
  });
  return shared ? ['the plan needs room in channels, and a lane of it sends on several'] : [];
}

/** Connections whose receives are all combined on arrival, in a lane that does nothing else. */
function connectionsThatCombine(plan: Plan): ReadonlySet<string> {
  const names = new Set<string>();
  const mixed = new Set<string>();
  const nameOfLane = new Map<number, string>();
  forEachOperation(plan, (operation, rank, lane) => {
    const { kind, peer, channel } = plan.ops;
    const combines = kind[operation] === OperationCode.recvReduce;
    const name = combines ? connectionName(peer[operation], rank, channel[operation]) : '';
    const before = nameOfLane.get(lane) ?? name;
    nameOfLane.set(lane, before === name ? name : '');
    if (combines) names.add(name);
    if (before !== name) mixed.add(before).add(name);
    if (kind[operation] === OperationCode.recv) mixed.add(connectionName(peer[operation], rank, channel[operation]));
  });
  return new Set([...names].filter((name) => !mixed.has(name)));
}

function connectionName(from: number, to: number, channel: number): string {
  return `${from} ${to} ${channel}`;
}

function forEachOperation(plan: Plan, visit: (operation: number, rank: number, lane: number) => void): void {
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
      for (let operation = plan.firstOp[lane]; operation < plan.firstOp[lane + 1]; operation++)
        visit(operation, rank, lane);
    }
  }
}

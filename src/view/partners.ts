/** Which receive takes which send: the k-th of a connection (sender, receiver, channel) pair up. */
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';

/** By operation: the receive of a send, the send of a receive; −1 for others, and for those that nobody answers. */
export function partnersOf(plan: Plan): Int32Array {
  const { kind, peer, channel } = plan.ops;
  const partner = new Int32Array(operationCount(plan)).fill(-1);
  const rank = ranksOfOperations(plan);
  const sends = new Map<string, number[]>();
  const receives = new Map<string, number[]>();
  for (let operation = 0; operation < kind.length; operation++) {
    if (peer[operation] < 0) continue;
    const isSend = kind[operation] === OperationCode.send;
    const [from, to] = isSend ? [rank[operation], peer[operation]] : [peer[operation], rank[operation]];
    const key = `${from} ${to} ${channel[operation]}`;
    const ends = isSend ? sends : receives;
    const known = ends.get(key);
    if (known === undefined) ends.set(key, [operation]);
    else known.push(operation);
  }
  for (const [key, sent] of sends) {
    const received = receives.get(key) ?? [];
    sent.slice(0, received.length).forEach((send, at) => {
      partner[send] = received[at];
      partner[received[at]] = send;
    });
  }
  return partner;
}

/** The rank whose program each operation stands in. */
export function ranksOfOperations({ firstLane, firstOp, ops }: Plan): Int32Array {
  const rank = new Int32Array(ops.kind.length);
  for (let r = 0; r + 1 < firstLane.length; r++) rank.fill(r, firstOp[firstLane[r]], firstOp[firstLane[r + 1]]);
  return rank;
}

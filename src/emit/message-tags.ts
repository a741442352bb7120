/** Tags that tell apart all messages between two ranks, for simulators that may match equal ones in another order. */
import { OperationCode, operationCount, type Plan, rankOfLane } from '../ir/plan.ts';

/** A tag for each message of each bulk; both ends give it the same. */
export class MessageTags {
  /** Of sends and receives: their channel's number times the messages that any channel has in all, plus those before them. */
  private readonly first: Int32Array;
  /** Messages of each operation's connection in a bulk. */
  private readonly perBulk: Int32Array;

  constructor(plan: Plan) {
    const { peer, channel } = plan.ops;
    const operations = operationCount(plan);
    const channels = [...new Set(channel)].sort((a, b) => a - b);
    const ends = connectionEnds(plan);
    const before = new Int32Array(operations);
    const counts = new Int32Array(ends.count);
    for (let o = 0; o < operations; o++) if (peer[o] >= 0) before[o] = counts[ends.of[o]]++;
    this.perBulk = Int32Array.from(ends.of, (end) => (end < 0 ? 0 : counts[end]));
    const most = plan.bulks * counts.reduce((a, b) => Math.max(a, b), 0);
    const numberOf = new Map(channels.map((one, number) => [one, number]));
    this.first = before.map((count, o) => (numberOf.get(channel[o]) ?? 0) * most + count);
  }

  of(operation: number, bulk: number): number {
    return this.first[operation] + bulk * this.perBulk[operation];
  }
}

/** Which end of which connection each operation is, numbered as they come; −1 for local operations. */
function connectionEnds(plan: Plan): { readonly of: Int32Array; readonly count: number } {
  const { kind, peer, channel } = plan.ops;
  const known = new Map<string, number>();
  const of = new Int32Array(operationCount(plan)).fill(-1);
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
      if (peer[o] < 0) continue;
      const key = `${rank} ${peer[o]} ${channel[o]} ${kind[o] === OperationCode.send}`;
      of[o] = known.get(key) ?? known.size;
      known.set(key, of[o]);
    }
  }
  return { of, count: known.size };
}

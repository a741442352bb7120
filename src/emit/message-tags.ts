/** Tags that tell apart all messages between two ranks, for simulators that may match equal ones in another order. */
import type { Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';

/** A tag for each message of each bulk; both ends give it the same. */
export class MessageTags {
  /** Of sends and receives: their channel's number times the messages that any channel has in all, plus those before them. */
  private readonly first: Int32Array;
  /** Messages of each operation's connection in a bulk. */
  private readonly perBulk: Int32Array;

  constructor(plan: Plan) {
    const { channel } = plan.ops;
    const { of, ordinal, firstSend } = PlanIndex.of(plan).connections;
    const messagesOf = (connection: number): number => firstSend[connection + 1] - firstSend[connection];
    this.perBulk = of.map((connection) => (connection < 0 ? 0 : messagesOf(connection)));
    const most = plan.bulks * this.perBulk.reduce((a, b) => Math.max(a, b), 0);
    const channels = [...new Set(channel)].sort((a, b) => a - b);
    const numberOf = new Map(channels.map((one, number) => [one, number]));
    this.first = ordinal.map((before, o) => (numberOf.get(channel[o]) ?? 0) * most + before);
  }

  of(operation: number, bulk: number): number {
    return this.first[operation] + bulk * this.perBulk[operation];
  }
}

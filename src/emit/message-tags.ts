/** Tags that distinguish all messages between two ranks, for simulators that may match equal tags in another order. */
import type { Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';

/** A tag for each message of each bulk; both ends give it the same. */
export class MessageTags {
  /**
   * By send and receive: the tag in bulk 0. It is the channel's number times the maximum number of messages of a channel, plus the number of earlier
   * messages.
   */
  private readonly first: Int32Array;
  /** By operation: the messages of its connection in one bulk. */
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

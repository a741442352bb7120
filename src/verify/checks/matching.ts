/** Matching: the k-th send of a connection (a, b, channel) meets the k-th receive, with equal counts. */

import { isSend } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { counted } from '../../ir/units.ts';
import { CheckFindings, type FindingText, nameOf, storyLineOf } from '../explain/findings.ts';

/** Finds the connections whose sends and receives do not match. */
export function checkMatching(index: PlanIndex, connections: Connections): CheckFindings {
  const findings = new CheckFindings('mismatched');
  const { ops } = index.plan;
  const { sends, firstSend, receives, firstReceive } = connections;
  for (let c = 0; c + 1 < firstSend.length; c++) {
    const sent = firstSend[c + 1] - firstSend[c];
    const received = firstReceive[c + 1] - firstReceive[c];
    const unequal = firstUnequal(index, connections, c, Math.min(sent, received));
    if (unequal >= 0) {
      const send = sends[firstSend[c] + unequal];
      const receive = receives[firstReceive[c] + unequal];
      findings.add(() => ({
        message:
          `Message ${unequal} from rank ${ops.peer[receive]} to rank ${ops.peer[send]} on channel ${ops.channel[send]} ` +
          `is sent with ${counted(ops.srcCount[send], 'chunk')} and received with ${ops.dstCount[receive]}: the counts must agree.`,
        story: [storyLineOf(index, send), storyLineOf(index, receive)],
      }));
    } else if (sent !== received) {
      const extra = sent > received ? sends[firstSend[c] + received] : receives[firstReceive[c] + sent];
      findings.add(() => unmatched(index, extra, sent, received));
    }
  }
  return findings;
}

function firstUnequal(index: PlanIndex, connections: Connections, connection: number, pairs: number): number {
  const { ops } = index.plan;
  const { sends, firstSend, receives, firstReceive } = connections;
  for (let k = 0; k < pairs; k++) {
    const send = sends[firstSend[connection] + k];
    const receive = receives[firstReceive[connection] + k];
    if (ops.srcCount[send] !== ops.dstCount[receive]) return k;
  }
  return -1;
}

function unmatched(index: PlanIndex, operation: number, sent: number, received: number): FindingText {
  const { plan, rankOf } = index;
  const sending = isSend(plan, operation);
  const peer = plan.ops.peer[operation];
  const [from, to] = sending ? [rankOf[operation], peer] : [peer, rankOf[operation]];
  const missing = sending ? 'no receive takes' : 'no send feeds';
  return {
    message:
      `Rank ${from} sends ${counted(sent, 'message')} to rank ${to} on channel ${plan.ops.channel[operation]}, ` +
      `which receives ${received}: ${missing} ${nameOf(index, operation)}.`,
    story: [storyLineOf(index, operation)],
  };
}

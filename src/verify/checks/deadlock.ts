/** Rung 4: no deadlock. Which operations can run never depends on the interleaving, so one run decides. */

import { isReceive, isSend } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { counted } from '../../ir/units.ts';
import { type ExecutedOrder, executeBulk, HappensBefore, unfinished } from '../order/happens-before.ts';
import { CheckFindings, nameOf, type StoryLine, storyLineOf } from '../story.ts';

/**
 * The smallest number of transfers a connection must buffer for a plan that does not run without buffers to run to its end, or
 * undefined if no number is enough. More buffers never hurt: they only take edges away.
 */
export function smallestInflight(index: PlanIndex, connections: Connections): number | undefined {
  const runs = (inflight: number | undefined): boolean =>
    executeBulk(new HappensBefore(index, connections, inflight)).order.length === index.laneOf.length;
  const { firstSend } = connections;
  let most = 0;
  for (let c = 0; c + 1 < firstSend.length; c++) most = Math.max(most, firstSend[c + 1] - firstSend[c]);
  // Doubling first: the answer is 1 or 2 for most plans. Within a bulk, `most` buffers are as good as any number.
  let tooFew = 0;
  let enough = 1;
  while (!runs(enough)) {
    if (enough >= most) return undefined;
    tooFew = enough;
    enough = Math.min(2 * enough, Math.max(1, most));
  }
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (runs(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** Tells the circles of waiting that a stuck run ends in, shortest first. */
export function describeDeadlock(
  happens: HappensBefore,
  stuck: ExecutedOrder,
  smallest: number | undefined,
): CheckFindings {
  const findings = new CheckFindings('deadlock');
  for (const circle of circles(happens, stuck)) {
    findings.add(() => {
      const story = circle.flatMap((step, at) => tellWait(happens, step, circle[(at + 1) % circle.length].operation));
      const limit = happens.inflight === undefined ? 'with any number of buffers' : limitText(happens.inflight);
      const cure =
        smallest === undefined
          ? 'No number of transfers in flight helps.'
          : `It disappears when a connection buffers ${counted(smallest, 'transfer')}.`;
      const lanes = circle.length === 1 ? 'An operation waits' : `${circle.length} lanes wait`;
      const message = `${lanes} in a circle, ${limit}: ${nameOf(happens.index, circle[0].operation)} never runs. ${cure}`;
      return { message, story };
    });
  }
  return findings;
}

function limitText(inflight: number): string {
  return inflight === 0 ? 'without buffers (rendezvous)' : `with ${inflight} in flight per connection`;
}

/** An operation at which a lane stands, and the unfinished one that it waits for. */
interface Wait {
  readonly operation: number;
  readonly blocker: number;
}

/**
 * A lane that is stuck waits for an operation of a lane that is stuck: following them ends in a circle. These are all
 * the circles, each from its lowest lane on, shortest first.
 */
function circles(happens: HappensBefore, stuck: ExecutedOrder): readonly (readonly Wait[])[] {
  const { plan, laneOf } = happens.index;
  const done = new Uint8Array(laneOf.length);
  for (const operation of stuck.order) done[operation] = 1;
  const visitedFrom = new Int32Array(plan.laneId.length).fill(-1);
  const found: Wait[][] = [];
  for (let start = 0; start < visitedFrom.length; start++) {
    let lane = start;
    const path: Wait[] = [];
    while (stuck.next[lane] < plan.firstOp[lane + 1] && visitedFrom[lane] === -1) {
      visitedFrom[lane] = start;
      const operation = stuck.next[lane];
      path.push({ operation, blocker: unfinished(happens, operation, done).at(-1) ?? -1 });
      lane = laneOf[path[path.length - 1].blocker];
    }
    const entry = path.findIndex((wait) => laneOf[wait.operation] === lane);
    if (entry !== -1) found.push(path.slice(entry));
  }
  return found.sort((a, b) => a.length - b.length);
}

/** One wait of a circle, and how its blocker comes to be behind the next lane's operation. */
function tellWait(happens: HappensBefore, { operation, blocker }: Wait, head: number): readonly StoryLine[] {
  const { index } = happens;
  const lines = [storyLineOf(index, operation, `waits ${reason(happens, operation, blocker)}`)];
  if (blocker !== head) lines.push(storyLineOf(index, blocker, `is behind ${nameOf(index, head)} in its lane`));
  return lines;
}

function reason(happens: HappensBefore, operation: number, blocker: number): string {
  const { index } = happens;
  const { plan, rankOf } = index;
  const name = nameOf(index, blocker);
  if (rankOf[blocker] === rankOf[operation]) return `for ${name} (after)`;
  if (isReceive(plan, operation)) {
    const isMessage = happens.connections.partner[operation] === blocker;
    return isMessage ? `for its message, ${name}` : `for room to pass its message on, until ${name} receives`;
  }
  if (!isSend(plan, operation)) return `for ${name}`;
  if (happens.inflight === 0) return `until rank ${rankOf[blocker]} is ready to receive, after ${name}`;
  return `for room on its channel, until ${name} receives`;
}

/** Explains a deadlock by the cycles of operations that wait for each other. */
import { isReceive, isSend } from '../../ir/plan.ts';
import { counted } from '../../ir/units.ts';
import { type ExecutedOrder, type HappensBefore, unfinished } from '../order/happens-before.ts';
import { CheckFindings, nameOf, type StoryLine, storyLineOf } from './findings.ts';

/**
 * One finding for each cycle of operations that wait for each other, shortest first.
 * @param stuck a run that ends before all operations have run
 * @param smallest the smallest number of buffered transfers with which the plan reaches its end, undefined if none is enough
 */
export function describeDeadlock(
  happens: HappensBefore,
  stuck: ExecutedOrder,
  smallest: number | undefined,
): CheckFindings {
  const findings = new CheckFindings('deadlock');
  for (const cycle of waitCycles(happens, stuck)) {
    findings.add(() => {
      const story = cycle.flatMap((step, at) => linesOfWait(happens, step, cycle[(at + 1) % cycle.length].operation));
      const limit = happens.inflight === undefined ? 'with any number of buffers' : limitText(happens.inflight);
      const cure =
        smallest === undefined
          ? 'No number of transfers in flight helps.'
          : `It disappears when a connection buffers ${counted(smallest, 'transfer')}.`;
      const lanes = cycle.length === 1 ? 'An operation waits' : `${cycle.length} lanes wait`;
      const message = `${lanes} in a cycle, ${limit}: ${nameOf(happens.index, cycle[0].operation)} never runs. ${cure}`;
      return { message, story };
    });
  }
  return findings;
}

function limitText(inflight: number): string {
  return inflight === 0 ? 'without buffers (rendezvous)' : `with ${inflight} in flight per connection`;
}

/** The next operation of a stuck lane, and the unfinished operation that it waits for. */
interface Wait {
  readonly operation: number;
  readonly blocker: number;
}

/**
 * Returns all cycles of stuck lanes, each beginning with its lowest lane, shortest cycle first. A stuck lane waits for an operation of another stuck
 * lane, so following the waits from any stuck lane leads into a cycle.
 */
function waitCycles(happens: HappensBefore, stuck: ExecutedOrder): readonly (readonly Wait[])[] {
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

/** The lines of the story for one wait of a cycle: the waiting operation and, unless it is next in its lane, the operation that blocks it. */
function linesOfWait(happens: HappensBefore, { operation, blocker }: Wait, head: number): readonly StoryLine[] {
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
    return isMessage ? `for its message, ${name}` : `for room to forward its message, until ${name} receives`;
  }
  if (!isSend(plan, operation)) return `for ${name}`;
  if (happens.inflight === 0) return `until rank ${rankOf[blocker]} is ready to receive, after ${name}`;
  return `for room on its channel, until ${name} receives`;
}

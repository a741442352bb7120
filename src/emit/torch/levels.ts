/**
 * An order of messages that both ends of each agree on, for runtimes in which a rank posts a set of messages, waits for all of them, and goes
 * on: torch.distributed, NCCL's groups, MPI without threads.
 *
 * Both ends of a message stand in one *level*. At level L a rank exchanges its messages of L, waits for them, and then does its local work of
 * L: copies, reductions, and deliveries, which move a received message from a staging buffer to where it belongs. Levels are the earliest that
 * data allow: a send comes after the level in which its data were written. A receive writes straight into its destination where nothing of
 * its level or a later one still needs what is there; otherwise it is staged, and delivered in the first level in which that is true. Levels
 * rise along every dependence, so that no two ranks wait for each other, even where a send waits for its receive.
 *
 * Lanes and `after` need not be kept: the plan is proved free of races, so that operations which touch the same memory are ordered, and only
 * their order matters.
 */
import { inputChunks, outputChunks } from '../../ir/collective.ts';
import { OperationCode, operationCount, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';

export interface LevelledPlan {
  /** The operations in an order in which each follows all operations on which it depends. */
  readonly order: Int32Array;
  /** By send and receive: the level in which the message is exchanged. Messages begin at level 0. */
  readonly messageLevel: Int32Array;
  /** By local operation and staged receive: the level after whose messages it is executed; −1 is before all messages. */
  readonly localLevel: Int32Array;
  /** By receive: 1 if it goes to a staging buffer first. Receives that reduce always do. */
  readonly staged: Uint8Array;
  /** By send and receive: the place of its message among those of its level, the same at both ends. */
  readonly turn: Int32Array;
  /** Number of levels that exchange messages. */
  readonly levels: number;
}

/** Levels of one bulk of a plan. Time and space are linear in the operations and the slots that they touch. */
export function levelsOf(plan: Plan): LevelledPlan {
  const { ops } = plan;
  const count = operationCount(plan);
  const { rankOf, connections } = PlanIndex.of(plan);
  const order = dependenceOrder(plan);
  const [messageLevel, localLevel] = [new Int32Array(count).fill(-1), new Int32Array(count).fill(-1)];
  const staged = new Uint8Array(count);
  const memory = new MemoryLevels(plan);
  let levels = 0;
  for (const o of order) {
    const rank = rankOf[o];
    const source = memory.at(rank, ops.srcBuffer[o], ops.srcOffset[o]);
    const target = memory.at(rank, ops.dstBuffer[o], ops.dstOffset[o]);
    switch (ops.kind[o]) {
      case OperationCode.send: {
        const level = memory.writtenUntil(source, ops.srcCount[o]) + 1;
        messageLevel[o] = level;
        messageLevel[connections.partner[o]] = level;
        memory.read(source, ops.srcCount[o], level);
        levels = Math.max(levels, level + 1);
        break;
      }
      case OperationCode.recv:
      case OperationCode.recvReduce: {
        const size = ops.dstCount[o];
        const usedUntil = memory.usedUntil(target, size);
        const isDirect = ops.kind[o] === OperationCode.recv && usedUntil < messageLevel[o];
        staged[o] = isDirect ? 0 : 1;
        localLevel[o] = Math.max(messageLevel[o], usedUntil);
        memory.write(target, size, localLevel[o]);
        break;
      }
      default: {
        const read = memory.writtenUntil(source, ops.srcCount[o]);
        localLevel[o] = Math.max(read, memory.usedUntil(target, ops.dstCount[o]));
        memory.read(source, ops.srcCount[o], localLevel[o]);
        memory.write(target, ops.dstCount[o], localLevel[o]);
      }
    }
  }
  return { order, messageLevel, localLevel, staged, turn: turnsOf(plan, messageLevel, order), levels };
}

/** By cell of all ranks' memory the last levels in which it is written and read; in place, input and output share cells. */
class MemoryLevels {
  private readonly starts: readonly (readonly [input: number, output: number, scratch: number])[];
  private readonly written: Int32Array;
  private readonly used: Int32Array;

  constructor({ collective, buffers }: Plan) {
    const starts: [number, number, number][] = [];
    let cells = 0;
    for (const [rank, { input, output, scratch }] of buffers.entries()) {
      const [held, given] = [inputChunks(collective, rank), outputChunks(collective, rank)];
      const isShared = collective.inPlace && held > 0 && given > 0;
      const shift =
        collective.kind === 'custom'
          ? (collective.custom?.inputAt?.[rank] ?? 0)
          : Math.sign(given - held) * rank * collective.chunks;
      const inputAt = isShared ? shift : output;
      const [from, to] = [cells + Math.max(0, inputAt), cells + Math.max(0, -inputAt)];
      const behind = Math.max(from + input, to + output);
      starts.push([from, to, behind]);
      cells = behind + scratch;
    }
    this.starts = starts;
    this.written = new Int32Array(cells).fill(-1);
    this.used = new Int32Array(cells).fill(-1);
  }

  /** The cell of a slot; −1 for an operand that an operation does not have. */
  at(rank: number, buffer: number, offset: number): number {
    return buffer < 0 ? -1 : this.starts[rank][buffer] + offset;
  }

  /** The last level in which any of the cells is written; −1 for none. */
  writtenUntil(first: number, count: number): number {
    return latest(this.written, first, count);
  }

  /** The last level in which any of the cells is written or read. */
  usedUntil(first: number, count: number): number {
    return latest(this.used, first, count);
  }

  read(first: number, count: number, level: number): void {
    for (let cell = first; cell < first + count; cell++) this.used[cell] = Math.max(this.used[cell], level);
  }

  write(first: number, count: number, level: number): void {
    for (let cell = first; cell < first + count; cell++) {
      this.written[cell] = level;
      this.used[cell] = Math.max(this.used[cell], level);
    }
  }
}

function latest(levels: Int32Array, first: number, count: number): number {
  let result = -1;
  for (let cell = first; cell < first + count; cell++) result = Math.max(result, levels[cell]);
  return result;
}

/**
 * The operations of a bulk in topological order (Kahn 1962): each follows the earlier operations of its lane, those for which it waits and, for a
 * receive, its send.
 */
function dependenceOrder(plan: Plan): Int32Array {
  const { ops, firstOp } = plan;
  const count = operationCount(plan);
  const { laneOf, connections } = PlanIndex.of(plan);
  const waiting = new Int32Array(count);
  const followers = Array.from({ length: count }, (): number[] => []);
  const follows = (earlier: number, later: number): void => {
    followers[earlier].push(later);
    waiting[later]++;
  };
  for (let o = 0; o < count; o++) {
    if (o > firstOp[laneOf[o]]) follows(o - 1, o);
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      if (ops.afterBulks[a] === 0) follows(ops.afterOp[a], o);
    }
    if (ops.kind[o] >= OperationCode.recv) follows(connections.partner[o], o);
  }
  const order = new Int32Array(count);
  let placed = 0;
  for (let o = 0; o < count; o++) if (waiting[o] === 0) order[placed++] = o;
  for (let next = 0; next < placed; next++) {
    for (const follower of followers[order[next]]) if (--waiting[follower] === 0) order[placed++] = follower;
  }
  return order.subarray(0, placed);
}

/**
 * Turns of the messages of each level. Messages with one turn touch each rank at most once (a greedy edge colouring, which needs less than
 * twice as many colours as a rank has messages), so that ranks which do one message after the other, in the order of turns, still work side by
 * side: a ring's step takes two or three turns instead of one after the other around the ring.
 */
function turnsOf(plan: Plan, messageLevel: Int32Array, order: Int32Array): Int32Array {
  const { ops } = plan;
  const { rankOf, connections } = PlanIndex.of(plan);
  const turn = new Int32Array(messageLevel.length).fill(-1);
  const taken = new Map<string, Set<number>>();
  const turnsTaken = (rank: number, level: number): Set<number> => {
    const key = `${rank} ${level}`;
    let turns = taken.get(key);
    if (turns === undefined) {
      turns = new Set();
      taken.set(key, turns);
    }
    return turns;
  };
  for (const o of order) {
    if (ops.kind[o] !== OperationCode.send) continue;
    const [sender, receiver] = [rankOf[o], ops.peer[o]].map((rank) => turnsTaken(rank, messageLevel[o]));
    let free = 0;
    while (sender.has(free) || receiver.has(free)) free++;
    sender.add(free);
    receiver.add(free);
    turn[o] = free;
    turn[connections.partner[o]] = free;
  }
  return turn;
}

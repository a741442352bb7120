/** Runs plans on texts (see meaning.ts), in any order that lanes, waits and channels allow. */
import { memoryLayout } from '../../src/ir/collective.ts';
import { type Operation, operationAt, type Plan, type Slice } from '../../src/ir/plan.ts';
import { inputValue, undefinedValue } from './meaning.ts';

/** A sequence of numbers from 0 up to a bound, the same for the same seed (xorshift32). */
export function seeded(seed: number): (bound: number) => number {
  let state = seed | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

/** The rank that a lane belongs to. */
export function rankOf(plan: Plan, lane: number): number {
  return plan.firstLane.findLastIndex((first) => first <= lane);
}

/** Cells of a rank's memory that a slice names: shared ones first, scratch behind them. */
export function cellsOf(plan: Plan, rank: number, { buffer, offset, count }: Slice): number[] {
  const { input, output, cells } = memoryLayout(plan.collective, rank);
  const first = { input, output, scratch: cells }[buffer] + offset;
  return Array.from({ length: count }, (_, index) => first + index);
}

interface Channel {
  readonly messages: string[][];
}

/**
 * Runs a plan to its end, choosing at random among the operations that can run.
 * @param inflight messages that a connection buffers, at least 1
 * @returns `outputs[bulk][rank][chunk]`, or undefined when the plan gets stuck. In bulk b, inputs start with `b:`.
 */
export function execute(plan: Plan, inflight: number, choose: (bound: number) => number): string[][][] | undefined {
  const lanes = plan.laneId.length;
  const ranks = Array.from({ length: lanes }, (_, lane) => rankOf(plan, lane));
  const scratch = Array.from({ length: plan.scratchPerBulk }, () =>
    plan.buffers.map((buffers) => new Array<string>(buffers.scratch).fill(undefinedValue)),
  );
  const memory = Array.from({ length: plan.bulks }, (_, bulk) =>
    plan.buffers.map((buffers, rank) => {
      const layout = memoryLayout(plan.collective, rank);
      const cells = new Array<string>(layout.cells).fill(undefinedValue);
      for (let chunk = 0; chunk < buffers.input; chunk++)
        cells[layout.input + chunk] = `${bulk}:${inputValue(rank, chunk)}`;
      return cells;
    }),
  );
  const channels = new Map<string, Channel>();
  const channel = (from: number, to: number, number: number): Channel => {
    const key = `${from} ${to} ${number}`;
    const known = channels.get(key) ?? { messages: [] };
    channels.set(key, known);
    return known;
  };
  const access = (rank: number, bulk: number, cell: number): [string[], number] => {
    const { cells } = memoryLayout(plan.collective, rank);
    return cell < cells ? [memory[bulk][rank], cell] : [scratch[bulk % plan.scratchPerBulk][rank], cell - cells];
  };
  const read = (rank: number, bulk: number, slice: Slice): string[] =>
    cellsOf(plan, rank, slice).map((cell) => {
      const [buffer, at] = access(rank, bulk, cell);
      return buffer[at];
    });
  const write = (rank: number, bulk: number, operation: Operation & { dst: Slice }, values: readonly string[]): void =>
    cellsOf(plan, rank, operation.dst).forEach((cell, index) => {
      const [buffer, at] = access(rank, bulk, cell);
      const reduces = operation.op === 'reduce' || operation.op === 'recvReduce';
      const reduced =
        reduces && operation.order === 'received-first' ? values[index] + buffer[at] : buffer[at] + values[index];
      buffer[at] = reduces ? reduced : values[index];
    });
  const attempt = (rank: number, bulk: number, operation: Operation): boolean => {
    if (operation.op === 'copy' || operation.op === 'reduce') {
      write(rank, bulk, operation, read(rank, bulk, operation.src));
      return true;
    }
    if (operation.op === 'send') {
      const { messages } = channel(rank, operation.peer, operation.channel);
      if (messages.length >= inflight) return false;
      messages.push(read(rank, bulk, operation.src));
      return true;
    }
    const message = channel(operation.peer, rank, operation.channel).messages.shift();
    if (message !== undefined) write(rank, bulk, operation, message);
    return message !== undefined;
  };

  const done = Array.from({ length: plan.bulks }, () => new Set<number>());
  const next = Array.from({ length: lanes }, (_, lane) => ({ bulk: 0, index: plan.firstOp[lane] }));
  const mayRun = (bulk: number, operation: number): boolean => {
    for (let a = plan.ops.firstAfter[operation]; a < plan.ops.firstAfter[operation + 1]; a++) {
      const earlier = bulk - plan.ops.afterBulks[a];
      if (earlier >= 0 && !done[earlier].has(plan.ops.afterOp[a])) return false;
    }
    return true;
  };
  for (;;) {
    const start = choose(lanes === 0 ? 1 : lanes);
    let ran = false;
    for (let turn = 0; turn < lanes && !ran; turn++) {
      const lane = (start + turn) % lanes;
      const position = next[lane];
      if (plan.firstOp[lane] === plan.firstOp[lane + 1] || position.bulk === plan.bulks) continue;
      if (!mayRun(position.bulk, position.index)) continue;
      if (!attempt(ranks[lane], position.bulk, operationAt(plan, position.index))) continue;
      done[position.bulk].add(position.index);
      position.index++;
      if (position.index === plan.firstOp[lane + 1]) {
        position.index = plan.firstOp[lane];
        position.bulk++;
      }
      ran = true;
    }
    if (!ran) break;
  }
  if (done.some((operations) => operations.size < plan.ops.kind.length)) return undefined;
  return memory.map((bulk) =>
    bulk.map((cells, rank) => {
      const { output } = memoryLayout(plan.collective, rank);
      return cells.slice(output, output + plan.buffers[rank].output);
    }),
  );
}

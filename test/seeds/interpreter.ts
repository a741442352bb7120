/** Runs a plan on numbers, one per chunk: an oracle that knows nothing of how plans are proved. */
import { memoryLayout } from '../../src/ir/collective.ts';
import { laneOf, type Operation, operationAt, operationCount, type Plan, type Slice } from '../../src/ir/plan.ts';

type Combine = (left: number, right: number) => number;

/**
 * Runs a plan of one bulk with unbounded channels.
 * @param input chunk `chunk` of rank `rank`'s input
 * @returns every rank's output; NaN where nothing was written
 */
export function run(plan: Plan, input: (rank: number, chunk: number) => number, combine: Combine): number[][] {
  const memory = plan.buffers.map((buffers, rank) => {
    const layout = memoryLayout(plan.collective, rank);
    const cells = new Array<number>(layout.cells + buffers.scratch).fill(Number.NaN);
    for (let chunk = 0; chunk < buffers.input; chunk++) cells[layout.input + chunk] = input(rank, chunk);
    return cells;
  });
  const firstCell = (rank: number, slice: Slice): number => {
    const layout = memoryLayout(plan.collective, rank);
    return { input: layout.input, output: layout.output, scratch: layout.cells }[slice.buffer] + slice.offset;
  };
  const channels = new Map<string, number[][]>();
  const channel = (from: number, to: number, number: number): number[][] => {
    const key = `${from} ${to} ${number}`;
    const waiting = channels.get(key) ?? [];
    channels.set(key, waiting);
    return waiting;
  };
  const read = (rank: number, slice: Slice): number[] => {
    const first = firstCell(rank, slice);
    return memory[rank].slice(first, first + slice.count);
  };
  const write = (rank: number, operation: Operation & { dst: Slice }, values: readonly number[]): void => {
    const first = firstCell(rank, operation.dst);
    values.forEach((value, index) => {
      const held = memory[rank][first + index];
      const reduces = operation.op === 'reduce' || operation.op === 'recvReduce';
      memory[rank][first + index] = !reduces
        ? value
        : operation.order === 'received-first'
          ? combine(value, held)
          : combine(held, value);
    });
  };
  /** Runs an operation if it can run now. */
  const attempt = (rank: number, operation: Operation): boolean => {
    switch (operation.op) {
      case 'copy':
      case 'reduce':
        write(rank, operation, read(rank, operation.src));
        return true;
      case 'send':
        channel(rank, operation.peer, operation.channel).push(read(rank, operation.src));
        return true;
      case 'recv':
      case 'recvReduce': {
        const message = channel(operation.peer, rank, operation.channel).shift();
        if (message !== undefined) write(rank, operation, message);
        return message !== undefined;
      }
    }
  };

  const done = new Set<number>();
  const lanes = plan.laneId.length;
  const next = Array.from({ length: lanes }, (_, lane) => plan.firstOp[lane]);
  const rankOf = (lane: number): number =>
    plan.firstLane.findIndex((first, rank) => first <= lane && lane < plan.firstLane[rank + 1]);
  for (let progress = true; progress; ) {
    progress = false;
    for (let lane = 0; lane < lanes; lane++) {
      const index = next[lane];
      if (index === plan.firstOp[lane + 1]) continue;
      const waits = plan.ops.afterOp.subarray(plan.ops.firstAfter[index], plan.ops.firstAfter[index + 1]);
      if (!waits.every((other) => done.has(other)) || !attempt(rankOf(lane), operationAt(plan, index))) continue;
      done.add(index);
      next[lane]++;
      progress = true;
    }
  }
  if (done.size !== operationCount(plan)) {
    const stuck = next.findIndex((index, lane) => index < plan.firstOp[lane + 1]);
    throw new Error(`stuck at lane ${stuck}, operation ${laneOf(plan, next[stuck]).index}`);
  }
  return plan.buffers.map((buffers, rank) => {
    const { output } = memoryLayout(plan.collective, rank);
    return memory[rank].slice(output, output + buffers.output);
  });
}

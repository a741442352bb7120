/** Makes the table of the shards that each node has after each step, for collectives that only move data (as textbooks show an allgather). */
import type { Collective } from '../../../ir/collective.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import type { Table } from '../table.ts';
import { shardPart, subscript } from './names.ts';
import { SlotRun, type SlotValue } from './symbolic-run.ts';

/** What a node has received so far: shards in order of arrival, each with its parts. */
type Holdings = Map<string, Set<number>>;

export interface HeldTable {
  /** Columns `Step`, `Node 0`, …; rows `Initial`, `Step 1`, … */
  readonly table: Table;
  /** `chunks[step][rank]`: number of different chunks that a rank has received by the end of a step (step 0: the start). */
  readonly chunks: readonly (readonly number[])[];
}

/** Makes the table of shards that nodes have received, anywhere in their memory. A shard that is overwritten later stays in the list. */
export function heldTable(schedule: Schedule): HeldTable {
  const { collective } = schedule;
  const run = new SlotRun(schedule);
  const holdings: Holdings[] = run.memories.map(() => new Map());
  const note = (rank: number, value: SlotValue): void => {
    for (const { rank: source, chunk } of value ?? []) {
      const { shard, part } = shardPart(collective, source, chunk);
      const parts = holdings[rank].get(shard) ?? new Set();
      holdings[rank].set(shard, parts.add(part));
    }
  };
  run.memories.forEach((memory, rank) => {
    for (const value of memory.input) note(rank, value);
  });
  const rows = [['Initial', ...holdings.map((held) => heldCell(held, collective))]];
  const chunks = [holdings.map(chunkCount)];
  for (let step = 0; step < schedule.steps.stepCount; step++) {
    for (const { rank, value } of run.run(step)) note(rank, value);
    rows.push([`Step ${step + 1}`, ...holdings.map((held) => heldCell(held, collective))]);
    chunks.push(holdings.map(chunkCount));
  }
  return { table: { header: ['Step', ...holdings.map((_, rank) => `Node ${rank}`)], rows }, chunks };
}

/** `[A,D]`, or `[A,D₀]` when only chunk 0 of shard D has arrived. */
function heldCell(held: Holdings, collective: Collective): string {
  const whole = collective.kind === 'broadcast' ? 1 : collective.chunks;
  const names = [...held].map(([shard, parts]) =>
    parts.size === whole
      ? shard
      : shard +
        [...parts]
          .sort((a, b) => a - b)
          .map(subscript)
          .join('₊'),
  );
  return `[${names.join(',')}]`;
}

function chunkCount(held: Holdings): number {
  return [...held.values()].reduce((sum, parts) => sum + parts.size, 0);
}

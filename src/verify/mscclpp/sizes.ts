/**
 * The sizes of message that a plan is judged at. Without groups of blocks and pipelines one size stands for all. Groups
 * divide chunks evenly at one size and unevenly at another; pipelines run once, twice, three times, and once more than
 * fits their scratch.
 */
import type { ExecutionOperation, ExecutionPlan } from '../../ir/execution-plan.ts';
import type { Bytes } from '../../ir/units.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { pieceOfScratch, type Scale, shareOf } from './layout.ts';

/** Cells that a chunk may have: sizes that would need more are left out. */
const mostCells = 512;

/** Every size to judge at, the smallest first; empty where the file allows none that can be. */
export function scalesOf(plan: ExecutionPlan): readonly Scale[] {
  const operations = allOperations(plan);
  const parts = [...new Set(operations.map(({ share }) => share?.blocks ?? 1))];
  const loops = operations.flatMap(({ loop }) => (loop === undefined ? [] : [loop]));
  const { alignment } = plan;
  const even = parts.reduce(leastCommonMultiple, 1) * alignment;
  const chunks = new Set<Bytes>();
  const { least, most } = chunkLimits(plan);
  const up = (bytes: Bytes, unit: Bytes): Bytes => Math.max(1, Math.ceil(bytes / unit)) * unit;
  if (loops.length === 0) {
    chunks.add(up(Math.max(least, even), even));
    if (parts.some((blocks) => blocks > 1)) {
      chunks.add(up(least, alignment));
      chunks.add(up(Math.max(least, even), even) + alignment);
    }
  }
  for (const { unit, chunks: looped } of loops) {
    const once = up(unit / Math.max(1, looped), even);
    const wraps = plan.reuseResources ? wrapping(plan, unit) : [];
    for (const times of [1, 2, 3, 1.5, ...wraps]) chunks.add(up(once * times, even));
  }
  return [...chunks]
    .filter((chunk) => chunk >= least && chunk <= most)
    .sort((a, b) => a - b)
    .map((chunk) => ({ chunk, cell: cellOf(plan, operations, chunk) }))
    .filter(({ chunk, cell }) => chunk / cell <= mostCells);
}

/** Iterations after which a pipeline comes back to scratch that it has used, and one more. */
function wrapping({ gpus, ...plan }: ExecutionPlan, unit: Bytes): readonly number[] {
  return gpus
    .filter(({ chunks }) => chunks.scratch > 0)
    .map(({ chunks }) => Math.ceil(pieceOfScratch({ gpus, ...plan }, chunks.scratch) / unit) + 1);
}

/** Bytes of a chunk that the file's limits for messages leave. */
function chunkLimits({ gpus, collective, messages }: ExecutionPlan): { readonly least: Bytes; readonly most: Bytes } {
  const counts = gpus.map(({ chunks }) => (collective === 'allgather' ? chunks.output : chunks.input));
  const count = Math.max(1, ...counts);
  return { least: Math.ceil(messages.least / count), most: Math.floor(messages.most / count) };
}

export function allOperations({ gpus }: ExecutionPlan): readonly ExecutionOperation[] {
  return gpus
    .flatMap(({ blocks }) => blocks.flatMap(({ operations }) => operations))
    .flatMap((operation) => [operation, ...(operation.loop?.operations ?? [])]);
}

/** The largest piece that no chunk, share and unit of a pipeline divides. */
function cellOf(plan: ExecutionPlan, operations: readonly ExecutionOperation[], chunk: Bytes): Bytes {
  let cell = chunk;
  const divide = (bytes: Bytes): void => {
    if (Number.isFinite(bytes)) cell = greatestCommonDivisor(cell, bytes);
  };
  for (const { share, sources, loop } of operations) {
    if (share !== undefined) {
      for (const { size } of sources) {
        const part = shareOf(size * chunk, plan.alignment, share);
        divide(part.start);
        divide(part.bytes);
      }
    }
    if (loop !== undefined) divide(loop.unit);
  }
  if (plan.reuseResources) {
    for (const { chunks } of plan.gpus) divide(Math.min(chunk, pieceOfScratch(plan, chunks.scratch)) || chunk);
  }
  return cell;
}

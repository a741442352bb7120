/**
 * Chooses the message sizes at which a plan is checked. Without groups of blocks and pipelines one size stands for all. Groups are checked at a size
 * that they divide evenly and at one that they do not; pipelines are checked for one, two and three iterations, and for one more than their scratch
 * can hold.
 */
import { CccError } from '../../ir/diagnostic.ts';
import type { Bytes } from '../../ir/units.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { ExecutionOperation, ExecutionPlan } from '../execution-plan.ts';
import { type JudgedSize, pieceOfScratch, shareOf } from './layout.ts';
import { judged } from './limits.ts';

/**
 * The sizes, in ascending order.
 * @throws CccError 'unsupported' if chunks would have to be divided too finely, or if the file allows none of the sizes
 */
export function scalesOf(plan: ExecutionPlan): readonly JudgedSize[] {
  const operations = allOperations(plan);
  const { least, most } = chunkLimits(plan);
  const chunks = [...new Set(chunksOf(plan, operations, least))]
    .filter((chunk) => chunk >= least && chunk <= most)
    .sort((a, b) => a - b);
  const scales = chunks.map((chunk) => ({ chunk, cell: cellOf(plan, operations, chunk) }));
  if (scales.length === 0)
    throw unsuited(plan, 'the sizes of message that the file allows are not among those that show what it does');
  if (scales.some(({ chunk, cell }) => chunk / cell > judged.cells)) {
    throw unsuited(plan, `its groups and pipelines divide chunks into more than ${judged.cells} pieces`);
  }
  return scales;
}

/** The size with chunks of so many bytes, or of the next larger number that all groups of blocks divide evenly. */
export function scaleFor(plan: ExecutionPlan, bytes: Bytes): JudgedSize {
  const operations = allOperations(plan);
  const even = evenly(plan, operations);
  const chunk = Math.max(1, Math.ceil(bytes / even)) * even;
  return { chunk, cell: cellOf(plan, operations, chunk) };
}

/** Chunks whose bytes are a multiple of the returned number are divided evenly by all groups of blocks. */
function evenly({ alignment }: ExecutionPlan, operations: readonly ExecutionOperation[]): Bytes {
  return operations.map(({ share }) => share?.blocks ?? 1).reduce(leastCommonMultiple, 1) * alignment;
}

function unsuited(plan: ExecutionPlan, message: string): CccError {
  return new CccError('unsupported', message, plan.range);
}

/** The bytes of a chunk at each size. */
function chunksOf(plan: ExecutionPlan, operations: readonly ExecutionOperation[], least: Bytes): readonly Bytes[] {
  const { alignment } = plan;
  const loops = operations.flatMap(({ loop }) => (loop === undefined ? [] : [loop]));
  const even = evenly(plan, operations);
  const up = (bytes: Bytes, unit: Bytes): Bytes => Math.max(1, Math.ceil(bytes / unit)) * unit;
  if (loops.length === 0) {
    const evenly = up(least, even);
    if (even === alignment) return [evenly];
    // Uneven shares matter most for small chunks, since the relative difference of the shares decreases with the size.
    const unevenly = (evenly + alignment) / alignment <= judged.cells ? [evenly + alignment] : [];
    const tiny = up(least, alignment);
    return [...(tiny / alignment <= judged.cells ? [tiny] : []), evenly, ...unevenly];
  }
  return loops.flatMap(({ unit, chunks }) => {
    const part = unit / Math.max(1, chunks);
    const once = part % even === 0 ? part : leastCommonMultiple(unit, even);
    const times = [1, 2, 3, ...(plan.reuseResources ? wrapping(plan, unit) : [])].map((count) => count * once);
    return (once / 2) % even === 0 ? [...times, 1.5 * once] : times;
  });
}

/** The number of iterations after which a pipeline reuses scratch, plus one. */
function wrapping({ gpus, ...plan }: ExecutionPlan, unit: Bytes): readonly number[] {
  return gpus
    .filter(({ chunks }) => chunks.scratch > 0)
    .map(({ chunks }) => Math.ceil(pieceOfScratch({ gpus, ...plan }, chunks.scratch) / unit) + 1);
}

/** The minimum and maximum bytes of a chunk under the file's limits on messages. */
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

/** The largest unit that no chunk, share or unit of a pipeline divides. */
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

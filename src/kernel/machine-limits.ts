/** Section 8 of docs/verification.md: if the plan states limits of its machine, they are limits, and its chunks are whole units of memory. */
import { chunksPerShard } from './collective.ts';
import { isWhole, none, Refusal, requireForm } from './refusal.ts';
import { operationCode, type PlanTables } from './tables.ts';

/** @throws Refusal 'malformed' or 'over-capacity' */
export function checkMachineLimits({ collective, bulks, buffers, size, limits, ops }: PlanTables): void {
  const { alignment, messageIds } = limits ?? {};
  requireForm(isWhole(size ?? 0, 0), 'size is not a whole number of bytes');
  requireForm(isWhole(messageIds ?? 1, 1), 'limits.messageIds is not a whole number of at least 1');
  requireForm(isWhole(alignment ?? 1, 1), 'limits.alignment is not a whole number of at least 1');
  const send = ops.kind.indexOf(operationCode.send);
  if (alignment === undefined || send === none) return;
  const chunks = chunksPerShard(collective);
  // A shard is cut on units. So all chunks of all bulks are whole units exactly if the shard is, and has one unit for each of them.
  const isWholeUnits = (bytes: number, shards: number): boolean =>
    bytes % (shards * alignment) === 0 && (bytes === 0 || bytes >= bulks * chunks * shards * alignment);
  const largestBuffer = buffers.reduce((max, { input, output }) => Math.max(max, input, output), 1);
  const areWholeUnits =
    collective.counts?.every((bytes) => isWholeUnits(bytes, 1)) ??
    isWholeUnits(size ?? Number.NaN, largestBuffer / chunks);
  if (!areWholeUnits)
    throw new Refusal('over-capacity', `chunks are not one or more units of ${alignment} bytes`, send);
}

/** Refuses requests that no plan can satisfy within the limits, before a search begins. */
import { type Collective, inputChunks, messageChunks, outputChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';

/** The part of a request that decides this. */
interface Asked {
  readonly collective: Collective;
  readonly engine: string;
  readonly algorithm?: unknown;
  readonly limits: Limits;
}

/** @throws CccError 'limit' */
export function checkRequestFitsLimits(asked: Asked): void {
  checkMemory(asked);
  checkMoves(asked);
  checkParcels(asked);
}

/** Checks that the memory of all ranks fits the limit; otherwise no plan could be proved. */
function checkMemory({ collective, limits }: Asked): void {
  const { ranks } = collective;
  const slots = ranks * Math.max(inputChunks(collective, 0), outputChunks(collective, 0));
  if (collective.kind === 'custom' || slots <= limits.slots) return;
  const message = `the buffers of ${ranks} ranks have ${slots} chunks or more, beyond the limit slots = ${limits.slots}`;
  throw new CccError('limit', message);
}

/**
 * Every rank of an allgather gets the shards of all others, and in a reducescatter sends a part of each: the proof follows every chunk that
 * is sent, and that is received. What is reduced is copied first.
 */
function checkMoves({ collective, limits }: Asked): void {
  const { kind, ranks, counts } = collective;
  if ((kind !== 'allgather' && kind !== 'reducescatter') || counts !== undefined) return;
  const moved = 2 * (ranks - 1) * messageChunks(collective);
  if (moved <= limits.slots) return;
  const enough = 4 * ranks * messageChunks(collective);
  const what = `${kind} of ${ranks} ranks sends and receives ${moved} chunks or more`;
  throw new CccError(
    'limit',
    `the ${what}, beyond the limit slots = ${limits.slots} (--limit slots=${enough} is mostly enough)`,
  );
}

/**
 * An alltoall has a parcel for each pair of ranks, and no algorithm that is known sends fewer pieces than there are parcels: where they are
 * too many, that is said before any is made.
 */
function checkParcels({ collective, engine, algorithm, limits }: Asked): void {
  const { kind, ranks } = collective;
  const parcels = ranks * (ranks - 1);
  if (kind !== 'alltoall' || engine !== 'auto' || algorithm !== undefined || parcels <= limits.operations) return;
  const message = `an alltoall of ${ranks} ranks has ${parcels} parcels, more than the limit operations = ${limits.operations}`;
  throw new CccError('limit', message);
}

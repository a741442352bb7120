/** Variants of staged schedules (stage.ts) with their local copies in another order. Messages between ranks are unchanged. */
import type { Collective } from '../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/** A variant of a schedule, with a name for reports. */
export interface CopyOrder {
  readonly name: string;
  readonly schedule: Schedule;
}

/**
 * The variants. In the first, a rank copies its own shard to the output at the start of the lane of copies to the output; otherwise that copy has a
 * lane of its own, which competes with the others for the copy engine. The second also copies chunks of the input to scratch in the order in which
 * they are needed, not all at once.
 *
 * @param staged a schedule as `stage` makes it, out of place
 * @returns the variants; none for schedules to which they do not apply
 */
export function copyOrders(staged: Schedule): readonly CopyOrder[] {
  const ownFirst = withOwnFirst(staged);
  if (ownFirst === undefined) return [];
  return [
    { name: 'own first', schedule: ownFirst },
    { name: 'own first, in the order of need', schedule: withCopiesWhenNeeded(ownFirst) },
  ];
}

/** The first chunk of a rank's own shard in its input and in its output; undefined for collectives whose ranks keep no shard. */
function ownShard(
  { kind, chunks }: Collective,
  rank: number,
): { readonly from: number; readonly to: number } | undefined {
  if (kind === 'alltoall') return { from: rank * chunks, to: rank * chunks };
  return kind === 'allgather' ? { from: 0, to: rank * chunks } : undefined;
}

function withOwnFirst(staged: Schedule): Schedule | undefined {
  const { collective } = staged;
  const steps = stepsOf(staged);
  const out = steps.flat().find((transfer) => isLocal(transfer) && transfer.pieces[0].to === 'output');
  if (out === undefined || collective.inPlace) return undefined;
  const copies: Transfer[] = [];
  for (let rank = 0; rank < collective.ranks; rank++) {
    const own = ownShard(collective, rank);
    if (own === undefined) return undefined;
    const piece: Piece = {
      from: 'input',
      fromOffset: own.from,
      to: 'output',
      toOffset: own.to,
      count: collective.chunks,
    };
    copies.push({ ...out, source: rank, destination: rank, pieces: [piece] });
  }
  return rebuilt(staged, [[...copies, ...steps[0]], ...steps.slice(1)]);
}

/** Copies every chunk of the input to scratch one step before it is first read. */
function withCopiesWhenNeeded(staged: Schedule): Schedule {
  const before = stepsOf(staged);
  const readIn = firstReads(staged, before);
  const isCopyIn = (transfer: Transfer): boolean =>
    isLocal(transfer) && transfer.pieces.every(({ from, to }) => from === 'input' && to === 'scratch');
  const steps = before.map((transfers) => transfers.filter((transfer) => !isCopyIn(transfer)));
  for (const transfer of before.flat().filter(isCopyIn)) {
    const byStep = new Map<number, Piece[]>();
    for (const piece of transfer.pieces) {
      for (let chunk = 0; chunk < piece.count; chunk++) {
        const read = readIn[transfer.source].get(piece.toOffset + chunk) ?? 1;
        const one = { ...piece, fromOffset: piece.fromOffset + chunk, toOffset: piece.toOffset + chunk, count: 1 };
        const step = Math.max(0, read - 1);
        byStep.set(step, [...(byStep.get(step) ?? []), one]);
      }
    }
    for (const [step, pieces] of byStep) {
      for (const piece of joinPieces(pieces)) steps[step].push({ ...transfer, pieces: [piece] });
    }
  }
  return rebuilt(staged, steps);
}

/** By rank and chunk of scratch: the first step that reads it. */
function firstReads({ collective }: Schedule, steps: readonly (readonly Transfer[])[]): Map<number, number>[] {
  const reads = Array.from({ length: collective.ranks }, () => new Map<number, number>());
  steps.forEach((transfers, step) => {
    for (const { source, pieces } of transfers) {
      for (const { from, fromOffset, count } of pieces) {
        for (let slot = fromOffset; from === 'scratch' && slot < fromOffset + count; slot++) {
          if (!reads[source].has(slot)) reads[source].set(slot, step);
        }
      }
    }
  });
  return reads;
}

function isLocal({ source, destination }: Transfer): boolean {
  return source === destination;
}

function stepsOf({ steps }: Schedule): Transfer[][] {
  return Array.from({ length: steps.stepCount }, (_, step) => steps.inStep(step));
}

function rebuilt(schedule: Schedule, steps: readonly (readonly Transfer[])[]): Schedule {
  const builder = new StepsBuilder();
  for (const transfers of steps) {
    for (const transfer of transfers) builder.add(transfer);
    builder.endStep();
  }
  return { ...schedule, steps: builder.build() };
}

/**
 * Executes a schedule on symbolic values for display: which input chunks each slot is the sum of. It follows the semantics in `ir/schedule.ts` and
 * checks nothing, since proving is left to the verifier, which works on plans. Only for small schedules.
 */
import { inputChunks, outputChunks } from '../../../ir/collective.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, scheduleBuffers } from '../../../ir/schedule.ts';

/** An input chunk in a sum, and its multiplicity, which exceeds 1 only in wrong schedules and with idempotent operators. */
export interface Term {
  readonly rank: number;
  readonly chunk: number;
  readonly times: number;
}

/** The content of a slot: the reduction of its terms, ordered by rank, then chunk; undefined if nothing has been written to it. */
export type SlotValue = readonly Term[] | undefined;

/** Each rank's slots, buffer by buffer. */
export type SlotMemory = Readonly<Record<ScheduleBuffer, SlotValue[]>>;

/** One slot written in a step. */
export interface SlotWrite {
  readonly rank: number;
  readonly buffer: ScheduleBuffer;
  readonly slot: number;
  readonly value: SlotValue;
}

/** The state of all ranks, step by step. */
export class SlotRun {
  readonly schedule: Schedule;
  readonly memories: readonly SlotMemory[];

  constructor(schedule: Schedule) {
    this.schedule = schedule;
    const ranks = Array.from({ length: schedule.collective.ranks }, (_, rank) => rank);
    this.memories = ranks.map((rank) => initialMemory(schedule, rank));
  }

  /** Executes one step and returns its writes in the order of its transfers. */
  run(step: number): SlotWrite[] {
    const arriving = this.reads(step);
    return arriving.map(({ reduces, rank, buffer, slot, value }) => {
      const slots = this.memories[rank][buffer];
      slots[slot] = reduces ? combined(slots[slot], value) : value;
      return { rank, buffer, slot, value: slots[slot] };
    });
  }

  /** Returns what the transfers of a step carry; a step reads everything before it writes anything. */
  private reads(step: number): (SlotWrite & { readonly reduces: boolean })[] {
    return this.schedule.steps.inStep(step).flatMap((transfer) =>
      transfer.pieces.flatMap((piece) =>
        Array.from({ length: piece.count }, (_, index) => ({
          reduces: transfer.kind === 'reduce',
          rank: transfer.destination,
          buffer: piece.to,
          slot: piece.toOffset + index,
          value: this.memories[transfer.source][piece.from][piece.fromOffset + index],
        })),
      ),
    );
  }
}

/** Returns the cost of a run: slots that it keeps plus chunks that it moves. */
export function runSize(schedule: Schedule): number {
  const { collective, scratch, steps } = schedule;
  let size = 0;
  for (let rank = 0; rank < collective.ranks; rank++)
    size +=
      dataWindow(collective, rank).size + inputChunks(collective, rank) + outputChunks(collective, rank) + scratch;
  for (const count of steps.count) size += count;
  return size;
}

/** Returns the buffers that at least one transfer writes. */
export function writtenBuffers(schedule: Schedule): readonly ScheduleBuffer[] {
  const written = new Set(schedule.steps.to);
  return scheduleBuffers.filter((_, code) => written.has(code));
}

function initialMemory(schedule: Schedule, rank: number): SlotMemory {
  const { collective } = schedule;
  const input = Array.from({ length: inputChunks(collective, rank) }, (_, chunk) => [{ rank, chunk, times: 1 }]);
  const window = dataWindow(collective, rank);
  const data = new Array<SlotValue>(window.size).fill(undefined);
  if (window.input >= 0) data.splice(window.input, input.length, ...input);
  return {
    data,
    input,
    output: new Array<SlotValue>(outputChunks(collective, rank)).fill(undefined),
    scratch: new Array<SlotValue>(schedule.scratch).fill(undefined),
  };
}

/** Adds two sums by merging their ascending lists of terms. */
function combined(held: SlotValue, arriving: SlotValue): SlotValue {
  if (held === undefined || arriving === undefined) return undefined;
  const terms: Term[] = [];
  let h = 0;
  let a = 0;
  while (h < held.length && a < arriving.length) {
    const order = held[h].rank - arriving[a].rank || held[h].chunk - arriving[a].chunk;
    if (order < 0) terms.push(held[h++]);
    else if (order > 0) terms.push(arriving[a++]);
    else terms.push({ ...held[h], times: held[h++].times + arriving[a++].times });
  }
  return [...terms, ...held.slice(h), ...arriving.slice(a)];
}

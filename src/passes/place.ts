/** Small schedules as parts of a large one: each runs among some of the ranks, on some of their data. */
import type { Collective } from '../ir/collective.ts';
import { messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/** Where a schedule runs. */
export interface Placement {
  /** Works on `data` and scratch only. */
  readonly schedule: Schedule;
  /** `members[r]` plays its rank r. */
  readonly members: readonly number[];
  /**
   * The chunks of the whole's data that are its data, the same at every member and in its order; a multiple of its data
   * chunks: each of those then stands for several.
   */
  readonly slots: Int32Array;
  /**
   * Where its chunks do not all stand for as many: those of its data chunk c are `slots` from `starts[c]` up to `starts[c + 1]`, and messages of
   * nothing are not sent. For schedules in which data keeps its place, without scratch.
   */
  readonly starts?: Int32Array | undefined;
}

/**
 * Runs schedules side by side, step by step, on the target's `data`. No rank may be a member of two of them.
 *
 * @param channelShift added to all their channels, so that they do not share lanes with what runs before or after
 * @throws CccError 'schedule' for data that cannot be divided as they need it, or schedules that work on other buffers
 */
export function place(
  placements: readonly Placement[],
  target: { readonly name: string; readonly collective: Collective },
  channelShift = 0,
): Schedule {
  const builder = new StepsBuilder();
  const most = (count: (placement: Placement) => number): number =>
    placements.reduce((largest, placement) => Math.max(largest, count(placement)), 0);
  const stepCount = most(({ schedule }) => schedule.steps.stepCount);
  for (let step = 0; step < stepCount; step++) {
    for (const placement of placements) addStep(builder, placement, step, channelShift);
    builder.endStep();
  }
  return {
    ...target,
    scratch: most(({ schedule, ...where }) =>
      schedule.scratch === 0 ? 0 : schedule.scratch * grainOf(schedule, where),
    ),
    commutative: placements.some(({ schedule }) => schedule.commutative),
    ring: false,
    steps: builder.build(),
  };
}

function addStep(builder: StepsBuilder, placement: Placement, step: number, channelShift: number): void {
  const { schedule, members } = placement;
  if (step >= schedule.steps.stepCount) return;
  const put = placing(placement);
  for (const transfer of schedule.steps.inStep(step)) {
    const pieces = joinPieces(transfer.pieces.flatMap(put));
    if (pieces.length === 0) continue;
    builder.add({
      ...transfer,
      source: members[transfer.source],
      destination: members[transfer.destination],
      channel: transfer.channel + channelShift,
      pieces,
    });
  }
}

/** What makes pieces of the whole from those of the schedule. */
function placing(placement: Placement): (piece: Piece) => Piece[] {
  const { starts } = placement;
  if (starts !== undefined) return (piece) => placedUnevenly(piece, placement, starts);
  const grain = grainOf(placement.schedule, placement);
  return (piece) => placed(piece, placement, grain);
}

/** Chunks of the whole that one chunk of the schedule stands for. */
function grainOf(schedule: Schedule, { slots, starts }: Omit<Placement, 'schedule'>): number {
  const grain = slots.length / messageChunks(schedule.collective);
  if (Number.isInteger(grain) && starts === undefined) return grain;
  const has = messageChunks(schedule.collective);
  throw new CccError('schedule', `${schedule.name} works on ${has} chunks, which cannot stand for ${slots.length}`);
}

/** The chunks of a piece, one by one, where they are in the whole. */
function placed(piece: Piece, { schedule, slots }: Placement, grain: number): Piece[] {
  const at = (buffer: ScheduleBuffer, offset: number): number => {
    if (buffer === 'data') return slots[offset];
    if (buffer === 'scratch') return offset;
    throw new CccError('schedule', `${schedule.name} names its ${buffer}, which a part of a schedule does not have`);
  };
  return Array.from({ length: piece.count * grain }, (_, chunk) => ({
    ...piece,
    fromOffset: at(piece.from, piece.fromOffset * grain + chunk),
    toOffset: at(piece.to, piece.toOffset * grain + chunk),
    count: 1,
  }));
}

/** Every chunk of the whole that the chunks of a piece stand for, on both sides. */
function placedUnevenly(piece: Piece, { schedule, slots }: Placement, starts: Int32Array): Piece[] {
  const { from, to, fromOffset, toOffset, count } = piece;
  if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) {
    throw new CccError('schedule', `${schedule.name} moves data to other places, where chunks are not of one size`);
  }
  return Array.from(slots.subarray(starts[fromOffset], starts[fromOffset + count]), (slot) => {
    return { ...piece, fromOffset: slot, toOffset: slot, count: 1 };
  });
}

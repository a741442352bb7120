/** Small schedules as parts of a large one: each runs among some of the ranks, on some of their data. */
import type { Collective } from '../ir/collective.ts';
import { messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, type Steps, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/** Where a schedule runs. */
export interface SchedulePlacement {
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
 * Runs schedules side by side, step by step, on the target's `data`. A rank may be a member of several that work on chunks of their own; each has scratch of its
 * own there.
 *
 * @param channelShift added to all their channels, so that they do not share lanes with what runs before or after
 * @throws CccError 'schedule' for data that cannot be divided as they need it, or schedules that work on other buffers
 */
export function place(
  placements: readonly SchedulePlacement[],
  target: { readonly name: string; readonly collective: Collective },
  channelShift = 0,
): Schedule {
  const builder = new StepsBuilder();
  const put = placements.map(placing);
  const { starts, scratch } = scratchOf(placements);
  for (const stepOf of sideBySide(placements)) {
    for (const [index, placement] of placements.entries()) {
      const step = stepOf.get(placement.schedule);
      if (step !== undefined) {
        addStep(builder, placement, step, channelShift, (piece) => put[index](piece, starts[index]));
      }
    }
    builder.endStep();
  }
  return {
    ...target,
    scratch,
    commutative: placements.some(({ schedule }) => schedule.commutative),
    ring: false,
    steps: builder.build(),
  };
}

/**
 * Which of its steps each schedule makes at a time. What ranks do on their own between messages comes before the next messages of anybody: a chip
 * that cannot send while it reduces would else be kept by what it has to send for another schedule.
 */
function sideBySide(placements: readonly SchedulePlacement[]): readonly ReadonlyMap<Schedule, number>[] {
  const schedules = new Set(placements.map(({ schedule }) => schedule));
  const rounds: { readonly local: Map<Schedule, number>[]; readonly messages: Map<Schedule, number> }[] = [];
  for (const schedule of schedules) {
    const { steps } = schedule;
    for (let step = 0, round = 0, own = 0; step < steps.stepCount; step++) {
      rounds[round] ??= { local: [], messages: new Map() };
      const { local, messages } = rounds[round];
      if (isLocal(steps, step)) {
        local[own] ??= new Map();
        local[own++].set(schedule, step);
      } else {
        messages.set(schedule, step);
        round++;
        own = 0;
      }
    }
  }
  return rounds.flatMap(({ local, messages }) => [...local, messages]);
}

function isLocal({ stepStart, source, destination }: Steps, step: number): boolean {
  for (let t = stepStart[step]; t < stepStart[step + 1]; t++) if (source[t] !== destination[t]) return false;
  return true;
}

/** Where the scratch of each begins, behind that of those before that share a member with it; and how much there is in all. */
function scratchOf(placements: readonly SchedulePlacement[]): {
  readonly starts: readonly number[];
  readonly scratch: number;
} {
  const used = new Map<number, number>();
  let scratch = 0;
  const starts = placements.map(({ schedule, members, ...where }) => {
    if (schedule.scratch === 0) return 0;
    const start = members.reduce((most, rank) => Math.max(most, used.get(rank) ?? 0), 0);
    const end = start + schedule.scratch * grainOf(schedule, where);
    for (const rank of members) used.set(rank, end);
    scratch = Math.max(scratch, end);
    return start;
  });
  return { starts, scratch };
}

function addStep(
  builder: StepsBuilder,
  { schedule, members }: SchedulePlacement,
  step: number,
  channelShift: number,
  put: (piece: Piece) => Piece[],
): void {
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

/** What makes pieces of the whole from those of the schedule, with its scratch from a place on. */
function placing(placement: SchedulePlacement): (piece: Piece, scratch: number) => Piece[] {
  const { starts } = placement;
  if (starts !== undefined) return (piece) => placedUnevenly(piece, placement, starts);
  const grain = grainOf(placement.schedule, placement);
  return (piece, scratch) => placed(piece, placement, grain, scratch);
}

/** Chunks of the whole that one chunk of the schedule stands for. */
function grainOf(schedule: Schedule, { slots, starts }: Omit<SchedulePlacement, 'schedule' | 'members'>): number {
  const grain = slots.length / messageChunks(schedule.collective);
  if (Number.isInteger(grain) && starts === undefined) return grain;
  const has = messageChunks(schedule.collective);
  throw new CccError('schedule', `${schedule.name} works on ${has} chunks, which cannot stand for ${slots.length}`);
}

/** The chunks of a piece where they are in the whole, as few pieces as may be. */
function placed(piece: Piece, { schedule, slots }: SchedulePlacement, grain: number, scratch: number): Piece[] {
  const at = (buffer: ScheduleBuffer, offset: number): number => {
    if (buffer === 'data') return slots[offset];
    if (buffer === 'scratch') return scratch + offset;
    throw new CccError('schedule', `${schedule.name} names its ${buffer}, which a part of a schedule does not have`);
  };
  const { from, to } = piece;
  const pieces: Piece[] = [];
  for (let chunk = 0; chunk < piece.count * grain; ) {
    const fromOffset = at(from, piece.fromOffset * grain + chunk);
    const toOffset = at(to, piece.toOffset * grain + chunk);
    let count = 1;
    while (
      chunk + count < piece.count * grain &&
      at(from, piece.fromOffset * grain + chunk + count) === fromOffset + count &&
      at(to, piece.toOffset * grain + chunk + count) === toOffset + count
    ) {
      count++;
    }
    pieces.push({ ...piece, fromOffset, toOffset, count });
    chunk += count;
  }
  return pieces;
}

/** Every chunk of the whole that the chunks of a piece stand for, on both sides. */
function placedUnevenly(piece: Piece, { schedule, slots }: SchedulePlacement, starts: Int32Array): Piece[] {
  const { from, to, fromOffset, toOffset, count } = piece;
  if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) {
    throw new CccError('schedule', `${schedule.name} moves data to other places, where chunks are not of one size`);
  }
  return Array.from(slots.subarray(starts[fromOffset], starts[fromOffset + count]), (slot) => {
    return { ...piece, fromOffset: slot, toOffset: slot, count: 1 };
  });
}

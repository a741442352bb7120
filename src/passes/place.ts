/** Combines small schedules to a large one: each runs among some of the ranks, on part of their data. */
import type { Collective } from '../ir/collective.ts';
import { messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, type Steps, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/** A schedule and the ranks and data of the large schedule on which it runs. */
export interface SchedulePlacement {
  /** A schedule that uses `data` and scratch only. */
  readonly schedule: Schedule;
  /** By rank of the small schedule: the rank of the large one that plays it. */
  readonly members: readonly number[];
  /**
   * The chunks of the large schedule's data that the small one works on, the same at every member, in the order of the small one's data. Their number
   * is a multiple of that of its data chunks, each of which then stands for several.
   */
  readonly slots: Int32Array;
  /**
   * Given if the small schedule's chunks stand for different numbers of chunks: its data chunk c stands for `slots` from `starts[c]` up to, not
   * including, `starts[c + 1]`. Messages without chunks are not sent. Only for schedules without scratch that move chunks between equal offsets.
   */
  readonly starts?: Int32Array | undefined;
}

/**
 * Runs schedules side by side, step by step, on the target's `data`. A rank may be a member of several schedules that work on different chunks; each
 * has scratch of its own there.
 *
 * @param channelShift added to all channels, so that lanes are not shared with schedules that run before or after
 * @throws CccError 'schedule' if the data cannot be divided as a schedule needs it, or if a schedule works on other buffers
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
 * Aligns the steps of the schedules: for each resulting step, the step of each schedule that runs in it. Local steps of all schedules precede the
 * next messages of any schedule. Otherwise a chip that cannot send while it reduces would delay its reductions by messages of another schedule.
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

/** The first chunk of scratch of each placement, behind those of earlier placements with a common member, and the total number of chunks. */
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

/** The function that translates pieces of a small schedule to pieces of the large one; `scratch` is the first chunk of its scratch. */
function placing(placement: SchedulePlacement): (piece: Piece, scratch: number) => Piece[] {
  const { starts } = placement;
  if (starts !== undefined) return (piece) => placedUnevenly(piece, placement, starts);
  const grain = grainOf(placement.schedule, placement);
  return (piece, scratch) => placed(piece, placement, grain, scratch);
}

/** The number of chunks of the large schedule for which one chunk of the small one stands. */
function grainOf(schedule: Schedule, { slots, starts }: Omit<SchedulePlacement, 'schedule' | 'members'>): number {
  const grain = slots.length / messageChunks(schedule.collective);
  if (Number.isInteger(grain) && starts === undefined) return grain;
  const has = messageChunks(schedule.collective);
  throw new CccError('schedule', `${schedule.name} works on ${has} chunks, which cannot stand for ${slots.length}`);
}

/** Translates a piece, to as few pieces as possible. */
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

/** Translates a piece for chunks that stand for different numbers of chunks. */
function placedUnevenly(piece: Piece, { schedule, slots }: SchedulePlacement, starts: Int32Array): Piece[] {
  const { from, to, fromOffset, toOffset, count } = piece;
  if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) {
    throw new CccError('schedule', `${schedule.name} moves data to other places, where chunks are not of one size`);
  }
  return Array.from(slots.subarray(starts[fromOffset], starts[fromOffset + count]), (slot) => {
    return { ...piece, fromOffset: slot, toOffset: slot, count: 1 };
  });
}

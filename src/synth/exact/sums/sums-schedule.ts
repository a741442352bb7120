/**
 * An allreduce of partial sums as a schedule. What a rank starts with lies in its data; sums that come in lie in scratch, and a sum that
 * is made up of two takes the place of one that nobody needs any more, or a place of its own.
 */
import type { Collective } from '../../../ir/collective.ts';
import {
  type Piece,
  type Schedule,
  type ScheduleBuffer,
  StepsBuilder,
  type TransferKind,
} from '../../../ir/schedule.ts';
import type { UnitMachine } from '../machine.ts';
import { everyone, type SumMoves } from './partial-sums.ts';
import { type MadeSum, type SumStory, sumStory } from './sum-story.ts';

/** Where a rank has a sum; offsets in chunks of the shape. */
interface Place {
  readonly buffer: Extract<ScheduleBuffer, 'data' | 'scratch'>;
  readonly offset: number;
}

/** @param width chunks of the collective for each chunk of the moves */
export function sumsSchedule(
  machine: UnitMachine,
  moves: SumMoves,
  name: string,
  collective: Collective,
  width: number,
): Schedule {
  const story = sumStory(machine, collective.chunks / width, moves);
  const writer = new Writer(machine, story, width);
  for (const [step, rounds] of moves.rounds.entries()) {
    writer.send(step, rounds);
    writer.makeUp(step);
  }
  return { name, collective, ...writer.finish(), commutative: true, ring: false };
}

class Writer {
  private readonly builder = new StepsBuilder();
  private readonly machine: UnitMachine;
  private readonly story: SumStory;
  private readonly width: number;
  /** Where ranks have sums, by `nameOf`; and which sum is in the data, by rank and chunk. */
  private readonly places = new Map<string, Place>();
  private readonly inData = new Map<string, number>();
  private readonly taken = new Set<string>();
  private readonly scratch: number[];
  private readonly lastUse: ReadonlyMap<string, number>;

  constructor(machine: UnitMachine, story: SumStory, width: number) {
    this.machine = machine;
    this.story = story;
    this.width = width;
    this.scratch = new Array<number>(machine.ranks).fill(0);
    this.lastUse = lastUses(machine, story);
  }

  /** The messages of a step: one over each way, of all sums that go over it. */
  send(step: number, rounds: number): void {
    const now = this.story.sent.filter((sum) => sum.step === step);
    const sources = new Map(now.map((sum) => [sum, this.placeOf(this.machine.ways[sum.way].from, sum.chunk, sum.set)]));
    for (const [index, { from, to }] of this.machine.ways.entries()) {
      const pieces = now
        .filter(({ way }) => way === index)
        .sort((a, b) => a.chunk - b.chunk || a.set - b.set)
        .map((sum) => {
          const arrival = this.newPlace(to, sum.chunk, sum.set, timeOfSending(step, this.machine));
          return this.piece(sources.get(sum) ?? arrival, arrival);
        });
      if (pieces.length > 0) this.add('copy', from, to, pieces);
    }
    this.builder.endStep(rounds * this.width);
  }

  /** What is made up after a step: what is made of nothing made then first. */
  makeUp(step: number): void {
    const now = this.story.made.filter((sum) => sum.step === step);
    for (let level = 0; now.some((sum) => sum.level >= level); level++) {
      const additions = now.filter((sum) => sum.level === level).map((sum) => this.prepare(sum));
      this.builder.endStep();
      for (const { rank, piece } of additions) this.add('reduce', rank, rank, [piece]);
      this.builder.endStep();
    }
  }

  /** Copies results to where they belong, if they are not there yet. */
  finish(): Pick<Schedule, 'steps' | 'scratch'> {
    const all = everyone(this.machine.ranks);
    for (let rank = 0; rank < this.machine.ranks; rank++) {
      for (let chunk = 0; this.places.has(nameOf(rank, chunk, all)); chunk++) {
        const place = this.placeOf(rank, chunk, all);
        if (place.buffer === 'data') continue;
        this.add('copy', rank, rank, [this.piece(place, { buffer: 'data', offset: chunk })]);
      }
    }
    return { steps: this.builder.build(), scratch: this.width * Math.max(...this.scratch) };
  }

  /** Gives a sum the place of one of its parts, or a copy of it if that is needed still; and says what to add to it. */
  private prepare({ rank, chunk, set, parts, step, level }: MadeSum): { readonly rank: number; readonly piece: Piece } {
    const time = timeOfMaking(step, level, this.machine);
    const free = parts.filter((part) => this.lastUse.get(nameOf(rank, chunk, part)) === time);
    const base = free.find((part) => this.placeOf(rank, chunk, part).buffer === 'data') ?? free.at(0);
    const [first, second] = base === parts[1] ? [parts[1], parts[0]] : parts;
    const from = this.placeOf(rank, chunk, first);
    // What takes a place first has it: others that are made of the same sum just now take copies.
    const isTaken = this.taken.has(nameOf(rank, chunk, first));
    const addend = this.placeOf(rank, chunk, second);
    if (base === undefined || isTaken) {
      const to = this.newPlace(rank, chunk, set, time - 1);
      this.add('copy', rank, rank, [this.piece(from, to)]);
      return { rank, piece: this.piece(addend, to) };
    }
    this.taken.add(nameOf(rank, chunk, first));
    this.settle(rank, chunk, set, from);
    return { rank, piece: this.piece(addend, from) };
  }

  /** A place for a sum: in the data if it is the result and what is there is not needed after that time. */
  private newPlace(rank: number, chunk: number, set: number, time: number): Place {
    const resident = this.inData.get(`${rank} ${chunk}`) ?? 1 << rank;
    const isResult = set === everyone(this.machine.ranks);
    const isFree = (this.lastUse.get(nameOf(rank, chunk, resident)) ?? -1) <= time;
    const place: Place =
      isResult && isFree ? { buffer: 'data', offset: chunk } : { buffer: 'scratch', offset: this.scratch[rank]++ };
    this.settle(rank, chunk, set, place);
    return place;
  }

  private settle(rank: number, chunk: number, set: number, place: Place): void {
    this.places.set(nameOf(rank, chunk, set), place);
    if (place.buffer === 'data') this.inData.set(`${rank} ${chunk}`, set);
  }

  private placeOf(rank: number, chunk: number, set: number): Place {
    return this.places.get(nameOf(rank, chunk, set)) ?? { buffer: 'data', offset: chunk };
  }

  private piece(from: Place, to: Place): Piece {
    return {
      from: from.buffer,
      fromOffset: from.offset * this.width,
      to: to.buffer,
      toOffset: to.offset * this.width,
      count: this.width,
    };
  }

  private add(kind: TransferKind, source: number, destination: number, pieces: readonly Piece[]): void {
    this.builder.add({ kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined });
  }
}

function nameOf(rank: number, chunk: number, set: number): string {
  return `${rank} ${chunk} ${set}`;
}

/** Steps send first, then make up sums level by level; there are fewer levels than ranks. */
function timeOfSending(step: number, { ranks }: UnitMachine): number {
  return step * (ranks + 1);
}

function timeOfMaking(step: number, level: number, machine: UnitMachine): number {
  return timeOfSending(step, machine) + 1 + level;
}

/** When each sum is used for the last time; results are needed for ever. */
function lastUses(machine: UnitMachine, { sent, made }: SumStory): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  const use = (rank: number, chunk: number, set: number, time: number): void => {
    const name = nameOf(rank, chunk, set);
    const forEver = set === everyone(machine.ranks);
    last.set(name, forEver ? Number.POSITIVE_INFINITY : Math.max(last.get(name) ?? 0, time));
  };
  for (const { chunk, set, way, step } of sent) {
    use(machine.ways[way].from, chunk, set, timeOfSending(step, machine));
  }
  for (const { rank, chunk, parts, step, level } of made) {
    for (const part of parts) use(rank, chunk, part, timeOfMaking(step, level, machine));
  }
  return last;
}

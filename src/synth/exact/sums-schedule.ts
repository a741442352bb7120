/**
 * An allreduce of partial sums as a schedule. What a rank starts with lies in its data; sums that come in lie in scratch, and a sum that
 * is made up of two takes the place of one that nobody needs any more, or a place of its own.
 */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, type ScheduleBuffer, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import type { UnitMachine } from './machine.ts';
import { everyone, type MadeSum, type SumMoves, type SumStory, sumStory } from './sums.ts';

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
  const chunks = collective.chunks / width;
  const writer = new Writer(machine, sumStory(machine, chunks, moves), width);
  for (const [step, rounds] of moves.rounds.entries()) {
    writer.send(step, rounds);
    writer.makeUp(step);
  }
  return { name, collective, ...writer.finish(chunks), commutative: true, ring: false };
}

class Writer {
  private readonly builder = new StepsBuilder();
  private readonly machine: UnitMachine;
  private readonly story: SumStory;
  private readonly width: number;
  /** Where ranks have sums, by `nameOf`; and which sum is in the data, by rank and chunk. */
  private readonly places = new Map<string, Place>();
  private readonly inData = new Map<string, number>();
  private readonly scratch: number[];
  /** When each sum is used for the last time; results are needed for ever. */
  private readonly lastUse = new Map<string, number>();

  constructor(machine: UnitMachine, story: SumStory, width: number) {
    this.machine = machine;
    this.story = story;
    this.width = width;
    this.scratch = new Array<number>(machine.ranks).fill(0);
    const use = (rank: number, chunk: number, set: number, time: number): void => {
      const name = nameOf(rank, chunk, set);
      this.lastUse.set(name, Math.max(this.lastUse.get(name) ?? 0, time));
    };
    for (const { chunk, set, way, step } of story.sent) use(machine.ways[way].from, chunk, set, this.timeOf(step));
    for (const sum of story.made) for (const part of sum.parts) use(sum.rank, sum.chunk, part, this.timeOf(sum));
    for (const name of [...this.lastUse.keys()]) {
      if (name.endsWith(` ${everyone(machine.ranks)}`)) this.lastUse.set(name, Number.POSITIVE_INFINITY);
    }
  }

  /** The messages of a step: one over each way, of all sums that go over it. */
  send(step: number, rounds: number): void {
    const now = this.story.sent
      .filter((sum) => sum.step === step)
      .sort((a, b) => a.way - b.way || a.chunk - b.chunk || a.set - b.set)
      .map((sum) => ({ ...sum, from: this.placeOf(this.machine.ways[sum.way].from, sum.chunk, sum.set) }));
    for (const [index, { from, to }] of this.machine.ways.entries()) {
      const carried = now.filter(({ way }) => way === index);
      const pieces = carried.map(
        (sum) => [sum.from, this.newPlace(to, sum.chunk, sum.set, this.timeOf(step))] as const,
      );
      if (pieces.length > 0) this.add('copy', from, to, pieces);
    }
    this.builder.endStep(rounds * this.width);
  }

  /** What is made up after a step: one sum after the other at each rank. */
  makeUp(step: number): void {
    const now = this.story.made.filter((sum) => sum.step === step);
    const places = now.map((sum, i) => now.slice(0, i).filter(({ rank }) => rank === sum.rank).length);
    for (let turn = 0; places.includes(turn); turn++) {
      const additions = now.filter((_, i) => places[i] === turn).map((sum) => this.prepare(sum));
      this.builder.endStep();
      for (const { rank, piece } of additions) this.add('reduce', rank, rank, [piece]);
      this.builder.endStep();
    }
  }

  /** Copies results to where they belong, if they are not there yet. */
  finish(chunks: number): Pick<Schedule, 'steps' | 'scratch'> {
    for (let rank = 0; rank < this.machine.ranks; rank++) {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const place = this.placeOf(rank, chunk, everyone(this.machine.ranks));
        if (place.buffer === 'scratch') this.add('copy', rank, rank, [[place, { buffer: 'data', offset: chunk }]]);
      }
    }
    return { steps: this.builder.build(), scratch: this.width * Math.max(...this.scratch) };
  }

  /** Gives a sum the place of one of its parts, or a copy of it if that is needed still; and says what to add to it. */
  private prepare(sum: MadeSum): { readonly rank: number; readonly piece: readonly [Place, Place] } {
    const { rank, chunk, set, parts } = sum;
    const time = this.timeOf(sum);
    const free = parts.filter((part) => this.lastUse.get(nameOf(rank, chunk, part)) === time);
    const base = free.find((part) => this.placeOf(rank, chunk, part).buffer === 'data') ?? free.at(0);
    const [first, second] = base === parts[1] ? [parts[1], parts[0]] : parts;
    const addend = this.placeOf(rank, chunk, second);
    let place = this.placeOf(rank, chunk, first);
    if (base === undefined) {
      const copy = this.newPlace(rank, chunk, set, time - 1);
      this.add('copy', rank, rank, [[place, copy]]);
      place = copy;
    }
    this.settle(rank, chunk, set, place);
    return { rank, piece: [addend, place] };
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

  /** Steps send first, then ranks make up one sum after the other: later ones of the same rank at later times. */
  private timeOf(what: number | MadeSum): number {
    const { made } = this.story;
    const perStep = made.length + 1;
    return typeof what === 'number' ? what * perStep : what.step * perStep + 1 + made.indexOf(what);
  }

  private add(
    kind: TransferKind,
    source: number,
    destination: number,
    places: readonly (readonly [from: Place, to: Place])[],
  ): void {
    const pieces = places.map(([from, to]) => ({
      from: from.buffer,
      fromOffset: from.offset * this.width,
      to: to.buffer,
      toOffset: to.offset * this.width,
      count: this.width,
    }));
    this.builder.add({ kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined });
  }
}

function nameOf(rank: number, chunk: number, set: number): string {
  return `${rank} ${chunk} ${set}`;
}

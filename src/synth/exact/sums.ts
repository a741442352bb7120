/**
 * Turns an allreduce by partial sums into a schedule. A partial sum of a chunk is a bit set of the ranks whose
 * contributions it contains; disjoint sums can be added where they meet. From the sums that are sent follows which sums
 * are computed where and when, such that every rank finally has the sum over all ranks.
 */
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import type { ScheduleMaker } from './instance.ts';
import type { UnitMachine } from './machine.ts';

/** The number of sets doubles with every rank. */
export const maxSummedRanks = 5;

/** A partial sum sent over a route in a step. */
interface SentSum {
  readonly chunk: number;
  readonly set: number;
  readonly route: number;
  readonly step: number;
}

/** Location of a sum at a rank; offsets in chunks of the shape. */
type Place = readonly [buffer: Extract<ScheduleBuffer, 'data' | 'scratch'>, offset: number];

/** A sum that a rank computes from two of its sums before a step. */
interface MadeSum {
  readonly rank: number;
  readonly chunk: number;
  readonly set: number;
  readonly parts: readonly [number, number];
  readonly step: number;
}

/** All splits of a set into two disjoint non-empty sets, each once. */
export function disjointSplits(set: number): readonly (readonly [number, number])[] {
  const parts: [number, number][] = [];
  for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
    const rest = set ^ part;
    if (part > rest) parts.push([part, rest]);
  }
  return parts;
}

/** The image of a set under a renumbering of the ranks. */
export function setImage(set: number, ranks: Int32Array): number {
  let image = 0;
  for (const [rank, to] of ranks.entries()) if (((set >> rank) & 1) === 1) image |= 1 << to;
  return image;
}

/** @throws Error if some rank would lack the final sum, i.e. the input is no solution of the model */
export function sumsSchedule(machine: UnitMachine, sums: readonly SentSum[], rounds: readonly number[]): ScheduleMaker {
  return (name, collective, width) => {
    const chunks = collective.chunks / width;
    const { sent, made } = neededOf(machine, sums, rounds.length, chunks);
    const writer = new SumWriter(machine, width);
    for (const { chunk, set, route } of sent) writer.needs(machine.routes[route].from, chunk, set);
    for (const { rank, chunk, parts } of made) for (const part of parts) writer.needs(rank, chunk, part);
    for (const [step, number] of [...rounds, 0].entries()) {
      for (const sum of made) if (sum.step === step) writer.makeUp(sum);
      const now = sent.filter((sum) => sum.step === step);
      writer.send(now, number);
    }
    return { name, collective, commutative: true, ring: false, ...writer.finish(chunks) };
  };
}

/**
 * Allocates memory for sums: a rank's own input is in its data, received sums are in scratch, and a computed sum
 * replaces one that is no longer needed, or gets a new slot.
 */
class SumWriter {
  private readonly builder = new StepsBuilder();
  private readonly machine: UnitMachine;
  private readonly width: number;
  private readonly everyone: number;
  /** By `nameOf`: the location of each sum, and how many uses remain. */
  private readonly places = new Map<string, Place>();
  private readonly left = new Map<string, number>();
  /** By rank and chunk: the sum in the data buffer. */
  private readonly inData = new Map<string, number>();
  private readonly scratch: number[];

  constructor(machine: UnitMachine, width: number) {
    this.machine = machine;
    this.width = width;
    this.everyone = 2 ** machine.ranks - 1;
    this.scratch = new Array<number>(machine.ranks).fill(0);
  }

  /** Adds or removes one pending use of a sum. */
  needs(rank: number, chunk: number, set: number, times: 1 | -1 = 1): void {
    this.left.set(nameOf(rank, chunk, set), this.timesLeft(rank, chunk, set) + times);
  }

  /** The messages of a step: one per route, with all sums that it carries. */
  send(sums: readonly SentSum[], rounds: number): void {
    const { routes } = this.machine;
    const going = sums.map((sum) => ({ ...sum, source: this.placeOf(routes[sum.route].from, sum.chunk, sum.set) }));
    for (const { chunk, set, route } of sums) this.needs(routes[route].from, chunk, set, -1);
    for (const [index, { from, to }] of routes.entries()) {
      const pieces = going
        .filter(({ route }) => route === index)
        .map(({ chunk, set, source }) => this.piece(source, this.newPlace(to, chunk, set)));
      if (pieces.length > 0) this.add('copy', from, to, pieces);
    }
    this.builder.endStep(rounds * this.width);
  }

  makeUp({ rank, chunk, set, parts }: MadeSum): void {
    const free = parts.filter((part) => this.timesLeft(rank, chunk, part) === 1);
    const base = free.find((part) => this.placeOf(rank, chunk, part)[0] === 'data') ?? free.at(0);
    const first = base ?? parts[0];
    const source = this.placeOf(rank, chunk, first);
    const place = base === undefined ? this.newPlace(rank, chunk, set) : this.settled(rank, chunk, set, source);
    if (base === undefined) this.add('copy', rank, rank, [this.piece(source, place)]);
    this.builder.endStep();
    for (const part of parts) {
      if (part !== first) this.add('reduce', rank, rank, [this.piece(this.placeOf(rank, chunk, part), place)]);
      this.needs(rank, chunk, part, -1);
    }
    this.builder.endStep();
  }

  /** Copies results to their final place where necessary. */
  finish(chunks: number): Pick<Schedule, 'steps' | 'scratch'> {
    for (const rank of this.scratch.keys()) {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const place = this.placeOf(rank, chunk, this.everyone);
        if (place[0] === 'scratch') this.add('copy', rank, rank, [this.piece(place, ['data', chunk])]);
      }
    }
    return { steps: this.builder.build(), scratch: this.width * Math.max(...this.scratch) };
  }

  private timesLeft(rank: number, chunk: number, set: number): number {
    return this.left.get(nameOf(rank, chunk, set)) ?? (set === this.everyone ? 2 : 0);
  }

  private placeOf(rank: number, chunk: number, set: number): Place {
    return this.places.get(nameOf(rank, chunk, set)) ?? ['data', chunk];
  }

  /** In the data buffer, for results, if its content is no longer needed. */
  private newPlace(rank: number, chunk: number, set: number): Place {
    const resident = this.inData.get(`${rank} ${chunk}`) ?? 1 << rank;
    const isFree = set === this.everyone && this.timesLeft(rank, chunk, resident) === 0;
    return this.settled(rank, chunk, set, isFree ? ['data', chunk] : ['scratch', this.scratch[rank]++]);
  }

  private settled(rank: number, chunk: number, set: number, place: Place): Place {
    this.places.set(nameOf(rank, chunk, set), place);
    if (place[0] === 'data') this.inData.set(`${rank} ${chunk}`, set);
    return place;
  }

  private piece([from, fromOffset]: Place, [to, toOffset]: Place): Piece {
    const { width } = this;
    return { from, fromOffset: fromOffset * width, to, toOffset: toOffset * width, count: width };
  }

  private add(kind: TransferKind, source: number, destination: number, pieces: readonly Piece[]): void {
    this.builder.add({ kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined });
  }
}

function nameOf(rank: number, chunk: number, set: number): string {
  return `${rank} ${chunk} ${set}`;
}

/**
 * Which of the sent sums are needed, and which sums must be computed; the sums computed at a rank before a step are
 * listed operands first.
 */
function neededOf({ ranks, routes }: UnitMachine, sums: readonly SentSum[], steps: number, chunks: number) {
  const sent = new Set<SentSum>();
  const made = new Map<string, MadeSum>();
  for (let chunk = 0; chunk < chunks; chunk++) {
    const ofChunk = sums.filter((sum) => sum.chunk === chunk);
    /** `has[s][rank]`: sums that are present or computable before step s. */
    const has = [Array.from({ length: ranks }, (_, rank): ReadonlySet<number> => new Set([1 << rank]))];
    for (let step = 0; step < steps; step++) {
      const coming = has[step].map((before) => [...before]);
      for (const { route, set } of ofChunk.filter((sum) => sum.step === step)) {
        if (has[step][routes[route].from].has(set)) coming[routes[route].to].push(set);
      }
      has.push(coming.map((some) => closed(some, 2 ** ranks - 1)));
    }
    const comes = (rank: number, set: number, step: number) => (sum: SentSum) => {
      return (
        sum.step === step &&
        sum.set === set &&
        routes[sum.route].to === rank &&
        has[step][routes[sum.route].from].has(set)
      );
    };
    /** Ensures that a rank has a sum before a step. */
    const demand = (rank: number, set: number, step: number): void => {
      if (set === 1 << rank) return;
      if (step === 0) throw new Error(`rank ${rank} lacks the sum ${set} of chunk ${chunk}`);
      const arrival = ofChunk.findLast(comes(rank, set, step - 1));
      if (has[step - 1][rank].has(set)) demand(rank, set, step - 1);
      else if (arrival !== undefined) {
        if (!sent.has(arrival)) demand(routes[arrival.route].from, set, step - 1);
        sent.add(arrival);
      } else if (!made.has(`${rank} ${chunk} ${set}`)) {
        const parts = disjointSplits(set).find((pair) => pair.every((part) => has[step][rank].has(part)));
        if (parts === undefined) throw new Error(`rank ${rank} cannot make up the sum ${set} of chunk ${chunk}`);
        for (const part of parts) demand(rank, part, step);
        made.set(`${rank} ${chunk} ${set}`, { rank, chunk, set, parts: [parts[0], parts[1]], step });
      }
    };
    for (let rank = 0; rank < ranks; rank++) demand(rank, 2 ** ranks - 1, steps);
  }
  return { sent: [...sent], made: [...made.values()] };
}

/** The closure of some sums under disjoint union. */
function closed(sums: readonly number[], all: number): ReadonlySet<number> {
  const result = new Set(sums);
  for (let set = 1; set <= all; set++) {
    if (disjointSplits(set).some((parts) => parts.every((part) => result.has(part)))) result.add(set);
  }
  return result;
}

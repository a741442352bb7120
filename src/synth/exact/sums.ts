/**
 * An allreduce of partial sums as a schedule. A partial sum of a chunk is a set of ranks whose contributions it has, as bits; disjoint ones can
 * be added where they meet. From what is sent follows which sums are made up where and when, so that everybody has the sum over all
 * ranks in the end.
 */
import { type Piece, type ScheduleBuffer, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import type { ScheduleMaker } from './instance.ts';
import type { UnitMachine } from './machine.ts';

/** Sets double with every rank. */
export const mostSummedRanks = 5;

/** One partial sum that goes over a way in a step. */
interface SentSum {
  readonly chunk: number;
  readonly set: number;
  readonly way: number;
  readonly step: number;
}

/** A sum that a rank makes up of two that it has, before a step. */
interface MadeSum {
  readonly rank: number;
  readonly chunk: number;
  readonly set: number;
  readonly parts: readonly [number, number];
  readonly step: number;
}

/** The ways to write a set as two that are not empty and share nothing; each once. */
export function partsOf(set: number): readonly (readonly [number, number])[] {
  const parts: [number, number][] = [];
  for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
    const rest = set ^ part;
    if (part > rest) parts.push([part, rest]);
  }
  return parts;
}

/** Where a set goes when ranks are renumbered. */
export function setImage(set: number, ranks: Int32Array): number {
  let image = 0;
  for (const [rank, to] of ranks.entries()) if (((set >> rank) & 1) === 1) image |= 1 << to;
  return image;
}

/**
 * What a rank starts with lies in its data, sums that come in or are made up in places of their own in scratch.
 * @throws Error if somebody would lack the sum in the end: then it is not a solution of the model
 */
export function sumsSchedule(
  machine: UnitMachine,
  sums: readonly SentSum[],
  roundsOf: readonly number[],
): ScheduleMaker {
  const { ranks, ways } = machine;
  const everyone = 2 ** ranks - 1;
  return (name, collective, width) => {
    const chunks = collective.chunks / width;
    const { sent, made } = neededOf(machine, sums, roundsOf.length, chunks);
    const builder = new StepsBuilder();
    const scratch = new Array<number>(ranks).fill(0);
    const places = new Map<string, number>();
    const placeOf = (rank: number, chunk: number, set: number): readonly [ScheduleBuffer, number] => {
      if (set === 1 << rank) return ['data', chunk * width];
      const key = `${rank} ${chunk} ${set}`;
      const place = places.get(key) ?? scratch[rank]++;
      places.set(key, place);
      return ['scratch', place * width];
    };
    const piece = (from: number, to: number, chunk: number, set: number, target = set): Piece => {
      const [[source, fromOffset], [destination, toOffset]] = [placeOf(from, chunk, set), placeOf(to, chunk, target)];
      return { from: source, fromOffset, to: destination, toOffset, count: width };
    };
    const add = (kind: TransferKind, source: number, destination: number, pieces: readonly Piece[]): void => {
      builder.add({ kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined });
    };
    for (const [step, rounds] of [...roundsOf, 0].entries()) {
      for (const { rank, chunk, set, parts } of made.filter((sum) => sum.step === step)) {
        for (const [p, part] of parts.entries()) {
          add(p === 0 ? 'copy' : 'reduce', rank, rank, [piece(rank, rank, chunk, part, set)]);
          builder.endStep();
        }
      }
      for (const [way, { from, to }] of ways.entries()) {
        const carried = sent.filter((sum) => sum.step === step && sum.way === way);
        const pieces = carried.map(({ chunk, set }) => piece(from, to, chunk, set));
        if (pieces.length > 0) add('copy', from, to, pieces);
      }
      builder.endStep(rounds * width);
    }
    for (let rank = 0; rank < ranks; rank++) {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const result = piece(rank, rank, chunk, everyone);
        add('copy', rank, rank, [{ ...result, to: 'data', toOffset: chunk * width }]);
      }
    }
    builder.endStep();
    const most = width * Math.max(...scratch);
    return { name, collective, scratch: most, commutative: true, ring: false, steps: builder.build() };
  };
}

/** What of the sums that are sent is needed, and what is made of it; of what is made before a step at a rank, parts come first. */
function neededOf({ ranks, ways }: UnitMachine, sums: readonly SentSum[], steps: number, chunks: number) {
  const sent = new Set<SentSum>();
  const made = new Map<string, MadeSum>();
  for (let chunk = 0; chunk < chunks; chunk++) {
    const ofChunk = sums.filter((sum) => sum.chunk === chunk);
    /** `has[s][rank]`: sums that are there or can be made up before step s. */
    const has = [Array.from({ length: ranks }, (_, rank): ReadonlySet<number> => new Set([1 << rank]))];
    for (let step = 0; step < steps; step++) {
      const coming = has[step].map((before) => [...before]);
      for (const { way, set } of ofChunk.filter((sum) => sum.step === step)) {
        if (has[step][ways[way].from].has(set)) coming[ways[way].to].push(set);
      }
      has.push(coming.map((some) => closed(some, 2 ** ranks - 1)));
    }
    const comes = (rank: number, set: number, step: number) => (sum: SentSum) => {
      return (
        sum.step === step && sum.set === set && ways[sum.way].to === rank && has[step][ways[sum.way].from].has(set)
      );
    };
    /** Has a rank have a sum before a step. */
    const demand = (rank: number, set: number, step: number): void => {
      if (set === 1 << rank) return;
      if (step === 0) throw new Error(`rank ${rank} lacks the sum ${set} of chunk ${chunk}`);
      const arrival = ofChunk.findLast(comes(rank, set, step - 1));
      if (has[step - 1][rank].has(set)) demand(rank, set, step - 1);
      else if (arrival !== undefined) {
        if (!sent.has(arrival)) demand(ways[arrival.way].from, set, step - 1);
        sent.add(arrival);
      } else if (!made.has(`${rank} ${chunk} ${set}`)) {
        const parts = partsOf(set).find((pair) => pair.every((part) => has[step][rank].has(part)));
        if (parts === undefined) throw new Error(`rank ${rank} cannot make up the sum ${set} of chunk ${chunk}`);
        for (const part of parts) demand(rank, part, step);
        made.set(`${rank} ${chunk} ${set}`, { rank, chunk, set, parts: [parts[0], parts[1]], step });
      }
    };
    for (let rank = 0; rank < ranks; rank++) demand(rank, 2 ** ranks - 1, steps);
  }
  return { sent: [...sent], made: [...made.values()] };
}

/** All sums that can be made up of some. */
function closed(sums: readonly number[], all: number): ReadonlySet<number> {
  const result = new Set(sums);
  for (let set = 1; set <= all; set++) {
    if (partsOf(set).some((parts) => parts.every((part) => result.has(part)))) result.add(set);
  }
  return result;
}

/**
 * Partial sums of an allreduce, chunk by chunk: each is a set of ranks whose contributions it has, as bits. Disjoint ones can be added where
 * they meet. From what is sent follows which sums are made up where and when, so that everybody has the sum over all ranks in the end.
 */
import type { UnitMachine } from './machine.ts';

/** Sets double with every rank. */
export const mostSummedRanks = 5;

/** One partial sum that goes over a way in a step. */
export interface SentSum {
  readonly chunk: number;
  readonly set: number;
  readonly way: number;
  readonly step: number;
}

/** What is sent in all steps, and the rounds of each. */
export interface SumMoves {
  readonly sent: readonly SentSum[];
  readonly rounds: readonly number[];
}

/** A sum that a rank makes up of two that it has, after a step. */
export interface MadeSum {
  readonly rank: number;
  readonly chunk: number;
  readonly set: number;
  readonly parts: readonly [number, number];
  readonly step: number;
}

/** What is sent and what is made of it; of what is made after a step at a rank, parts come first. */
export interface SumStory {
  readonly sent: readonly SentSum[];
  readonly made: readonly MadeSum[];
}

/** The set of all ranks. */
export function everyone(ranks: number): number {
  return 2 ** ranks - 1;
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
 * What of the moves is needed, and what is made of it.
 * @throws Error if somebody would lack the sum in the end: then it is not a solution of the model
 */
export function sumStory(machine: UnitMachine, chunks: number, { sent, rounds }: SumMoves): SumStory {
  const stories = Array.from({ length: chunks }, (_, chunk) => {
    const ofChunk = sent.filter((sum) => sum.chunk === chunk);
    return storyOf(chunk, machine, ofChunk, rounds.length);
  });
  return { sent: stories.flatMap((story) => story.sent), made: stories.flatMap((story) => story.made) };
}

function storyOf(chunk: number, { ranks, ways }: UnitMachine, sums: readonly SentSum[], steps: number): SumStory {
  const all = everyone(ranks);
  /** `arrivals[s][rank]`: what comes in in step s, and the sending that brings it. `has[s][rank]`: sums there before step s. */
  const arrivals: Map<number, SentSum>[][] = [];
  const has: ReadonlySet<number>[][] = [Array.from({ length: ranks }, (_, rank) => new Set([1 << rank]))];
  for (let step = 0; step < steps; step++) {
    const coming = has[step].map(() => new Map<number, SentSum>());
    for (const sum of sums) {
      const { from, to } = ways[sum.way];
      if (sum.step === step && has[step][from].has(sum.set)) coming[to].set(sum.set, sum);
    }
    arrivals.push(coming);
    has.push(has[step].map((before, rank) => closed([...before, ...coming[rank].keys()], all)));
  }
  const sent = new Set<SentSum>();
  const made = new Map<string, MadeSum>();
  /** Has a rank have a sum before a step. */
  const demand = (rank: number, set: number, step: number): void => {
    if (set === 1 << rank) return;
    if (step === 0) throw new Error(`rank ${rank} lacks the sum ${set} of chunk ${chunk}`);
    const arrival = arrivals[step - 1][rank].get(set);
    if (has[step - 1][rank].has(set)) demand(rank, set, step - 1);
    else if (arrival !== undefined) {
      if (!sent.has(arrival)) demand(ways[arrival.way].from, set, step - 1);
      sent.add(arrival);
    } else if (!made.has(`${rank} ${set}`)) {
      const parts = partsOf(set).find((pair) => pair.every((part) => has[step][rank].has(part)));
      if (parts === undefined) throw new Error(`rank ${rank} cannot make up the sum ${set} of chunk ${chunk}`);
      for (const part of parts) demand(rank, part, step);
      made.set(`${rank} ${set}`, { rank, chunk, set, parts: [parts[0], parts[1]], step: step - 1 });
    }
  };
  for (let rank = 0; rank < ranks; rank++) demand(rank, all, steps);
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

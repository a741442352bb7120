/**
 * Partial sums of an allreduce, chunk by chunk: each is a set of ranks whose contributions it has, as bits. Disjoint ones can be added
 * where they meet. What is said here of who can have which sum when holds for all schedules of that kind.
 */
import type { UnitMachine } from '../machine.ts';

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

/** The set of all ranks. */
export function everyone(ranks: number): number {
  return 2 ** ranks - 1;
}

/** Whether a rank can have a sum after so many steps: not before the farthest contribution can be there. */
export function canHave({ ranks, distance }: UnitMachine, rank: number, set: number, after: number): boolean {
  for (let member = 0; member < ranks; member++) {
    if (((set >> member) & 1) === 1 && distance[member][rank] > after) return false;
  }
  return true;
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

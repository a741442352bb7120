/**
 * From what is sent to what is done: which sums are made up where and when, and of what, so that everybody has the sum over all ranks in
 * the end. Whatever is not needed for that is left out.
 */
import type { UnitMachine } from '../machine.ts';
import { everyone, partsOf, type SentSum, type SumMoves } from './partial-sums.ts';

/** A sum that a rank makes up of two that it has, after step `step`; `level` is 0 for what is made of nothing made then, and so on. */
export interface MadeSum {
  readonly rank: number;
  readonly chunk: number;
  readonly set: number;
  readonly parts: readonly [number, number];
  readonly step: number;
  readonly level: number;
}

export interface SumStory {
  readonly sent: readonly SentSum[];
  readonly made: readonly MadeSum[];
}

/** @throws Error if somebody would lack the sum in the end: then it is not a solution of the model */
export function sumStory(machine: UnitMachine, chunks: number, moves: SumMoves): SumStory {
  const stories = Array.from({ length: chunks }, (_, chunk) => {
    const ofChunk = moves.sent.filter((sum) => sum.chunk === chunk);
    return new ChunkStory(machine, chunk, ofChunk, moves.rounds.length).needed();
  });
  return { sent: stories.flatMap(({ sent }) => sent), made: stories.flatMap(({ made }) => made) };
}

class ChunkStory {
  private readonly machine: UnitMachine;
  private readonly chunk: number;
  private readonly steps: number;
  /** `arrivals[s][rank]`: what comes in in step s, and the sending that brings it; of several the first. */
  private readonly arrivals: (readonly ReadonlyMap<number, SentSum>[])[];
  /** `has[s][rank]`: sums there before step s. */
  private readonly has: (readonly ReadonlySet<number>[])[];
  private readonly sent = new Set<SentSum>();
  private readonly made = new Map<string, MadeSum>();

  constructor(machine: UnitMachine, chunk: number, sums: readonly SentSum[], steps: number) {
    this.machine = machine;
    this.chunk = chunk;
    this.steps = steps;
    const ranks = Array.from({ length: machine.ranks }, (_, rank) => rank);
    this.has = [ranks.map((rank) => new Set([1 << rank]))];
    this.arrivals = [];
    for (let step = 0; step < steps; step++) {
      const coming = ranks.map(() => new Map<number, SentSum>());
      for (const sum of sums) {
        const { from, to } = machine.ways[sum.way];
        if (sum.step === step && this.has[step][from].has(sum.set) && !coming[to].has(sum.set)) {
          coming[to].set(sum.set, sum);
        }
      }
      this.arrivals.push(coming);
      this.has.push(
        ranks.map((rank) => closed([...this.has[step][rank], ...coming[rank].keys()], everyone(machine.ranks))),
      );
    }
  }

  /** What it takes for everyone to have everything, found backwards from there. */
  needed(): SumStory {
    for (let rank = 0; rank < this.machine.ranks; rank++) this.demand(rank, everyone(this.machine.ranks), this.steps);
    return { sent: [...this.sent], made: [...this.made.values()] };
  }

  /** Has a rank have a sum before a step; returns how many sums are made one of the other for it just then. */
  private demand(rank: number, set: number, step: number): number {
    if (set === 1 << rank) return 0;
    if (step === 0) throw new Error(`rank ${rank} lacks the sum ${set} of chunk ${this.chunk}`);
    if (this.has[step - 1][rank].has(set)) {
      this.demand(rank, set, step - 1);
      return 0;
    }
    const arrival = this.arrivals[step - 1][rank].get(set);
    if (arrival !== undefined) {
      if (!this.sent.has(arrival)) {
        this.sent.add(arrival);
        this.demand(this.machine.ways[arrival.way].from, set, step - 1);
      }
      return 0;
    }
    const name = `${rank} ${set}`;
    const known = this.made.get(name);
    if (known !== undefined) return known.level + 1;
    const parts = partsOf(set).find((pair) => pair.every((part) => this.has[step][rank].has(part)));
    if (parts === undefined) throw new Error(`rank ${rank} cannot make up the sum ${set} of chunk ${this.chunk}`);
    const level = Math.max(...parts.map((part) => this.demand(rank, part, step)));
    this.made.set(name, { rank, chunk: this.chunk, set, parts, step: step - 1, level });
    return level + 1;
  }
}

/** All sums that can be made up of some. */
function closed(sums: readonly number[], all: number): ReadonlySet<number> {
  const result = new Set(sums);
  for (let set = 1; set <= all; set++) {
    if (!result.has(set) && partsOf(set).some((parts) => parts.every((part) => result.has(part)))) result.add(set);
  }
  return result;
}

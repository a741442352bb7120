/**
 * Scans of nested runs. Going up, whoever looks after a chunk in a run gets its sums over the parts of the run, and adds them up one by
 * one: the last is the sum over the run. Going down, it combines what comes before the run with what it has of the parts, and every part gets
 * what comes before it. Among the outermost runs this is an exscan of its own (across.ts).
 *
 * With parts of one rank in a single run that is two alltoalls around a local scan. In runs of two halves it is the scan's counterpart of
 * recursive halving and doubling (Rabenseifner 2004): up and down each take as many messages one after the other as there are levels, and
 * as many bytes as a vector has.
 */
import type { Collective } from '../../../ir/collective.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import { type Across, exscanAcross } from './across.ts';
import type { Kept } from './kept.ts';
import { ownersOf, type Run } from './runs.ts';
import { type Spot, StepWriter } from './step-writer.ts';

export interface Nesting {
  readonly name: string;
  /** The outermost, which are all ranks. */
  readonly runs: readonly Run[];
  readonly across: Across;
  /** By rank. */
  readonly weights: Float64Array;
  /** What one sends waits until all of earlier steps has come: what comes early may stand in the way of what others wait for. */
  readonly inStep?: true;
}

/** The schedule of a scan or exscan of any number of chunks. */
export function nestedScan({ name, runs, across, weights, inStep }: Nesting, target: Collective): Schedule {
  const writer = new NestedWriter(target, weights);
  const kept = runs.map((run) => writer.keep(run));
  const height = runs.reduce((most, run) => Math.max(most, run.height), 0);
  for (let level = 1; level <= height; level++) writer.up(kept, level);
  writer.across(kept, across);
  for (let level = height; level >= 0; level--) writer.down(kept, level);
  return {
    ...{ name, collective: target, scratch: writer.scratch(), commutative: false, ring: false },
    ...(inStep && { inStep }),
    steps: writer.steps(),
  };
}

class NestedWriter {
  private readonly target: Collective;
  private readonly weights: Float64Array;
  private readonly writer: StepWriter;
  private readonly used: Int32Array;

  constructor(target: Collective, weights: Float64Array) {
    this.target = target;
    this.weights = weights;
    this.writer = new StepWriter(target.ranks);
    this.used = new Int32Array(target.ranks);
  }

  scratch(): number {
    return this.used.reduce((most, used) => Math.max(most, used), 0);
  }

  steps(): Schedule['steps'] {
    return this.writer.steps();
  }

  keep(run: Run): Kept {
    const { chunks } = this.target;
    const parts = run.parts.map((part) => this.keep(part));
    if (parts.length === 0) {
      return { run, parts, owners: new Int32Array(chunks).fill(run.first), sums: [], before: undefined };
    }
    const ofParts = parts.map(({ owners }) => owners);
    const owners = ownersOf(run, ofParts, this.weights);
    const isWanted = (part: number) => run.isSummed || part < parts.length - 1;
    const sums = parts.map((part, index) => {
      if (!isWanted(index)) return new Int32Array(0);
      return Int32Array.from(owners, (owner, chunk) => {
        const own = part.owners[chunk] === owner ? sumOf(part)?.[chunk] : undefined;
        return own ?? this.used[owner]++;
      });
    });
    return { run, parts, owners, sums, before: undefined };
  }

  /** Sums over the parts of the runs of a level come together. */
  up(kept: readonly Kept[], level: number): void {
    const all = ofHeight(kept, level);
    for (const { owners, parts, sums } of all) {
      sums.forEach((places, index) => {
        for (const [chunk, place] of places.entries()) {
          const [from, to] = [this.sumAt(parts[index], chunk), scratchAt(owners[chunk], place)];
          if (from.rank !== to.rank || from.buffer !== 'scratch') this.writer.add('copy', from, to);
        }
      });
    }
    this.writer.endStep();
    this.writer.nextChannel();
    const most = all.reduce((most, { parts }) => Math.max(most, parts.length), 0);
    for (let part = 1; part < most; part++) {
      for (const { owners, sums } of all) {
        for (const [chunk, place] of (sums[part] ?? []).entries()) {
          const owner = owners[chunk];
          this.writer.add('reduce', scratchAt(owner, sums[part - 1][chunk]), scratchAt(owner, place));
        }
      }
      this.writer.endStep();
    }
  }

  across(kept: readonly Kept[], across: Across): void {
    exscanAcross(across, {
      runs: kept,
      chunks: this.target.chunks,
      writer: this.writer,
      sumAt: (run, chunk) => this.sumAt(run, chunk),
      place: (rank) => this.used[rank]++,
    });
  }

  /** What comes before the runs of a level goes to their parts; at level 0 it becomes results. */
  down(kept: readonly Kept[], level: number): void {
    const all = ofHeight(kept, level);
    for (const { owners, sums, before, parts } of all) {
      if (before === undefined) continue;
      sums.slice(0, parts.length - 1).forEach((places) => {
        for (const [chunk, place] of places.entries()) {
          this.writer.add('reduce', scratchAt(owners[chunk], before[chunk]), scratchAt(owners[chunk], place));
        }
      });
    }
    this.writer.endStep();
    for (const run of all) {
      if (level === 0) this.finish(run);
      else this.handDown(run);
    }
    this.writer.endStep();
    this.writer.nextChannel();
  }

  private handDown({ owners, parts, sums, before }: Kept): void {
    parts.forEach((part, index) => {
      const places = index === 0 ? before : sums[index - 1];
      if (places === undefined) return;
      const isRank = part.parts.length === 0;
      if (!isRank) part.before = places.map((place, chunk) => this.placeAt(part, chunk, owners[chunk], place));
      const into = part.before;
      for (const [chunk, place] of places.entries()) {
        const from = scratchAt(owners[chunk], place);
        if (into === undefined) this.result(from, part.run.first, chunk);
        else if (from.rank !== part.owners[chunk])
          this.writer.add('copy', from, scratchAt(part.owners[chunk], into[chunk]));
      }
    });
  }

  private placeAt({ owners }: Kept, chunk: number, holder: number, place: number): number {
    return owners[chunk] === holder ? place : this.used[owners[chunk]]++;
  }

  /** A run of one rank that is among the outermost. */
  private finish({ run, before }: Kept): void {
    for (const [chunk, place] of (before ?? []).entries()) this.result(scratchAt(run.first, place), run.first, chunk);
  }

  private result(from: Spot, rank: number, chunk: number): void {
    this.writer.add(this.target.kind === 'scan' ? 'reduce' : 'copy', from, { rank, buffer: 'data', offset: chunk });
  }

  /** Where the sum over a run is: of one rank, its input. */
  private sumAt(kept: Kept, chunk: number): Spot {
    const rank = kept.owners[chunk];
    const places = sumOf(kept);
    if (places !== undefined) return scratchAt(rank, places[chunk]);
    return { rank, buffer: this.target.kind === 'scan' ? 'data' : 'input', offset: chunk };
  }
}

function sumOf({ sums }: Kept): Int32Array | undefined {
  return sums.at(-1);
}

function scratchAt(rank: number, offset: number): Spot {
  return { rank, buffer: 'scratch', offset };
}

/** Runs of a height, among the outermost and what they are made of. */
function ofHeight(kept: readonly Kept[], height: number): Kept[] {
  return kept.flatMap((run) => {
    if (run.run.height === height) return [run];
    return run.run.height < height ? [] : ofHeight(run.parts, height);
  });
}

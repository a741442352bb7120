/** The exscan among the outermost runs of a nested scan: for every chunk one among those who look after it. */
import type { Kept } from './kept.ts';
import type { Spot, StepWriter } from './step-writer.ts';

/**
 * `direct`: every run sends its sum to all after it. `chain`: each sends the sum up to and including its own to the next.
 */
export type Across = 'direct' | 'chain';

/** What there is to scan, and where. */
export interface Outermost {
  readonly runs: readonly Kept[];
  readonly chunks: number;
  readonly writer: StepWriter;
  /** The sum over a run. */
  sumAt(run: Kept, chunk: number): Spot;
  /** A free chunk of the rank's scratch. */
  place(rank: number): number;
}

/** Sets what comes before each run but the first. */
export function exscanAcross(across: Across, outermost: Outermost): void {
  if (outermost.runs.length < 2) return;
  if (across === 'direct') direct(outermost);
  else chain(outermost);
}

function placesIn({ owners }: Kept, { place }: Outermost): Int32Array {
  return Int32Array.from(owners, (owner) => place(owner));
}

function at({ owners }: Kept, places: Int32Array, chunk: number): Spot {
  return { rank: owners[chunk], buffer: 'scratch', offset: places[chunk] };
}

function direct(outermost: Outermost): void {
  const { runs, chunks, writer, sumAt } = outermost;
  const sums = runs.map((run, index) => runs.slice(0, index).map(() => placesIn(run, outermost)));
  for (const [index, run] of runs.entries()) {
    for (const [other, places] of sums[index].entries()) {
      for (let chunk = 0; chunk < chunks; chunk++)
        writer.add('copy', sumAt(runs[other], chunk), at(run, places, chunk));
    }
  }
  writer.endStep();
  writer.nextChannel();
  for (let other = 1; other < runs.length - 1; other++) {
    for (const [index, run] of runs.entries()) {
      if (other >= index) continue;
      const [sum, own] = [sums[index][other - 1], sums[index][other]];
      for (let chunk = 0; chunk < chunks; chunk++) writer.add('reduce', at(run, sum, chunk), at(run, own, chunk));
    }
    writer.endStep();
  }
  for (const [index, run] of runs.entries()) run.before = sums[index].at(-1);
}

function chain(outermost: Outermost): void {
  const { runs, chunks, writer, sumAt } = outermost;
  let sent = (chunk: number) => sumAt(runs[0], chunk);
  for (const [index, run] of runs.entries()) {
    if (index === 0) continue;
    const before = placesIn(run, outermost);
    // What a rank of its own has is still its input: it must stay what it is.
    const copied = run.parts.length === 0 && index < runs.length - 1 ? placesIn(run, outermost) : undefined;
    const sum = (chunk: number) => (copied === undefined ? sumAt(run, chunk) : at(run, copied, chunk));
    for (let chunk = 0; chunk < chunks; chunk++) {
      writer.add('copy', sent(chunk), at(run, before, chunk));
      if (copied !== undefined) writer.add('copy', sumAt(run, chunk), sum(chunk));
    }
    writer.endStep();
    writer.nextChannel();
    run.before = before;
    sent = sum;
    if (index === runs.length - 1) return;
    for (let chunk = 0; chunk < chunks; chunk++) writer.add('reduce', at(run, before, chunk), sum(chunk));
    writer.endStep();
  }
}

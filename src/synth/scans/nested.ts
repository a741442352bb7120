/**
 * Scans of nested runs: boxes joined by slower links, and halves of halves. For every chunk they are a tree of parts (tree-telling.ts); whoever looks after it
 * in a run is another rank for another chunk. With parts of one rank in a single run that is two alltoalls around a local scan. In runs of two halves it is the
 * scan's counterpart of recursive halving and doubling (Rabenseifner 2004): up and down each take as many messages one after the other
 * as there are levels, and as many bytes as a vector has.
 */
import { leastTime, steppedTime } from '../../cost/index.ts';
import type { Collective } from '../../ir/collective.ts';
import { partOfWork, transfersPerOperation } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { type Candidate, dismissed, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import { inSuitedBulks } from '../pipeline.ts';
import { programOf } from './chunk-program.ts';
import { getsOutOfStep } from './estimate.ts';
import { packedSchedule } from './packed-schedule.ts';
import { boxesOf, halfOf, outwards, partOf, Runs } from './runs.ts';
import { type Part, tellOfTree } from './tree-telling.ts';

/** Parts of a vector, at most: shares of ranks are rounded to these. */
const mostChunks = 256;

export interface Nesting {
  readonly name: string;
  /** First ranks of the outermost runs, which are all ranks. */
  readonly starts: readonly number[];
  /** What they are made of: ranks, or halves of halves. */
  readonly within: 'flat' | 'halved';
  /** `direct`: every run sends its sum to all after it. `chain`: each sends the sum up to and including its own to the next. */
  readonly across: 'direct' | 'chain';
  /** Into how many parts a vector is best divided. */
  readonly parts: number;
  /** By rank: its share of what a run has to look after. */
  readonly weights: Float64Array;
  /** What one sends waits until all of earlier steps has come: what comes early may stand in the way of what others wait for. */
  readonly inStep?: true;
}

/** The most promising first; halves are no use for short vectors, which they divide. */
export function* proposeNested(problem: Problem, isShort: boolean): Iterable<Proposal> {
  const { ranks } = problem.collective;
  if (ranks < 3) return;
  if (ranks > mostRanksFor.alltoalls)
    return yield dismissed('nested scan', `made for 3 to ${mostRanksFor.alltoalls} ranks, not ${ranks}`);
  const nestings = [...(isShort ? [] : [halves(problem.routes)]), ...ofBoxes(problem)];
  const options = nestings.map((nesting) => optionOf(problem, nesting));
  options.sort((a, b) => a.seconds - b.seconds);
  for (const { candidate, seconds } of options) {
    if (seconds <= (problem.toBeat ?? Number.POSITIVE_INFINITY)) yield { kind: 'candidate', candidate };
    else yield dismissed(candidate.name, 'another plan promises to take less');
  }
}

/** The candidate, and what it is likely to take. */
function optionOf({ collective, chunks, routes, size, shouldStop }: Problem, nesting: Nesting) {
  const { name, parts } = nesting;
  const made = (multiple: number): Schedule =>
    nestedScan(nesting, { ...collective, chunks: (chunks ?? parts) * multiple });
  const first = made(1);
  shouldStop?.(first.steps.transferCount / transfersPerOperation);
  const build = (multiple: number): Schedule => (multiple === 1 ? first : made(multiple));
  const candidate: Candidate = { name, origin: { engine: 'scans', schedule: name }, build };
  const { seconds, latency } = steppedTime(first, routes, size);
  // Chips that cannot send while they reduce lose in bulks what these gain.
  if (getsOutOfStep(routes)) return { candidate, seconds };
  return { candidate, seconds: inSuitedBulks(seconds, latency, leastTime(first, routes, size)).seconds };
}

/** Chips that cannot send while they reduce do better in step. */
function halves(routes: Routes): Nesting {
  const ranks = routes.topology.chips.length;
  const half = halfOf(ranks);
  const weights = new Float64Array(ranks).fill(1);
  const nesting = { starts: [0, half], within: 'halved', across: 'direct', weights, parts: half } as const;
  const name = 'nested halves';
  return getsOutOfStep(routes) ? { ...nesting, name: `${name}, in step`, inStep: true } : { ...nesting, name };
}

/** Every way to scan across boxes. */
function ofBoxes({ routes, effort = 'full' }: Problem): Nesting[] {
  const boxes = boxesOf(routes);
  if (boxes === undefined) return [];
  const weights = outwards(routes, boxes);
  const shares = boxes.map(({ first, end }) => weights.subarray(first, end).reduce((sum, weight) => sum + weight));
  const parts = Math.min(mostChunks * partOfWork[effort], shares.reduce(leastCommonMultiple));
  const starts = boxes.map(({ first }) => first);
  const kinds = boxes.length === 2 ? (['direct'] as const) : (['direct', 'chain'] as const);
  return kinds.map((across) => {
    const name = `nested (at once within, ${across} across)`;
    return { name, starts, within: 'flat', across, weights, parts };
  });
}

/** The schedule of a scan or exscan of any number of chunks. */
export function nestedScan({ name, starts, within, across, weights, inStep }: Nesting, target: Collective): Schedule {
  const { ranks, chunks } = target;
  const runs = new Runs(weights, chunks);
  const outermost = starts.map((first, index) => runs[within](first, starts[index + 1] ?? ranks));
  const isScan = target.kind === 'scan';
  const programs = Array.from({ length: chunks }, (_, chunk) => {
    const parts = outermost.map((run) => partOf(run, chunk));
    const tree: Part =
      across === 'direct'
        ? { ...whole(parts), isDirect: true }
        : parts.reduceRight((after, part) => whole([part, after]));
    const story = tellOfTree(tree, { ranks, ownResult: isScan, way: (_, to) => [to], inLevels: true });
    return programOf(story, { ranks, isScan, reducesWhatComes: within === 'flat' });
  });
  return { ...packedSchedule(programs, target, name, true), ...(inStep && { inStep }) };
}

/** A part of some that is looked after by whoever does so in the first. */
function whole(parts: readonly Part[]): Part {
  return { rank: parts[0].rank, first: parts[0].first, end: parts[parts.length - 1].end, parts };
}

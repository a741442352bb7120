/**
 * Scans of nested runs: boxes joined by slower links, and halves of halves. For every chunk they are a tree of parts (tree-telling.ts); whoever looks after it
 * in a run is another rank for another chunk. With parts of one rank in a single run that is two alltoalls around a local scan. In runs of two halves it is the
 * scan's counterpart of recursive halving and doubling (Rabenseifner 2004): up and down each take as many messages one after the other
 * as there are levels, and as many bytes as a vector has.
 */
import type { Collective } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { programOf } from './chunk-program.ts';
import { becomesUnsynchronised } from './estimate.ts';
import { packedSchedule } from './packed-schedule.ts';
import { consecutiveBoxes, halfOf, outwards, Runs } from './runs.ts';
import { joinedSpans, type RankSpan, tellOfTree } from './tree-telling.ts';

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

/** Halves are no use for short vectors, which they divide. */
export function* proposeNested(problem: Problem, isShort: boolean): Iterable<Proposal> {
  const { collective, chunks, routes } = problem;
  const { ranks } = collective;
  if (ranks < 3) return;
  if (ranks > maxRanksFor.alltoalls)
    return yield dismissed('nested scan', `made for 3 to ${maxRanksFor.alltoalls} ranks, not ${ranks}`);
  for (const nesting of [...(isShort ? [] : [halves(routes)]), ...ofBoxes(problem)]) {
    const { name, parts } = nesting;
    const build = (multiple: number): Schedule =>
      nestedScan(nesting, { ...collective, chunks: (chunks ?? parts) * multiple });
    yield { kind: 'candidate', candidate: { name, origin: { engine: 'scans', schedule: name }, build } };
  }
}

/** Chips that cannot send while they reduce do better in step. */
function halves(routes: Routes): Nesting {
  const ranks = routes.topology.chips.length;
  const half = halfOf(ranks);
  const weights = new Float64Array(ranks).fill(1);
  const nesting = { starts: [0, half], within: 'halved', across: 'direct', weights, parts: half } as const;
  const name = 'nested halves';
  return becomesUnsynchronised(routes) ? { ...nesting, name: `${name}, in step`, inStep: true } : { ...nesting, name };
}

/** Every rank is a part of its box. */
function ofBoxes({ routes, effort = 'full' }: Problem): Nesting[] {
  const boxes = consecutiveBoxes(routes);
  if (boxes === undefined) return [];
  const weights = outwards(routes, boxes);
  const shares = boxes.map((box) => box.reduce((sum, rank) => sum + weights[rank], 0));
  const parts = Math.min(mostChunks * partOfWork[effort], shares.reduce(leastCommonMultiple));
  const starts = boxes.map(([first]) => first);
  return (['direct', 'chain'] as const).slice(0, boxes.length - 1).map((across) => ({
    name: `nested (at once within, ${across} across)`,
    starts,
    within: 'flat',
    across,
    weights,
    parts,
  }));
}

/** The schedule of a scan or exscan of any number of chunks. */
export function nestedScan({ name, starts, within, across, weights, inStep }: Nesting, target: Collective): Schedule {
  const { ranks, chunks } = target;
  const isScan = target.kind === 'scan';
  const programs = Array.from({ length: chunks }, (_, chunk) => {
    const runs = new Runs(weights, chunks, chunk);
    const parts = starts.map((first, index) => runs[within](first, starts[index + 1] ?? ranks).part);
    const tree: RankSpan =
      across === 'direct'
        ? { ...joinedSpans(parts), isDirect: true }
        : parts.reduceRight((after, part) => joinedSpans([part, after]));
    const story = tellOfTree(tree, { ranks, ownResult: isScan, path: (_, to) => [to], inLevels: true });
    return programOf(story, ranks, isScan);
  });
  return { ...packedSchedule(programs, target, name, true), ...(inStep && { inStep }) };
}

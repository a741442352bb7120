/**
 * Scans over nested runs of consecutive ranks: boxes joined by slower links, or halves of halves. For every chunk the runs form a tree
 * (tree-telling.ts), and each chunk has another rank as the owner of a run. A single run of single ranks is two alltoalls around a local
 * scan. Runs of two halves are the scan's counterpart of recursive halving and doubling (Rabenseifner 2004): each direction takes as many
 * consecutive messages as there are levels, and as many bytes as a vector has.
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

/** Maximum chunks of a vector: the ranks' shares are rounded to these. */
const mostChunks = 256;

/** How ranks are nested in runs. */
export interface Nesting {
  readonly name: string;
  /** First ranks of the outermost runs, which together contain all ranks. */
  readonly starts: readonly number[];
  /** Structure of a run: single ranks, or recursive halves. */
  readonly within: 'flat' | 'halved';
  /** `direct`: every run sends its sum to all after it. `chain`: each sends the sum up to and including its own to the next. */
  readonly across: 'direct' | 'chain';
  /** Preferred number of chunks of a vector. */
  readonly parts: number;
  /** By rank: its relative share of the chunks that its run owns. */
  readonly weights: Float64Array;
  /** Ranks are synchronised (`Schedule.inStep`): otherwise early messages could block those that others wait for. */
  readonly inStep?: true;
}

/** Proposes nested scans. For short vectors halves are left out, since they divide the vector. */
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

/** Recursive halves; synchronised if chips cannot send while they reduce. */
function halves(routes: Routes): Nesting {
  const ranks = routes.topology.chips.length;
  const half = halfOf(ranks);
  const weights = new Float64Array(ranks).fill(1);
  const nesting = { starts: [0, half], within: 'halved', across: 'direct', weights, parts: half } as const;
  const name = 'nested halves';
  return becomesUnsynchronised(routes) ? { ...nesting, name: `${name}, in step`, inStep: true } : { ...nesting, name };
}

/** Nestings of one level: the runs are the machine's boxes, their parts single ranks. */
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

/** Builds a scan or exscan with any number of chunks. */
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

/** Scans of nested runs: boxes joined by slower links, and halves of halves. */

import { leastTime, steppedTime } from '../../../cost/index.ts';
import { partOfWork, transfersPerOperation } from '../../../ir/effort.ts';
import type { Routes } from '../../../ir/routes.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { leastCommonMultiple } from '../../../ir/whole-numbers.ts';
import { type Candidate, dismissed, type Problem, type Proposal } from '../../engine.ts';
import { mostRanksFor } from '../../limits.ts';
import { inSuitedBulks } from '../../pipeline.ts';
import { getsOutOfStep } from '../estimate.ts';
import type { Across } from './across.ts';
import { boxesOf, outwards } from './boxes.ts';
import { type Nesting, nestedScan } from './nested-scan.ts';
import { flatRun, halfOf, halvedRun } from './runs.ts';

/** Parts of a vector, at most: shares of ranks are rounded to these. */
const mostChunks = 256;
/**
 * The most promising first.
 *
 * @param isShort one message takes longer than the bytes of a vector: then halves are no use, which divide it
 */
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

/** A nesting for which a vector is best divided into so many parts. */
interface Parted extends Nesting {
  readonly parts: number;
}

interface Option {
  readonly candidate: Candidate;
  readonly seconds: Seconds;
}

function optionOf({ collective, chunks, routes, size, shouldStop }: Problem, nesting: Parted): Option {
  const { name, parts } = nesting;
  const least = chunks ?? parts;
  const made = (multiple: number): Schedule => nestedScan(nesting, { ...collective, chunks: least * multiple });
  const first = made(1);
  shouldStop?.(first.steps.transferCount / transfersPerOperation);
  const build = (multiple: number): Schedule => (multiple === 1 ? first : made(multiple));
  const candidate: Candidate = { name, origin: { engine: 'scans', schedule: name }, build };
  return { candidate, seconds: promiseOf(first, routes, size) };
}

/** Chips that cannot send while they reduce lose in bulks what these gain. */
function promiseOf(schedule: Schedule, routes: Routes, size: Bytes): Seconds {
  const { seconds, latency } = steppedTime(schedule, routes, size);
  return getsOutOfStep(routes) ? seconds : inSuitedBulks(seconds, latency, leastTime(schedule, routes, size));
}

/** Chips that cannot send while they reduce do better in step. */
function halves(routes: Routes): Parted {
  const ranks = routes.topology.chips.length;
  const half = halfOf(ranks);
  const runs = [halvedRun(0, half, true), halvedRun(half, ranks, false)];
  const nesting = { runs, parts: half, across: 'direct', weights: new Float64Array(ranks).fill(1) } as const;
  const name = 'nested halves';
  return getsOutOfStep(routes) ? { ...nesting, name: `${name}, in step`, inStep: true } : { ...nesting, name };
}

/** Every way to scan across boxes. */
function ofBoxes({ routes, effort = 'full' }: Problem): Parted[] {
  const boxes = boxesOf(routes);
  if (boxes === undefined) return [];
  const weights = outwards(routes, boxes);
  const shares = boxes.map(({ first, end }) => weights.subarray(first, end).reduce((sum, weight) => sum + weight));
  const parts = Math.min(mostChunks * partOfWork[effort], shares.reduce(leastCommonMultiple));
  const kinds: readonly Across[] = boxes.length === 2 ? ['direct'] : ['direct', 'chain'];
  const isSummed = (index: number) => index < boxes.length - 1;
  const runs = boxes.map(({ first, end }, index) => flatRun(first, end, isSummed(index)));
  return kinds.map((across) => ({ name: `nested (at once within, ${across} across)`, runs, parts, across, weights }));
}

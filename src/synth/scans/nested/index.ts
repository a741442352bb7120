/** Scans of nested runs: boxes joined by slower links, and halves of halves. */
import { transfersPerOperation } from '../../../ir/effort.ts';
import type { Routes } from '../../../ir/routes.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import type { Seconds } from '../../../ir/units.ts';
import { leastCommonMultiple } from '../../../ir/whole-numbers.ts';
import { type Candidate, dismissed, type Problem, type Proposal } from '../../engine.ts';
import { chainAtBest, getsOutOfStep, isBlocking, transposing } from '../estimate.ts';
import type { Across } from './across.ts';
import { boxesOf, outwards } from './boxes.ts';
import { type Nesting, nestedScan } from './nested-scan.ts';
import { promiseOf } from './promise.ts';
import { flatRun, halfOf, halvedRun } from './runs.ts';

/** With more ranks schedules take long to make. */
const mostRanks = 512;
/** Parts of a vector, at most: shares of ranks are rounded to these. */
const mostChunks = { quick: 64, full: 256 } as const;
/** What promises to take so many times as long as another one is not proposed; in a quick search, nor is more than a few. */
const hopeless = 1.5;
const fewQuickly = 2;
/** Two alltoalls may take so much longer than what bytes straight from rank to rank take. */
const uncertainty = 1.25;

/**
 * Returns what the best of them promises to take in as many bulks as suit it, or infinity where none is proposed.
 *
 * @param isShort one message takes longer than the bytes of a vector: then halves are no use, which divide it
 */
export function* proposeNested(problem: Problem, isShort: boolean): Generator<Proposal, Seconds> {
  const { ranks } = problem.collective;
  const none = Number.POSITIVE_INFINITY;
  if (ranks < 3) return none;
  if (ranks > mostRanks) {
    yield dismissed('nested scan', `made for 3 to ${mostRanks} ranks, not ${ranks}`);
    return none;
  }
  const nestings = [...(isShort ? [] : [halves(problem.routes)]), ...ofBoxes(problem)];
  const options = nestings.map((nesting) => optionOf(problem, nesting));
  if (options.length === 0) return none;
  options.sort((a, b) => a.seconds - b.seconds);
  const most = problem.effort === 'quick' ? fewQuickly : options.length;
  const [{ seconds: least }] = options;
  const toBeat = Math.min(least * hopeless, mustBeat(problem), problem.toBeat ?? none);
  for (const [index, { candidate, seconds }] of options.entries()) {
    if ((index < most && seconds <= toBeat) || problem.byName === true) yield { kind: 'candidate', candidate };
    else yield dismissed(candidate.name, 'another nesting, a chain or two alltoalls promise to take less');
  }
  return least <= toBeat ? least : none;
}

/**
 * Where messages wait for no more than the bytes of those before on their links, a chain takes what it promises; where only ports would
 * make them wait for each other's latencies, two alltoalls do, nearly.
 */
function mustBeat({ routes, size }: Problem): Seconds {
  if (routes.topology.nodes.some(({ ports }) => Number.isFinite(ports.send + ports.receive)))
    return Number.POSITIVE_INFINITY;
  if (getsOutOfStep(routes)) return transposing(routes, size) * uncertainty;
  return isBlocking(routes) ? Number.POSITIVE_INFINITY : chainAtBest(routes, size);
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

/** Chips that cannot send while they reduce do better in step. */
function halves(routes: Routes): Parted {
  const ranks = routes.topology.chips.length;
  const half = halfOf(ranks);
  const runs = [halvedRun(0, half, true, false), halvedRun(half, ranks, false, false)];
  const nesting = { runs, parts: half, across: 'direct', weights: new Float64Array(ranks).fill(1) } as const;
  const name = 'nested halves';
  return getsOutOfStep(routes) ? { ...nesting, name: `${name}, in step`, inStep: true } : { ...nesting, name };
}

/** Every way to scan within boxes, with every way to scan across them. */
function ofBoxes({ routes, effort = 'full' }: Problem): Parted[] {
  const boxes = boxesOf(routes);
  if (boxes === undefined) return [];
  const weights = outwards(routes, boxes);
  const shares = boxes.map(({ first, end }) => weights.subarray(first, end).reduce((sum, weight) => sum + weight));
  const parts = Math.min(mostChunks[effort], shares.reduce(leastCommonMultiple));
  const kinds: readonly Across[] = boxes.length === 2 ? ['direct'] : ['direct', 'chain', 'doubling'];
  const isSummed = (index: number) => index < boxes.length - 1;
  const ways = [
    { within: 'at once', runs: boxes.map(({ first, end }, index) => flatRun(first, end, isSummed(index))) },
    { within: 'by halves', runs: boxes.map(({ first, end }, index) => halvedRun(first, end, isSummed(index), true)) },
  ];
  return ways.flatMap(({ within, runs }) =>
    kinds.map((across) => ({ name: `nested (${within} within, ${across} across)`, runs, parts, across, weights })),
  );
}

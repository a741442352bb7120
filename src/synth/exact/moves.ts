/**
 * Answers instances of data movement. Before a solver is used, allgathers and broadcasts are attempted by randomised
 * construction, for one split of the rounds over the steps after another. What is possible in S steps is possible in
 * more, up to R, since a step of several rounds can be split.
 */
import { Random } from '../../ir/random.ts';
import { spreadOf, spreadSchedule } from '../list/spread.ts';
import { attemptSteps } from './greedy.ts';
import type { Instance, InstanceAnswer, ScheduleMaker, SearchControl } from './instance.ts';
import { answerBySolver } from './solver-answer.ts';

/** Maximum number of chunks of all ranks together. */
const mostItems = 16_384;
/** Work budget of one construction, in chunks delivered. */
const effort = 120_000;
/** Maximum attempts, and maximum splits; of more splits some are drawn at random. */
const mostAttempts = 400;

/** Answers an instance that no bound excludes: by construction, then by the solver. */
export function answerMove(instance: Instance, control: SearchControl): InstanceAnswer {
  const { chunks, machine } = instance;
  if (chunks * machine.ranks > mostItems) {
    const reason = `${chunks} chunks for each of ${machine.ranks} ranks are more than ${mostItems}`;
    return { status: 'unknown', reason };
  }
  return constructSpread(instance, control) ?? answerBySolver(instance, control);
}

/** Undefined if nothing was found, which says nothing about feasibility. */
function constructSpread(
  { kind, machine, root, chunks, steps, rounds }: Instance,
  { seed, shouldStop }: SearchControl,
): InstanceAnswer | undefined {
  if ((kind !== 'allgather' && kind !== 'broadcast') || !machine.areInterchangeable) return undefined;
  const spread = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const splits = splitsOf(steps, rounds, seed);
  const attempts = Math.min(mostAttempts, Math.ceil(effort / (spread.origin.length * (machine.ranks - 1))));
  for (let attempt = 0; attempt < attempts && !shouldStop(); attempt++) {
    const moves = attemptSteps(machine, spread, splits[attempt % splits.length], new Random(seed + attempt));
    if (moves === undefined) continue;
    const schedule: ScheduleMaker = (name, collective, width) => spreadSchedule(moves, name, collective, width);
    return { status: 'feasible', schedule, method: 'constructed' };
  }
  return undefined;
}

/**
 * All ways to distribute R rounds over S steps with at least one each, in random order; or a random sample if there are
 * too many.
 */
function splitsOf(steps: number, rounds: number, seed: number): readonly number[][] {
  const random = new Random(seed);
  const splits: number[][] = [];
  for (const split of allSplits(steps, rounds)) if (splits.push(split) > mostAttempts) break;
  if (splits.length <= mostAttempts) return random.shuffle(splits);
  return Array.from({ length: mostAttempts }, () => {
    const split = new Array<number>(steps).fill(1);
    for (let rest = rounds - steps; rest > 0; rest--) split[random.below(steps)]++;
    return split;
  });
}

function* allSplits(steps: number, rounds: number): Iterable<number[]> {
  if (steps === 1) yield [rounds];
  for (let first = 1; steps > 1 && first <= rounds - steps + 1; first++) {
    for (const rest of allSplits(steps - 1, rounds - first)) yield [first, ...rest];
  }
}

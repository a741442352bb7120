/**
 * Whether the links could carry an allgather or a broadcast if chunks could be divided. Ways carry shares of items through the machine
 * unrolled in time; every cut between the rank where an item starts and a rank that wants it must let all of the item through, which
 * with copies and codes is all that is needed (Ahlswede et al., "Network information flow", 2000). Cuts are looked for where a
 * solution violates them (Gomory and Hu 1961) until there is no solution, or none that violates one.
 *
 * What is impossible here is so for whole chunks too: the mean of what a schedule does with the chunks of a shard is a solution. The mean
 * over its images under renumberings is one as well, so that one item of each set of images is enough.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import type { LinearModel, SolverAnswer } from '../../solver/index.ts';
import { type Instance, startsOf } from './instance.ts';
import { copied } from './models.ts';
import type { Renumbering } from './symmetry.ts';
import { type Sent, Unrolled } from './unrolled.ts';

/** Models that are solved, each with the cuts that the solution of the last one violates. */
const mostModels = 80;
/** What the last solution counts for in the mean of all. */
const weight = 0.4;
/** Shares are counted in whole parts of an item, so that flows are exact; violations of less than `slack` parts are none. */
const parts = 1e7;
const slack = parts / 1e4;

export type DividedAnswer = 'impossible' | 'possible' | 'unknown';

/**
 * @param symmetry a group of renumberings that leave the machine as it is; for a broadcast the identity alone
 * @param ask has a model solved
 */
export function answerDivided(
  instance: Instance,
  symmetry: readonly Renumbering[],
  ask: (model: LinearModel) => SolverAnswer,
): DividedAnswer {
  const starts = startsOf(instance, symmetry);
  const cuts = new Map<string, readonly number[]>();
  let wholeRounds = false;
  let mean: Float64Array | undefined;
  for (let models = 0; models < mostModels; models++) {
    const unrolled = new Unrolled(instance, symmetry, wholeRounds);
    for (const start of starts) unrolled.add([copied(start, 'divided')], false);
    for (const columns of cuts.values()) unrolled.row(1, Number.POSITIVE_INFINITY, columns);
    const answer = ask(unrolled.build(instance.chunks));
    if (answer.status === 'infeasible') return 'impossible';
    if (answer.status === 'unknown') return 'unknown';
    const known = cuts.size;
    const addCuts = (values: Float64Array): void => {
      for (const [item, start] of starts.entries()) {
        const own = unrolled.sent.filter((share) => share.item === item);
        for (const cut of violatedCuts(instance, start, own, values)) cuts.set(cut.join(' '), cut);
      }
    };
    // Cuts that a mean of the solutions so far violates cut deeper than those of the last solution, which is at a corner.
    mean = mean?.map((value, column) => (1 - weight) * value + weight * answer.values[column]) ?? answer.values;
    addCuts(mean);
    if (cuts.size === known) {
      mean = answer.values;
      addCuts(mean);
    }
    if (cuts.size > known) continue;
    if (wholeRounds) return 'possible';
    wholeRounds = true;
  }
  return 'unknown';
}

/** Cuts that let less than all of an item through, two for each rank: next to where it starts, and next to the rank. */
function* violatedCuts(
  { machine, steps }: Instance,
  start: number,
  shares: readonly Sent[],
  values: Float64Array,
): Iterable<readonly number[]> {
  const { ranks, ways } = machine;
  const node = (rank: number, step: number): number => rank * (steps + 1) + step;
  const forward = new FlowNetwork(ranks * (steps + 1));
  const backward = new FlowNetwork(ranks * (steps + 1));
  const ends = shares.map(({ way, step }) => [node(ways[way].from, step), node(ways[way].to, step + 1)] as const);
  for (const [index, { column }] of shares.entries()) {
    const [tail, head] = ends[index];
    forward.add(tail, head, Math.round(values[column] * parts));
    backward.add(head, tail, Math.round(values[column] * parts));
  }
  for (let rank = 0; rank < ranks; rank++) {
    for (let step = 0; step < steps; step++) {
      forward.add(node(rank, step), node(rank, step + 1), unlimited);
      backward.add(node(rank, step + 1), node(rank, step), unlimited);
    }
  }
  const across = (inside: Uint8Array, wanted: 0 | 1): readonly number[] =>
    shares
      .filter((_, i) => inside[ends[i][1 - wanted]] !== inside[ends[i][wanted]] && inside[ends[i][wanted]] === 0)
      .map(({ column }) => column);
  for (let rank = 0; rank < ranks; rank++) {
    if (rank === start) continue;
    const [source, sink] = [node(start, 0), node(rank, steps)];
    if (forward.maxFlow(source, sink, parts) >= parts - slack) continue;
    yield across(forward.sourceSide(), 1);
    backward.maxFlow(sink, source, parts);
    yield across(backward.sourceSide(), 0);
  }
}

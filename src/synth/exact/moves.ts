/**
 * Moves without a solver, split by split of the rounds over the steps: allgather and broadcast by attempts at random, scatter as a flow. What is
 * possible in S steps is possible in more, up to R, since a step of several rounds can be cut in two.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import { Random } from '../../ir/random.ts';
import { scheduleOf, spreadOf } from '../list/spread.ts';
import { attemptSteps } from './greedy.ts';
import { type Answer, type Instance, type ScheduleMaker, type SearchControl, shapeName } from './instance.ts';
import { unitsOf } from './machine.ts';
import { routedSchedule } from './routed.ts';
import { answerBySolver } from './solver-answer.ts';

/** Chunks of all ranks together that are looked at. */
const mostItems = 16_384;
/** Chunks that are brought to ranks while attempts are made: the work of one search. */
const effort = 120_000;
/** Attempts at most, and splits: where there are more, some of them are drawn at random. */
const mostAttempts = 400;

/** Answers an instance that no bound rules out: by construction, and by the solver where that leaves it open. */
export function answerMove(instance: Instance, control: SearchControl): Answer {
  const { kind, chunks, machine } = instance;
  if (chunks * machine.ranks > mostItems) {
    const reason = `${chunks} chunks for each of ${machine.ranks} ranks are more than ${mostItems}`;
    return { status: 'unknown', reason };
  }
  if (kind === 'scatter' && machine.apart) return answerScatter(instance, control);
  return constructSpread(instance, control) ?? answerBySolver(instance, control);
}

/** Undefined where nothing was found: that says nothing about whether there is any. */
function constructSpread(
  { kind, machine, root, chunks, steps, rounds }: Instance,
  { seed, shouldStop }: SearchControl,
): Answer | undefined {
  if ((kind !== 'allgather' && kind !== 'broadcast') || !machine.apart) return undefined;
  const spread = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const { splits } = splitsOf(steps, rounds, seed);
  const attempts = Math.min(mostAttempts, Math.ceil(effort / (spread.origin.length * (machine.ranks - 1))));
  for (let attempt = 0; attempt < attempts && !shouldStop(); attempt++) {
    const moves = attemptSteps(machine, spread, splits[attempt % splits.length], new Random(seed + attempt));
    if (moves === undefined) continue;
    const schedule: ScheduleMaker = (name, collective, width) => scheduleOf(moves, name, collective, width);
    return { status: 'feasible', schedule, method: 'constructed' };
  }
  return undefined;
}

/**
 * A scatter on a machine whose ways share no links: chunks need no names until they arrive, so that a flow through the machine unrolled in time
 * (Ford and Fulkerson 1958) decides for a given split of the rounds, and is whole of its own accord.
 */
function answerScatter(instance: Instance, { seed, shouldStop }: SearchControl): Answer {
  const { machine, root, chunks, steps, rounds } = instance;
  const node = (rank: number, step: number): number => rank * (steps + 1) + step;
  const sink = machine.ranks * (steps + 1);
  const network = new FlowNetwork(sink + 1);
  const arcs = machine.ways.map(({ from, to }) =>
    Array.from({ length: steps }, (_, step) => network.add(node(from, step), node(to, step + 1), 0)),
  );
  for (let rank = 0; rank < machine.ranks; rank++) {
    for (let step = 0; step < steps; step++) network.add(node(rank, step), node(rank, step + 1), unlimited);
    if (rank !== root) network.add(node(rank, steps), sink, chunks);
  }
  const wanted = (machine.ranks - 1) * chunks;
  const what = `scatter ${shapeName(instance)}`;
  const { splits, areAll } = splitsOf(steps, rounds, seed);
  for (const split of splits) {
    if (shouldStop()) return { status: 'unknown', reason: `${what}: the time was up` };
    for (const [index, way] of machine.ways.entries()) {
      for (const [step, arc] of arcs[index].entries())
        network.setCapacity(arc, unitsOf(way, machine.units) * split[step]);
    }
    if (network.maxFlow(node(root, 0), sink) < wanted) continue;
    const schedule = routedSchedule(instance, (_, way, step) => network.flow(arcs[way][step]), split);
    return { status: 'feasible', schedule, method: 'flow' };
  }
  if (!areAll) {
    return { status: 'unknown', reason: `${what}: no flow for ${splits.length} splits of its rounds` };
  }
  const proof = `maximum flows: none of the ${splits.length} ways to split the rounds lets ${wanted} chunks through`;
  return { status: 'infeasible', proof };
}

/** All ways to share R rounds out over S steps, one at least each, in an order at random; or as many as are listed at most, each drawn at random. */
function splitsOf(steps: number, rounds: number, seed: number) {
  const random = new Random(seed);
  const splits: number[][] = [];
  for (const split of allSplits(steps, rounds)) if (splits.push(split) > mostAttempts) break;
  if (splits.length <= mostAttempts) return { splits: random.shuffle(splits), areAll: true };
  const drawn = Array.from({ length: mostAttempts }, () => {
    const split = new Array<number>(steps).fill(1);
    for (let rest = rounds - steps; rest > 0; rest--) split[random.below(steps)]++;
    return split;
  });
  return { splits: drawn, areAll: false };
}

function* allSplits(steps: number, rounds: number): Iterable<number[]> {
  if (steps === 1) yield [rounds];
  for (let first = 1; steps > 1 && first <= rounds - steps + 1; first++) {
    for (const rest of allSplits(steps - 1, rounds - first)) yield [first, ...rest];
  }
}

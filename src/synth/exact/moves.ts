/**
 * Moves without a solver, split by split of the rounds over the steps: allgather and broadcast by attempts at random, scatter as a flow. What is
 * possible in S steps is possible in more, up to R, since a step of several rounds can be cut in two.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import { Random } from '../../ir/random.ts';
import { isSpread, type SpreadKind } from '../list/problem.ts';
import { attemptRounds } from '../list/rounds/search.ts';
import { type Moves, spreadOf } from '../list/spread.ts';
import { type Answer, type MoveInstance, type SearchControl, shapeName } from './instance.ts';
import { namedMoves } from './named-units.ts';
import { solveRouted, solveSpread } from './solver-answer.ts';

/** Chunks of all ranks together that are looked at. */
const mostItems = 16_384;
/** Chunks that are brought to ranks while attempts are made: the work of one search. */
const effort = 120_000;
/** Attempts at most, and splits: where there are more, some of them are drawn at random. */
const mostAttempts = 400;

/** Answers an instance that no bound rules out: by construction, and by the solver where that leaves it open. */
export function answerMove(instance: MoveInstance, control: SearchControl): Answer {
  const { kind, chunks, machine } = instance;
  if (chunks * machine.ranks > mostItems) {
    const reason = `${chunks} chunks for each of ${machine.ranks} ranks are more than ${mostItems}`;
    return { status: 'unknown', reason };
  }
  if (isSpread(kind)) {
    const moves = constructSpread({ ...instance, kind }, control);
    if (moves !== undefined) return { status: 'feasible', solution: moves, method: 'constructed' };
    return solveSpread(instance, control);
  }
  return kind === 'scatter' && machine.apart !== undefined
    ? answerScatter(instance, control)
    : solveRouted(instance, control);
}

/** Moves that solve the instance, undefined where none were found: that says nothing about whether there are any. */
function constructSpread(
  { kind, machine, root, chunks, steps, rounds }: MoveInstance & { readonly kind: SpreadKind },
  { seed, shouldStop }: SearchControl,
): Moves | undefined {
  if (machine.apart === undefined) return undefined;
  const spread = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const splits = splitsOf(steps, rounds, seed);
  const deliveries = spread.origin.length * (machine.ranks - 1);
  const attempts = Math.min(mostAttempts, Math.ceil(effort / deliveries));
  for (let attempt = 0; attempt < attempts && splits.length > 0 && !shouldStop(); attempt++) {
    const split = splits[attempt % splits.length];
    const moves = attemptRounds(machine.apart, spread, (step) => split[step], seed + attempt);
    if (moves !== undefined) return moves;
  }
  return undefined;
}

/**
 * A scatter on a machine whose ways share no links: chunks need no names until they arrive, so that a flow through the machine unrolled in time
 * (Ford and Fulkerson 1958) decides for a given split of the rounds, and is whole of its own accord.
 */
function answerScatter(instance: MoveInstance, { seed, shouldStop }: SearchControl): Answer {
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
  const splits = splitsOf(steps, rounds, seed);
  for (const split of splits) {
    if (shouldStop()) return { status: 'unknown', reason: `${what}: the time was up` };
    for (const [way, { links }] of machine.ways.entries()) {
      const units = Math.min(...links.map((link) => machine.units[link]));
      for (const [step, arc] of arcs[way].entries()) network.setCapacity(arc, units * split[step]);
    }
    if (network.maxFlow(node(root, 0), sink) < wanted) continue;
    const moves = namedMoves(instance, (_, way, step) => network.flow(arcs[way][step]), split);
    return { status: 'feasible', solution: moves, method: 'flow' };
  }
  if (splits.length < splitCount(steps, rounds)) {
    return { status: 'unknown', reason: `${what}: no flow for ${splits.length} splits of its rounds` };
  }
  const proof = `maximum flows: none of the ${splits.length} ways to split the rounds lets ${wanted} chunks through`;
  return { status: 'infeasible', proof };
}

/** How many ways there are to share R rounds out over S steps, one at least each: R − 1 choose S − 1. */
function splitCount(steps: number, rounds: number): number {
  let count = 1;
  for (let i = 1; i < steps; i++) count = (count * (rounds - i)) / i;
  return Math.round(count);
}

/** All splits, in an order at random; or as many as are listed at most, each drawn at random. */
function splitsOf(steps: number, rounds: number, seed: number): readonly (readonly number[])[] {
  if (rounds < steps || steps < 1) return [];
  const random = new Random(seed);
  if (splitCount(steps, rounds) <= mostAttempts) return random.shuffle([...allSplits(steps, rounds)]);
  return Array.from({ length: mostAttempts }, () => {
    const split = new Array<number>(steps).fill(1);
    for (let rest = rounds - steps; rest > 0; rest--) split[random.below(steps)]++;
    return split;
  });
}

function* allSplits(steps: number, rounds: number): Iterable<number[]> {
  if (steps === 1) {
    yield [rounds];
    return;
  }
  for (let first = 1; first <= rounds - steps + 1; first++) {
    for (const rest of allSplits(steps - 1, rounds - first)) yield [first, ...rest];
  }
}

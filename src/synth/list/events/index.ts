/**
 * The strategies `steps`, `events` and `together`: list scheduling of messages in continuous time (loop.ts), for any machine. `steps` runs
 * in lock step: no message starts before all those in progress have arrived. `events` starts a message whenever its links are free.
 * `together` chooses all messages that start at an instant jointly.
 */
import { partOfWork } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import type { Seconds } from '../../../ir/units.ts';
import { joinsMorePairs } from '../../arcs.ts';
import { relativeTolerance } from '../../limits.ts';
import { worthwhile } from '../../pipeline.ts';
import { isShort } from '../../short.ts';
import { fastest, workOfAttempts } from '../attempts.ts';
import { listLimits } from '../limits.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import type { RouteTable } from '../route-table.ts';
import { Moves, type Spread, spreadOf } from '../spread.ts';
import { asSteps, attemptLoop, type Result } from './loop.ts';
import { defaultPieces } from './pieces.ts';
import { type Policy, SpreadCargo } from './spread-cargo.ts';
import { spreadTimeLowerBound } from './time-bound.ts';
import { hasUnlikeLinks } from './together.ts';

/**
 * Maximum product of ranks and pairs of chips for which arcs are computed at all, since most of that work goes into pairs that turn out to
 * have no arc.
 */
const mostPairWork = 4 * listLimits.deliveries;
/** Relative noise in the values of arcs, in attempts that repeat the best policy. */
const noise = 0.1;
/** Candidate numbers of parts of a shard, and of pieces of a broadcast. */
const shardParts = [1, 2, 3, 4, 6, 8, 12, 16];
const broadcastPieces = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/**
 * Parts of a shard for `together`. There must be many, since a message of two or three parts may have to wait for one of them, and the last
 * messages leave links idle. On four kinds of hosts 40 parts reach at least 0.952 of the bound, 24 parts 0.949.
 */
const partsTogether = 40;

const usual: Policy = {
  latencies: Number.POSITIVE_INFINITY,
  paced: false,
  patient: false,
  farFirst: false,
  together: false,
  inLockStep: false,
  noise: 0,
};
const oneByOne: Policy = { ...usual, latencies: 0 };
const inStep: Policy = { ...usual, inLockStep: true };
const paced: Policy = { ...inStep, paced: true };
const oneInStep: Policy = { ...oneByOne, inLockStep: true };

/** The result of an attempt, with its policy. */
interface Attempt extends Result {
  readonly policy: Policy;
}

/** Messages in lock step, for machines whose chips are joined directly by links of equal latency. */
export const steps: Strategy = {
  name: 'steps',
  unfit: unfitForSteps,
  leastLatency: () => 0,
  itemsPerShard: (problem) =>
    partsFor(problem, defaultPieces(problem), problem.effort === 'full' ? [paced, oneInStep] : []),
  search: (spread, problem) => searched(spread, problem, stepwise(problem), (best) => ({ ...best, noise })),
};

/** Messages that each start as soon as their links are free. */
export const events: Strategy = {
  name: 'events',
  unfit(problem) {
    const { latency, bandwidth } = problem.routes();
    const isAlike = areAlike(latency) && areAlike(bandwidth);
    if (problem.effort === 'quick' && isAlike && unfitForSteps(problem) === undefined) {
      return 'all links are alike, so that steps do nearly as well';
    }
    return tooLarge(problem);
  },
  leastLatency,
  itemsPerShard(problem) {
    const [long] = policiesFor(problem.routes());
    const usual = problem.kind === 'broadcast' ? defaultPieces(problem) : 1;
    return partsFor(problem, usual, [long, { ...long, latencies: 0 }]);
  },
  search: (spread, problem) => searched(spread, problem, policiesFor(problem.routes()), (best) => ({ ...best, noise })),
};

/** Messages that are chosen jointly at every instant, for allgathers on machines where messages occupy some of their links longer than others. */
export const together: Strategy = {
  name: 'together',
  unfit: (problem) => tooLarge(problem) ?? unfitForTogether(problem),
  leastLatency,
  itemsPerShard: () => partsTogether,
  /** The first attempt sends items one by one; later ones choose messages jointly. */
  search: (spread, problem) => searched(spread, problem, [oneByOne], () => ({ ...oneByOne, together: true, noise })),
};

function tooLarge({ topology, ranks, routes }: SpreadProblem): string | undefined {
  return joinsMorePairs(topology, mostPairWork / ranks) || routes().arcs.length * ranks > listLimits.deliveries
    ? 'continuous time takes too long on so large a machine'
    : undefined;
}

function unfitForSteps({ topology: { nodes, chips, links } }: SpreadProblem): string | undefined {
  if (nodes.length > chips.length) return 'steps need chips joined directly, without switches';
  return links.some(({ latency }) => latency !== links[0].latency) ? 'steps need links of one latency' : undefined;
}

function unfitForTogether({ routes, size, effort, shares, ...problem }: SpreadProblem): string | undefined {
  if (problem.kind === 'broadcast') return 'one root has too little to choose from';
  if (effort === 'quick') return 'quick searches have no time for so many attempts';
  if (shares !== undefined) return 'shards of different sizes have no equal items';
  const { arcs } = routes();
  if (!hasUnlikeLinks(routes())) return 'no message keeps a link busy for longer than another';
  const items = partsTogether * problem.ranks;
  if (arcs.length * items > listLimits.waysTimesItems) return 'so many items take too long on so large a machine';
  const isShort = arcs.some(({ latency, bandwidth }) => size / items / bandwidth < latency);
  return isShort ? `messages of ${partsTogether} parts of a shard would be too short` : undefined;
}

function leastLatency(problem: SpreadProblem): Seconds {
  return spreadTimeLowerBound(spreadOf(problem, 1), { ...problem, size: 0 });
}

/**
 * Chooses the number of parts of a shard (or pieces of a broadcast) by trial: it tries larger numbers as long as they make the first
 * attempts faster. Returns 1 in a quick search if latency outweighs the bytes.
 * @param usual the number to begin with
 * @param policies each is tried with every number
 */
function partsFor(problem: SpreadProblem, usual: number, policies: readonly Policy[]): number {
  if (problem.effort === 'quick' && isShort(problem.size, problem.topology)) return 1;
  const isTooMuch = (parts: number): boolean =>
    problem.routes().arcs.length * spreadOf(problem, parts).origin.length >
    listLimits.waysTimesItems * partOfWork[problem.effort];
  if ((problem.kind === 'broadcast' && problem.inBulks) || isTooMuch(usual)) return usual;
  let [best, bestTime, work, workOfPart] = [usual, Number.POSITIVE_INFINITY, 0, 0];
  const [counts, toGain] =
    problem.kind === 'broadcast' ? [broadcastPieces, 1 - relativeTolerance] : [shardParts, worthwhile];
  for (const parts of new Set([usual, ...counts])) {
    if (parts > 8 * best || isTooMuch(parts) || work + workOfPart * parts > workOfAttempts(problem.effort)) break;
    const before = work;
    for (const policy of policies) {
      const attempt = attemptEvents(spreadOf(problem, parts), problem, policy, new Random(problem.seed));
      const time = attempt?.seconds ?? bestTime;
      work += attempt?.work ?? 0;
      if (time < bestTime * toGain) [best, bestTime] = [parts, time];
    }
    workOfPart = (work - before) / parts;
  }
  return best;
}

function areAlike(values: Float64Array): boolean {
  return values.every((value) => value === values[0]);
}

/**
 * Policies of `steps`: messages of all useful items; messages just long enough that all arcs into the ranks that lack most stay busy;
 * messages of one item. The longest come first if latency outweighs the bytes.
 */
function stepwise({ size, topology }: SpreadProblem): readonly Policy[] {
  const shorter = [paced, oneInStep];
  return isShort(size, topology) ? [inStep, ...shorter] : [...shorter, inStep];
}

/**
 * Policies of `events`: long and short messages and, if some arcs are faster than others, each with and without patience, and with near or
 * far receivers first.
 */
function policiesFor({ latency, bandwidth }: RouteTable): readonly Policy[] {
  const lengths = [Number.POSITIVE_INFINITY, 0, 1];
  if (areAlike(latency) && areAlike(bandwidth)) return lengths.map((latencies) => ({ ...usual, latencies }));
  return [true, false].flatMap((patient) =>
    lengths.flatMap((latencies) => [false, true].map((farFirst) => ({ ...usual, latencies, patient, farFirst }))),
  );
}

/**
 * Runs attempts with every policy in turn, then with variations of the best, and returns the moves of the fastest.
 * @param then maps the best policy so far to the policy of each further attempt
 */
function searched(
  spread: Spread,
  problem: SpreadProblem,
  policies: readonly Policy[],
  then: (best: Policy) => Policy,
): Moves {
  const random = new Random(problem.seed);
  const attempt = (number: number, best: Attempt | undefined): Attempt | undefined => {
    return attemptEvents(spread, problem, policies[number] ?? then(best?.policy ?? policies[0]), random);
  };
  return movesOf(fastest(attempt, spreadTimeLowerBound(spread, problem), problem), spread, problem);
}

function attemptEvents(
  spread: Spread,
  { size, shouldStop, ...problem }: SpreadProblem,
  policy: Policy,
  random: Random,
): Attempt | undefined {
  const ways = problem.routes();
  const result = attemptLoop(new SpreadCargo(spread, ways, size, policy, random), ways, policy, random, shouldStop);
  return result && { ...result, policy };
}

function movesOf(result: Result | undefined, { ranks, origin }: Spread, { routes, topology }: SpreadProblem): Moves {
  if (result === undefined) throw new Error(`continuous time: not every rank of ${topology.name} can be reached`);
  const { arcs } = routes();
  const items = origin.length;
  const moves = new Moves(result.seconds);
  for (const step of asSteps(result.messages, routes(), (rank, item) => rank * items + item, ranks * items)) {
    for (const { route, items: carried } of step)
      for (const item of carried) moves.add(arcs[route].from, arcs[route].to, item);
    moves.endStep();
  }
  return moves;
}

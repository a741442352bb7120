/** The strategies `events` and `together`: continuous time, for machines whose links, ports and switches do not work in lock step. */
import { partOfWork } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import { rounding, type Seconds } from '../../../ir/units.ts';
import { joinsMorePairs } from '../../arcs.ts';
import { isShort } from '../../short.ts';
import { fastest } from '../attempts.ts';
import { limits } from '../limits.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import { isMixed, unitLinksOf } from '../rounds/unit-links.ts';
import { Moves, type Spread, spreadOf } from '../spread.ts';
import type { Ways } from '../ways.ts';
import { leastTime } from './least-time.ts';
import { attemptLoop, inSteps, type Result } from './loop.ts';
import { type Policy, SpreadCargo } from './spread-cargo.ts';
import { hasUnlikeLinks } from './together.ts';

/** Pairs of chips × ranks of a machine whose ways can be looked for in a moment: some pairs have none of their own. */
const mostPairWork = 4 * limits.deliveries;
/** How far attempts that repeat the best policy stray from it. */
const noise = 0.1;
/** Ways × items of a search in which shards are cut in parts, by trial or for ways that start together. */
const mostWork = 1 << 19;
const mostParts = { allgather: 8, broadcast: 64 } as const;
/**
 * Parts of a shard for ways that start together: many, as a message of two or three of them may wait for one, and the last ones leave links idle. On
 * four kinds of hosts 40 reach 0.952 of the bound or more, 24 reach 0.949.
 */
const partsTogether = 40;

const usual: Policy = {
  latencies: Number.POSITIVE_INFINITY,
  patient: false,
  farFirst: false,
  together: false,
  inStep: false,
  noise: 0,
};
/** What comes of a policy. */
interface Attempt extends Result {
  readonly policy: Policy;
}

const oneByOne: Policy = { ...usual, latencies: 0 };

export const events: Strategy = {
  name: 'events',
  unfit(problem) {
    const links = problem.effort === 'quick' ? unitLinksOf(problem) : '';
    if (typeof links !== 'string' && !isMixed(links)) return 'all links are alike, so that rounds do nearly as well';
    return tooLarge(problem);
  },
  leastLatency,
  itemsPerShard: partsFor,
  search: (spread, problem) => searched(spread, problem, policiesFor(problem.ways()), (best) => ({ ...best, noise })),
};

export const together: Strategy = {
  name: 'together',
  unfit: (problem) => tooLarge(problem) ?? unfitForTogether(problem),
  leastLatency,
  itemsPerShard: () => partsTogether,
  /** The first attempt takes items one by one. */
  search: (spread, problem) => searched(spread, problem, [oneByOne], () => ({ ...oneByOne, together: true, noise })),
};

function tooLarge({ topology, ranks, ways }: SpreadProblem): string | undefined {
  return joinsMorePairs(topology, mostPairWork / ranks) || ways().arcs.length * ranks > limits.deliveries
    ? 'continuous time takes too long on so large a machine'
    : undefined;
}

function unfitForTogether({ ways, size, effort, shares, ...problem }: SpreadProblem): string | undefined {
  if (problem.kind === 'broadcast') return 'one root has too little to choose from';
  if (effort === 'quick') return 'quick searches have no time for so many attempts';
  if (shares !== undefined) return 'shards of different sizes have no equal items';
  const { arcs } = ways();
  if (!hasUnlikeLinks(ways())) return 'no message keeps a link busy for longer than another';
  const items = partsTogether * problem.ranks;
  if (arcs.length * items > mostWork) return 'so many items take too long on so large a machine';
  const isShort = arcs.some(({ latency, bandwidth }) => size / items / bandwidth < latency);
  return isShort ? `messages of ${partsTogether} parts of a shard would be too short` : undefined;
}

function leastLatency(problem: SpreadProblem): Seconds {
  return leastTime(spreadOf(problem, 1), { ...problem, size: 0 });
}

/** Parts of a shard, a power of two: more as long as that makes the first attempts faster; quickly one where bytes take less than messages. */
function partsFor(problem: SpreadProblem): number {
  if (problem.effort === 'quick' && isShort(problem.size, problem.topology)) return 1;
  const ways = problem.ways();
  const [long] = policiesFor(ways);
  const most = mostWork * partOfWork[problem.effort];
  let [best, bestTime] = [1, Number.POSITIVE_INFINITY];
  for (let parts = 1; parts <= mostParts[problem.kind] && parts <= 8 * best; parts *= 2) {
    const spread = spreadOf(problem, parts);
    if (parts > 1 && (problem.shouldStop() || ways.arcs.length * spread.origin.length > most)) break;
    for (const policy of [long, { ...long, latencies: 0 }]) {
      const time = attemptEvents(spread, problem, policy, new Random(problem.seed))?.seconds ?? bestTime;
      if (time < bestTime * (1 - rounding)) [best, bestTime] = [parts, time];
    }
  }
  return best;
}

/** What is tried first: long and short messages; patience, and near or far receivers first, where some ways are faster than others. */
function policiesFor({ latency, bandwidth }: Ways): readonly Policy[] {
  const alike = (values: Float64Array) => values.every((value) => value === values[0]);
  const lengths = [Number.POSITIVE_INFINITY, 0, 1];
  if (alike(latency) && alike(bandwidth)) return lengths.map((latencies) => ({ ...usual, latencies }));
  return [true, false].flatMap((patient) =>
    lengths.flatMap((latencies) => [false, true].map((farFirst) => ({ ...usual, latencies, patient, farFirst }))),
  );
}

/** @param then what is tried once all policies have been */
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
  return movesOf(fastest(attempt, leastTime(spread, problem), problem), spread, problem);
}

function attemptEvents(
  spread: Spread,
  { size, shouldStop, ...problem }: SpreadProblem,
  policy: Policy,
  random: Random,
): Attempt | undefined {
  const ways = problem.ways();
  const result = attemptLoop(new SpreadCargo(spread, ways, size, policy, random), ways, policy, random, shouldStop);
  return result && { ...result, policy };
}

function movesOf(result: Result | undefined, { ranks, origin }: Spread, { ways, topology }: SpreadProblem): Moves {
  if (result === undefined) throw new Error(`continuous time: not every rank of ${topology.name} can be reached`);
  const { arcs } = ways();
  const items = origin.length;
  const moves = new Moves(false, result.seconds);
  for (const step of inSteps(result.messages, ways(), (rank, item) => rank * items + item, ranks * items)) {
    for (const { way, items: carried } of step)
      for (const item of carried) moves.add(arcs[way].from, arcs[way].to, item);
    moves.endStep();
  }
  return moves;
}

/** The strategy `events`: continuous time, for machines whose links, ports and switches do not work in lock step. */
import { Random } from '../../../ir/random.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import { unitLinksOf } from '../rounds/unit-links.ts';
import type { Moves, Spread } from '../spread.ts';
import type { Ways } from '../ways.ts';
import { attemptEvents, type Policy, type Result } from './attempt.ts';
import { leastTime } from './least-time.ts';
import { inLevels } from './levels.ts';

/** Ways × items of one attempt are kept below this. */
const mostWork = 1 << 21;
/** Ways and items that may be looked at in all attempts together. */
const effort = 1_000_000;
const mostAttempts = 40;
/** A schedule that is no slower than this many times the least conceivable is not improved on. */
const closeEnough = 1.001;

export const events: Strategy = {
  name: 'events',
  unfit(problem) {
    if ('links' in unitLinksOf(problem.topology)) return 'all links are alike, so that rounds do as well';
    const { from } = problem.ways();
    if (from.length * problem.ranks > mostWork) return 'continuous time takes too long on so large a machine';
    return undefined;
  },
  itemsPerShard: (problem) => [partsOf(problem)],
  search(spread, problem) {
    const moves = fastestEvents(spread, problem);
    if (moves === undefined) throw new Error(`events: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};

/** Parts of a shard: as many as take four latencies each, few enough to be searched. */
function partsOf({ kind, size, ranks, ways }: SpreadProblem): number {
  const { latency, bandwidth } = ways();
  const shard = kind === 'allgather' ? size / ranks : size;
  const durations = latency.map((seconds, way) => 4 * seconds * bandwidth[way]).sort();
  const worth = durations[durations.length >> 1];
  const shards = kind === 'allgather' ? ranks : 1;
  const most = Math.max(1, Math.min(kind === 'allgather' ? 8 : 64, Math.floor(mostWork / (latency.length * shards))));
  const wanted = worth === 0 ? most : Math.floor(shard / worth);
  return 2 ** Math.floor(Math.log2(Math.max(1, Math.min(wanted, most))));
}

function fastestEvents(spread: Spread, { ways: find, size, seed, shouldStop }: SpreadProblem): Moves | undefined {
  const ways = find();
  const itemBytes = size / spread.origin.length;
  const policies = policiesFor(ways);
  const least = leastTime(ways, spread, itemBytes) * closeEnough;
  const random = new Random(seed);
  let best: Result | undefined;
  let bestPolicy = policies[0];
  for (let attempt = 0, looks = 0; attempt < mostAttempts; attempt++) {
    if (attempt > 0 && (looks > effort || shouldStop())) break;
    const policy = policies[attempt] ?? { ...bestPolicy, noise: 0.1 };
    const result = attemptEvents(ways, spread, itemBytes, policy, random);
    if (result === undefined) continue;
    if (best === undefined || result.seconds < best.seconds) {
      best = result;
      bestPolicy = policy;
    }
    if (best.seconds <= least) break;
    looks += result.looks;
  }
  return best === undefined ? undefined : inLevels(best.messages, ways, spread);
}

/** What is tried first: long and short messages, near and far receivers; patience only where some ways are faster than others. */
function policiesFor({ latency, bandwidth }: Ways): readonly Policy[] {
  const alike = (values: Float64Array) => values.every((value) => value === values[0]);
  const same = alike(latency) && alike(bandwidth);
  const lengths = [Number.POSITIVE_INFINITY, 0, 1, 4];
  const patiences = same ? [0] : [1, 0, 4];
  return patiences.flatMap((patience) =>
    lengths.flatMap((latencies) =>
      (['near', 'far'] as const)
        .filter((prefer) => !same || prefer === 'near')
        .map((prefer) => ({ latencies, prefer, patience, noise: 0 })),
    ),
  );
}

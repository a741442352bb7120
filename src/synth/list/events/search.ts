/** Several attempts in continuous time, each with another policy; the best is kept. */
import { partOfWork } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import { isShort } from '../../short.ts';
import { fastest } from '../attempts.ts';
import type { SpreadProblem } from '../problem.ts';
import { type Moves, type Spread, spreadOf } from '../spread.ts';
import type { Ways } from '../ways.ts';
import { attemptEvents, type Policy, type Result } from './attempt.ts';
import { leastTime } from './least-time.ts';
import { inLevels } from './levels.ts';

/** How far attempts that repeat the best policy stray from it. */
export const noise = 0.1;
/** Ways × items of a search in which shards are cut in parts. */
const mostWork = 1 << 19;
const mostParts = { allgather: 8, broadcast: 64 } as const;

/** @returns undefined when some rank cannot get something */
export function fastestEvents(spread: Spread, problem: SpreadProblem): Moves | undefined {
  const ways = problem.ways();
  const itemBytes = problem.size / spread.origin.length;
  const policies = policiesFor(ways);
  const random = new Random(problem.seed);
  const attempt = (number: number, best: Result | undefined): Result | undefined => {
    const policy = policies[number] ?? { ...(best?.policy ?? policies[0]), noise };
    return attemptEvents(ways, spread, itemBytes, policy, random, problem.shouldStop);
  };
  const best = fastest(attempt, leastTime(ways, spread, itemBytes), problem);
  return best && inLevels(best, ways, spread);
}

/** Parts of a shard, a power of two: more as long as that makes the first attempts faster; quickly one where bytes take less than messages. */
export function partsFor(problem: SpreadProblem): number {
  if (problem.effort === 'quick' && isShort(problem.size, problem.topology)) return 1;
  const ways = problem.ways();
  const [long] = policiesFor(ways);
  const trials: readonly Policy[] = [long, { ...long, latencies: 0 }];
  let best = 1;
  let bestTime = Number.POSITIVE_INFINITY;
  let isOver = false;
  const most = mostWork * partOfWork[problem.effort];
  for (let parts = 1; parts <= mostParts[problem.kind]; parts *= 2) {
    const spread = spreadOf(problem, parts);
    if (parts > 1 && (isOver || ways.from.length * spread.origin.length > most)) break;
    const itemBytes = problem.size / spread.origin.length;
    const times = trials.map((policy) => {
      const random = new Random(problem.seed);
      const result = attemptEvents(ways, spread, itemBytes, policy, random, problem.shouldStop);
      isOver = problem.shouldStop();
      return result?.seconds ?? Number.POSITIVE_INFINITY;
    });
    const time = Math.min(...times);
    if (time < bestTime * (1 - 1e-9)) [best, bestTime] = [parts, time];
    else if (parts > 4 * best) break;
  }
  return best;
}

/** What is tried first: long and short messages; near and far receivers and patience where some ways are faster than others. */
function policiesFor({ latency, bandwidth }: Ways): readonly Policy[] {
  const alike = (values: Float64Array) => values.every((value) => value === values[0]);
  const same = alike(latency) && alike(bandwidth);
  const patiences = same ? [0] : [1, 0, 4];
  const preferences = same ? (['near'] as const) : (['near', 'far'] as const);
  const lengths = [Number.POSITIVE_INFINITY, 0, 1, 4];
  return patiences.flatMap((patience) =>
    lengths.flatMap((latencies) =>
      preferences.map((prefer) => ({ latencies, prefer, patience, together: false, noise: 0 })),
    ),
  );
}

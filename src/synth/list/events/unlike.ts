/**
 * Search where messages keep some links busy for longer than others, as on hosts whose processors are joined by less than PCIe carries: many items,
 * and all that starts at an instant is chosen together (together.ts).
 */
import { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import { fastest } from '../attempts.ts';
import type { SpreadProblem } from '../problem.ts';
import { type Moves, type Spread, spreadOf } from '../spread.ts';
import { attemptEvents, type Policy, type Result } from './attempt.ts';
import { leastTime } from './least-time.ts';
import { inLevels } from './levels.ts';
import { noise } from './search.ts';
import { hasUnlikeLinks } from './together.ts';

/**
 * Parts of a shard: many, as a message of two or three of them may wait for one, and the last ones leave links idle. On four kinds of hosts 40 reach
 * 0.952 of the bound or more, 24 reach 0.949.
 */
export const partsTogether = 40;
/** Ways × items that are looked at. */
const mostItems = 1 << 18;
/** Operations of a plan in whose time attempts are made. */
const mostWork = 45_000;

/** One item after the other, over whichever way is soonest. */
const alone: Policy = {
  latencies: 0,
  prefer: 'near',
  patience: 0,
  together: false,
  noise: 0,
};
const together: Policy = { ...alone, together: true, noise };

/**
 * The first attempt takes items one by one. The others begin as the best one did, and leave all from some turn on to chance again. Of two that take as
 * long, that goes on whose items arrive sooner.
 *
 * @returns undefined when some rank cannot get something
 */
export function fastestTogether(spread: Spread, problem: SpreadProblem): Moves | undefined {
  const ways = problem.ways();
  const itemBytes = problem.size / spread.origin.length;
  const random = new Random(problem.seed);
  const attempt = (number: number, best: Result | undefined): Result | undefined => {
    const from = best === undefined ? 0 : random.below(best.turns + 1);
    const chances = [...(best?.chances.filter((chance) => chance.from < from) ?? []), { from, seed: random.next() }];
    const policy = number === 0 ? alone : together;
    return attemptEvents(ways, spread, itemBytes, policy, new Random(problem.seed), problem.shouldStop, chances);
  };
  const best = fastest(attempt, leastTime(ways, spread, itemBytes), problem, { isBetter, mostWork });
  return best && inLevels(best, ways, spread);
}

/** Why a machine or a size is nothing for it, or undefined. */
export function unfitForTogether({ ways, size, effort, shares, ...problem }: SpreadProblem): string | undefined {
  if (problem.kind === 'broadcast') return 'one root has too little to choose from';
  if (effort === 'quick') return 'quick searches have no time for so many attempts';
  if (shares !== undefined) return 'shards of different sizes have no equal items';
  const { from, latency, bandwidth } = ways();
  if (!hasUnlikeLinks(ways())) return 'no message keeps a link busy for longer than another';
  const items = spreadOf(problem, partsTogether).origin.length;
  if (from.length * items > mostItems) return 'so many items take too long on so large a machine';
  const isShort = latency.some((seconds, way) => size / items / bandwidth[way] < seconds);
  return isShort ? `messages of ${partsTogether} parts of a shard would be too short` : undefined;
}

function isBetter(next: Result, best: Result): boolean {
  if (Math.abs(next.seconds - best.seconds) > rounding * best.seconds) return next.seconds < best.seconds;
  return next.arrivals <= best.arrivals;
}

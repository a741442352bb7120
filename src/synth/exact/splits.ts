/** Ways to share R rounds out over S steps, each of at least one round. */
import { Random } from '../../ir/random.ts';

/** Where there are more splits than this, some of them are drawn at random. */
const mostListed = 512;

/** How many splits there are: R − 1 choose S − 1; Infinity beyond what numbers hold exactly. */
export function splitCount(steps: number, rounds: number): number {
  let count = 1;
  for (let i = 1; i < steps; i++) count = (count * (rounds - i)) / i;
  return Number.isSafeInteger(Math.round(count)) ? Math.round(count) : Number.POSITIVE_INFINITY;
}

/** All splits, in an order at random; or as many as are listed at most, each drawn at random. */
export function splitsOf(steps: number, rounds: number, seed: number): readonly (readonly number[])[] {
  if (rounds < steps || steps < 1) return [];
  const random = new Random(seed);
  if (splitCount(steps, rounds) <= mostListed) return random.shuffle([...allSplits(steps, rounds)]);
  return Array.from({ length: mostListed }, () => {
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

/** Small chunks left out: what the linear program does not see is that a message of no bytes need not be sent. */
import { noticeable } from '../../ir/units.ts';
import { resize } from '../../passes/index.ts';
import { mostFailures } from '../../synth/index.ts';
import { bestSizes, type Sized, type SizeSearch } from './best-sizes.ts';

/**
 * Leaves out what has no bytes, and then the smallest chunks one after the other, as long as that is faster.
 */
export function withoutSmall(given: Sized, search: SizeSearch): Sized {
  let best = given;
  const empty = emptyClasses(best);
  if (empty.length > 0) best = fasterOf(best, without(best, empty, search));
  for (let failures = 0; failures < mostFailures; ) {
    const smallest = bySize(best)[failures];
    if (smallest === undefined) break;
    const sized = without(best, [smallest], search);
    if (sized === undefined || sized.seconds >= best.seconds) failures++;
    else [best, failures] = [sized, 0];
  }
  return best;
}

/** The same schedule with shards that are cut differently, where that is faster. */
export function polish(given: Sized, search: SizeSearch): Sized {
  return given.classes.shards.length === 1 ? given : fasterOf(given, bestSizes(given.schedule, false, search));
}

function fasterOf(a: Sized, b: Sized | undefined): Sized {
  return b !== undefined && b.seconds < a.seconds ? b : a;
}

/** Classes of chunks that have no bytes. */
export function emptyClasses({ parts }: Sized): number[] {
  return [...parts.keys()].filter((of) => parts[of] < noticeable);
}

function bySize({ parts }: Sized): number[] {
  return [...parts.keys()].sort((a, b) => parts[a] - parts[b] || a - b);
}

/** The schedule without these classes and with the best sizes of the others; undefined where shards would differ. */
function without({ schedule, classes }: Sized, gone: readonly number[], search: SizeSearch): Sized | undefined {
  const counts = new Int32Array(classes.count).fill(1);
  for (const of of gone) counts[of] = 0;
  const totals = classes.shards.map((shard) => shard.reduce((sum, of) => sum + counts[of], 0));
  if (totals[0] === 0 || totals.some((total) => total !== totals[0])) return undefined;
  return bestSizes(resize(schedule, classes, counts), true, search);
}

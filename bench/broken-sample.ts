/** Requests drawn from all shipped machines of at most 64 ranks: any link or chip that the rest can do without, any collective, short messages and long ones. */
import { Random } from '../src/ir/random.ts';
import { drawnFrom, shippedFamilies } from './drawn-machines.ts';

export interface Loss {
  readonly topology: string;
  /** As a user would type it after `--without`. */
  readonly without: string;
  readonly collective: string;
  readonly size: string;
}

const sizes = ['1KiB', '64KiB', '1MiB', '64MiB', '1GiB'];
const collectives = [
  'allgather',
  'reducescatter',
  'allreduce',
  'alltoall',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'scan',
  'exscan',
];

/** `count` requests that have an answer, the same for the same seed. */
export function drawn(count: number, seed: number): Loss[] {
  const random = new Random(seed);
  const losses: Loss[] = [];
  while (losses.length < count) {
    const [, name] = shippedFamilies[losses.length % shippedFamilies.length];
    const loss = broken(name(random), random);
    if (loss !== undefined) losses.push(loss);
  }
  return losses;
}

/** Undefined where the machine is too large or too small, or the rest falls apart. */
function broken(topology: string, random: Random): Loss | undefined {
  const drawn = drawnFrom(topology, random, random.below(3) === 0 ? 'chip' : 'link');
  if (drawn === undefined) return undefined;
  return {
    topology,
    without: drawn.without,
    collective: collectives[random.below(collectives.length)],
    size: sizes[random.below(sizes.length)],
  };
}

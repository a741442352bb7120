/** Lower bounds on steps and rounds that need no search: steps from distances, rounds from the narrowest cut. */
import { lowerBound } from '../../bounds/index.ts';
import { type Collective, collectiveFacts, messageChunks } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { counted, rounding } from '../../ir/units.ts';
import type { InstanceShape } from './instance.ts';
import { inRounds, type UnitMachine } from './machine.ts';

/** Maximum C that is considered if no smaller C attains the bound. */
const mostChunks = 16;

export interface ShapeBounds {
  /** Minimum number of steps: the distance that data must travel. */
  readonly minSteps: number;
  /** Minimum rounds per chunk, R/C, and the reason. */
  readonly roundsPerChunk: number;
  readonly reason: string;
}

/** The bounds that hold for a collective with any C, S and R. */
export function shapeBounds(collective: Collective, topology: Topology, machine: UnitMachine): ShapeBounds {
  const one = { ...collective, chunks: 1 };
  const bound = lowerBound(one, inRounds(topology), messageChunks(one));
  return {
    minSteps: minStepsOf(collective, machine),
    roundsPerChunk: bound.seconds,
    reason: bound.certificates[0]?.reason ?? 'nothing has to move',
  };
}

/** Minimum rounds with C chunks: an integer, and at least one per step. */
export function minRounds({ roundsPerChunk, minSteps }: ShapeBounds, chunks: number): number {
  return Math.max(minSteps, Math.ceil(chunks * roundsPerChunk - rounding));
}

/** The reason why the bounds exclude a shape, or undefined. */
export function ruledOut(bounds: ShapeBounds, { chunks, steps, rounds }: InstanceShape): string | undefined {
  if (rounds < steps) return 'every step has at least one round';
  if (steps < bounds.minSteps) return `data has to go over ${bounds.minSteps} links, one after the other`;
  if (rounds >= Math.ceil(chunks * bounds.roundsPerChunk - rounding)) return undefined;
  return `${counted(chunks, 'chunk')} ${chunks === 1 ? 'takes' : 'take'} at least ${counted(Number((chunks * bounds.roundsPerChunk).toFixed(4)), 'round')}`;
}

/**
 * The smallest C for which rounding rounds up to an integer costs nothing, if there is one; otherwise the maximum C
 * considered.
 */
export function chunksWithoutWaste({ roundsPerChunk }: ShapeBounds): number {
  for (let chunks = 1; chunks < mostChunks; chunks++) {
    const rounds = chunks * roundsPerChunk;
    if (Math.abs(rounds - Math.round(rounds)) < rounding) return chunks;
  }
  return mostChunks;
}

/** The longest of the shortest paths that data must take: between any two ranks, or from the root. */
function minStepsOf({ kind, root, ranks }: Collective, { distance }: UnitMachine): number {
  const rooted = collectiveFacts[kind].rooted;
  const toRoot = kind === 'reduce' || kind === 'gather';
  let most = 0;
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) {
      if (!rooted || (toRoot ? to : from) === root) most = Math.max(most, distance[from][to]);
    }
  }
  return most;
}

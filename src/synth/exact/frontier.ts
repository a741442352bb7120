/**
 * The Pareto frontier between steps and rounds per chunk: all shapes (C, S, R) that no other shape dominates in C, S
 * and R/C (as in SCCL: Cai et al., PPoPP 2021). For every C and S the minimum R that would be an improvement is
 * determined. What is impossible in R rounds is impossible in fewer, so one proof below each point suffices.
 * Terminates, since S ≤ R and the best R/C known bounds R.
 */
import { minRounds } from './bounds.ts';
import type { InstanceShape } from './instance.ts';
import type { Oracle, ShapeVerdict } from './oracle.ts';

/** The evidence that a point cannot be improved: a proof, or what was tried without success. */
export interface FrontierEvidence {
  readonly status: 'infeasible' | 'unknown';
  readonly reason: string;
}

export interface FrontierPoint extends InstanceShape {
  readonly verdict: Extract<ShapeVerdict, { status: 'feasible' }>;
  /** Why C chunks cannot be moved in S steps with fewer rounds. */
  readonly evidence: FrontierEvidence;
}

/** A shape that would have been an improvement but was not found; it stands for all with fewer rounds. */
export interface Gap extends InstanceShape, FrontierEvidence {}

export interface Frontier {
  /** Mutually non-dominated; ordered by chunks, then steps. */
  readonly points: readonly FrontierPoint[];
  /** Shapes where no improvement was found and the bounds alone do not exclude one. */
  readonly gaps: readonly Gap[];
  /** C was examined up to this. */
  readonly chunksUpTo: number;
  /** True if the time was up before everything was examined. */
  readonly stoppedEarly: boolean;
}

/** Walks the frontier. Yields the state before each pair of chunks and steps, and the final result. */
export function* walkFrontier(
  oracle: Oracle,
  chunksUpTo: number,
  shouldStop: () => boolean,
): Generator<Frontier & { readonly next?: Pick<InstanceShape, 'chunks' | 'steps'> }, void, void> {
  const points: FrontierPoint[] = [];
  const gaps: Gap[] = [];
  const soFar = { points, gaps, chunksUpTo };
  const lastChunks = Number.isFinite(oracle.bounds.minSteps) ? chunksUpTo : 0;
  for (let chunks = 1; chunks <= lastChunks; chunks++) {
    const least = minRounds(oracle.bounds, chunks);
    const fewest = roundsToImprove(points, chunks, Number.POSITIVE_INFINITY);
    // With the maximum number of steps first: if that is impossible, so are all smaller numbers, which need not be
    // examined.
    if (least <= fewest && Number.isFinite(fewest)) oracle.query({ chunks, steps: fewest, rounds: fewest });
    for (let steps = oracle.bounds.minSteps; ; steps++) {
      const most = roundsToImprove(points, chunks, steps);
      if (Math.max(steps, least) > most) break;
      if (shouldStop()) return yield { ...soFar, stoppedEarly: true };
      yield { ...soFar, stoppedEarly: true, next: { chunks, steps } };
      const found = fewestRounds(oracle, { chunks, steps, least, most });
      if ('verdict' in found) points.push(found);
      else gaps.push(found);
    }
  }
  yield { ...soFar, stoppedEarly: shouldStop() };
}

/**
 * Decreases the rounds from the maximum that would be an improvement to the minimum; returns the gap if already the
 * maximum fails.
 */
function fewestRounds(
  oracle: Oracle,
  { chunks, steps, least, most }: { chunks: number; steps: number; least: number; most: number },
): FrontierPoint | Gap {
  const lowest = Math.max(steps, least);
  let best: FrontierPoint | undefined;
  for (let rounds = Number.isFinite(most) ? most : enoughRounds(oracle, chunks, steps, lowest); ; rounds--) {
    const verdict = oracle.query({ chunks, steps, rounds });
    if (verdict.status === 'feasible') {
      best = { chunks, steps, rounds, verdict, evidence: { status: 'infeasible', reason: '' } };
      continue;
    }
    const floor: FrontierEvidence = {
      status: verdict.status,
      reason: verdict.status === 'infeasible' ? verdict.proof : verdict.reason,
    };
    return best === undefined ? { chunks, steps, rounds, ...floor } : { ...best, evidence: floor };
  }
}

/**
 * A feasible number of rounds when there is no other point to compare with: enough for everything that fits into a
 * step.
 */
function enoughRounds(oracle: Oracle, chunks: number, steps: number, lowest: number): number {
  const always = steps * chunks * oracle.collective.ranks ** 2;
  let rounds = lowest;
  while (rounds < always && oracle.query({ chunks, steps, rounds }).status !== 'feasible') rounds++;
  return rounds;
}

/** The maximum rounds with which (C, S, R) is not dominated by any point; infinite if there are no points. */
function roundsToImprove(points: readonly InstanceShape[], chunks: number, steps: number): number {
  let most = Number.POSITIVE_INFINITY;
  for (const point of points) {
    if (point.chunks > chunks || point.steps > steps) continue;
    most = Math.min(most, Math.ceil((point.rounds * chunks) / point.chunks) - 1);
  }
  return most;
}

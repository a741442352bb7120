/**
 * The frontier between the fewest steps and the fewest rounds per chunk: shapes (C, S, R) that no other one beats in all of C, S
 * and R/C. For every C and S in turn the fewest rounds are looked for that are an improvement; what is impossible in R rounds is
 * impossible in fewer, so one proof below every point is enough. The search ends on every input: there are no more steps than
 * rounds, and no more rounds than the best known R/C allows.
 */
import { minRounds } from './bounds.ts';
import type { InstanceShape } from './instance.ts';
import type { Oracle, ShapeVerdict } from './oracle.ts';

/** Why there is nothing better: the proof, or what was tried in vain. */
export interface FrontierEvidence {
  readonly status: 'infeasible' | 'unknown';
  readonly reason: string;
}

export interface FrontierPoint extends InstanceShape {
  readonly verdict: Extract<ShapeVerdict, { status: 'feasible' }>;
  /** Why C chunks do not go in S steps with fewer rounds. */
  readonly evidence: FrontierEvidence;
}

/** A shape that would have been an improvement; it stands for all with fewer rounds. */
export interface Gap extends InstanceShape, FrontierEvidence {}

export interface Frontier {
  /** Not dominated by one another; fewest chunks first, then fewest steps. */
  readonly points: readonly FrontierPoint[];
  /** Where a number of chunks and of steps brought no improvement, other than by the bounds alone. */
  readonly gaps: readonly Gap[];
  /** C was looked at up to this. */
  readonly chunksUpTo: number;
  /** The time was up before all of it had been looked at. */
  readonly stoppedEarly: boolean;
}

/** Walks the frontier: before each number of chunks and steps what there is so far, and at last all of it. */
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
    // With as many steps as there can be: if that is impossible, all with fewer are, and need not be looked at one by one.
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

/** The fewest rounds, from the most that would be an improvement downwards; the gap if those are too few already. */
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

/** Rounds that do, where there is no other point to compare with. With enough of them everything that can go in a step goes. */
function enoughRounds(oracle: Oracle, chunks: number, steps: number, lowest: number): number {
  const always = steps * chunks * oracle.collective.ranks ** 2;
  let rounds = lowest;
  while (rounds < always && oracle.query({ chunks, steps, rounds }).status !== 'feasible') rounds++;
  return rounds;
}

/** The most rounds with which (C, S, R) is dominated by none of the points; infinite where there is none to compare with. */
function roundsToImprove(points: readonly InstanceShape[], chunks: number, steps: number): number {
  let most = Number.POSITIVE_INFINITY;
  for (const point of points) {
    if (point.chunks > chunks || point.steps > steps) continue;
    most = Math.min(most, Math.ceil((point.rounds * chunks) / point.chunks) - 1);
  }
  return most;
}

/** The frontier of a collective on a machine, between the fewest steps and the fewest rounds per chunk; each point a proved plan. */
import { CccError } from '../ir/diagnostic.ts';
import { planName } from '../ir/plan-name.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import { verdictText } from '../ir/verification.ts';
import { lower, staged } from '../lower/index.ts';
import { type Frontier, type FrontierPoint, Oracle, type Problem, unfitFor, walkFrontier } from '../synth/index.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';

/** `chunks` of its collective is of no account; what no solver is there for, and neither bounds nor construction decide, is left open. */
export interface ParetoRequest extends Pick<Problem, 'collective' | 'seed' | 'limits' | 'solver' | 'onModel'> {
  readonly topology: Topology;
  /** C is looked at up to this; if absent, up to where whole rounds cost nothing any more. */
  readonly chunksUpTo?: number | undefined;
  /** Asked again and again: true ends the search, what has been found is kept. */
  readonly shouldStop?: (() => boolean) | undefined;
  /** Told the number of chunks and steps that are looked at next, and what the answer would be if the search ended there. */
  readonly onLook?:
    | ((next: { readonly chunks: number; readonly steps: number }, soFar: ParetoResult) => void)
    | undefined;
}

/** A shape that can be done, with the plan that does it, and why its rounds cannot be fewer. */
export interface ParetoPoint extends Omit<FrontierPoint, 'verdict'> {
  readonly status: 'feasible';
  /** How the schedule was found. */
  readonly method: string;
  readonly proved: ProvedPlan;
}

export interface ParetoResult extends Omit<Frontier, 'points'> {
  readonly points: readonly ParetoPoint[];
  /** No shape has fewer steps, nor fewer rounds per chunk; and why. */
  readonly minSteps: number;
  readonly roundsPerChunk: number;
  readonly boundReason: string;
  /** Everything below the points is proved impossible. */
  readonly complete: boolean;
  /** The limit that ended the search, in words; absent where it was the time, or nothing. */
  readonly limit?: string;
}

/**
 * Walks the frontier.
 * @throws CccError 'no-plan' where no k-synchronous schedule can be searched for, 'disconnected' where data cannot get to where it is wanted,
 * 'limit' for a C beyond the limit. A plan beyond one ends the search with the points so far.
 */
export function pareto(request: ParetoRequest): ParetoResult {
  const { collective, topology, limits } = request;
  const shouldStop = () => request.shouldStop?.() === true;
  const routes = Routes.of(topology);
  const unfit = unfitFor({ collective, routes });
  if (unfit !== undefined)
    throw new CccError('no-plan', `no frontier of ${collective.kind} on ${topology.name}: ${unfit}`);
  const oracle = new Oracle(collective, routes, { ...request, shouldStop });
  const { minSteps, roundsPerChunk, reason } = oracle.bounds;
  if (!Number.isFinite(minSteps) || !Number.isFinite(roundsPerChunk)) {
    throw new CccError('disconnected', `on ${topology.name} some chips cannot reach others that need their data`);
  }
  const chunksUpTo = request.chunksUpTo ?? oracle.usualChunks();
  if (chunksUpTo > limits.chunks) {
    throw new CccError('limit', `${chunksUpTo} chunks are more than the limit chunks = ${limits.chunks}`);
  }
  const proved: ParetoPoint[] = [];
  const resultOf = ({ points, gaps, stoppedEarly }: Frontier): ParetoResult => {
    for (const point of points.slice(proved.length)) proved.push(provedPoint(point, request));
    const floors = [...points.map(({ evidence }) => evidence), ...gaps];
    return {
      points: [...proved],
      gaps: [...gaps],
      chunksUpTo,
      minSteps: minSteps,
      roundsPerChunk,
      boundReason: reason,
      complete: !stoppedEarly && floors.every(({ status }) => status === 'infeasible'),
      stoppedEarly,
    };
  };
  let result = resultOf({ points: [], gaps: [], chunksUpTo, stoppedEarly: true });
  for (const { next, ...found } of walkFrontier(oracle, chunksUpTo, shouldStop)) {
    try {
      result = resultOf(found);
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'limit') throw error;
      return { ...result, stoppedEarly: true, limit: error.message };
    }
    if (next !== undefined) request.onLook?.(next, result);
  }
  return result;
}

/** The plan of a point; one that cannot be proved is a bug in the engine, not a property of the machine. */
function provedPoint({ verdict, ...point }: FrontierPoint, { topology, limits }: ParetoRequest): ParetoPoint {
  const schedule = verdict.schedule(1);
  const plan = lower(staged(schedule, topology), { bulks: 1, name: planName(schedule.name) });
  const { proved, verification } = prove(plan, { topology, slots: limits.slots });
  if (proved === undefined) throw new Error(`${schedule.name}: ${verdictText(verification)}`);
  return { ...point, status: 'feasible', method: verdict.method, proved };
}

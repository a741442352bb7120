/**
 * The Pareto frontier of a collective on a machine, between the fewest steps and the fewest rounds per chunk (SCCL: Cai et al., PPoPP
 * 2021). Every point has a plan that the kernel has checked.
 */
import { CccError } from '../ir/diagnostic.ts';
import { planName } from '../ir/plan-name.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import { verdictText } from '../ir/verification.ts';
import { lower, staged } from '../lower/index.ts';
import { type Frontier, type FrontierPoint, Oracle, type Problem, unfitFor, walkFrontier } from '../synth/index.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';

/** The request. The `chunks` of its collective are ignored. Shapes that neither bounds nor construction decide stay open if there is no solver. */
export interface ParetoRequest extends Pick<Problem, 'collective' | 'seed' | 'limits' | 'solver' | 'onModel'> {
  readonly topology: Topology;
  /** The maximum C; by default, the C from which requiring whole rounds costs nothing. */
  readonly chunksUpTo?: number | undefined;
  /** Polled during the search; true ends it with the points found so far. */
  readonly shouldStop?: (() => boolean) | undefined;
  /** Called before each shape (number of chunks and steps), with the result that the search would return if it ended now. */
  readonly onLook?:
    | ((next: { readonly chunks: number; readonly steps: number }, soFar: ParetoResult) => void)
    | undefined;
}

/** A feasible shape with its plan, and the reason why it cannot have fewer rounds. */
export interface ParetoPoint extends Omit<FrontierPoint, 'verdict'> {
  readonly status: 'feasible';
  /** The method that found the schedule. */
  readonly method: string;
  readonly proved: ProvedPlan;
}

/** The points of the frontier, and what is known about the shapes between and below them. */
export interface ParetoResult extends Omit<Frontier, 'points'> {
  readonly points: readonly ParetoPoint[];
  /** Lower bounds on the steps and on the rounds per chunk of any shape, and their reason. */
  readonly minSteps: number;
  readonly roundsPerChunk: number;
  readonly boundReason: string;
  /** Whether everything below the points is proved infeasible. */
  readonly complete: boolean;
  /** The limit that ended the search, as a message; absent if time ended it or it is complete. */
  readonly limit?: string;
}

/**
 * Computes the frontier. A plan that exceeds a limit ends the search with the points so far.
 * @throws CccError 'no-plan' if k-synchronous schedules cannot be searched for this collective, 'disconnected' if data cannot reach ranks
 * that need it, 'limit' if the maximum C exceeds the limit of chunks
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

/** The plan of a point. If the kernel rejects it, that is a bug in the engine, not a property of the machine. */
function provedPoint({ verdict, ...point }: FrontierPoint, { topology, limits }: ParetoRequest): ParetoPoint {
  const schedule = verdict.schedule(1);
  const plan = lower(staged(schedule, topology), { bulks: 1, name: planName(schedule.name) });
  const { proved, verification } = prove(plan, { topology, slots: limits.slots });
  if (proved === undefined) throw new Error(`${schedule.name}: ${verdictText(verification)}`);
  return { ...point, status: 'feasible', method: verdict.method, proved };
}

/** Finds the Pareto frontier, as a job for a worker. */
import { type ParetoPoint, type ParetoRequest, type ParetoResult, pareto as walk } from '../search/pareto.ts';
import type { SolverName } from '../solver/index.ts';
import type { ProofParts } from '../verify/index.ts';
import { solverHelp } from './solver-help.ts';
import type { JobControl } from './workers/job-control.ts';

/** A point of the frontier as plain data. */
export interface FoundPoint extends Omit<ParetoPoint, 'proved'> {
  /** The proof taken apart: `Frontier.planOf` puts it together again. */
  readonly proof: ProofParts;
}

/** The frontier as plain data. */
export interface FoundFrontier extends Omit<ParetoResult, 'points'> {
  readonly points: readonly FoundPoint[];
}

/** The assignment of a worker. */
export interface ParetoWork {
  readonly request: Omit<ParetoRequest, 'solver' | 'onModel' | 'shouldStop' | 'onLook'>;
  readonly solver: SolverName;
}

export async function paretoJob(work: ParetoWork, control: JobControl<FoundFrontier>): Promise<FoundFrontier> {
  const help = await solverHelp(work.solver, control);
  const result = walk({
    ...work.request,
    ...help,
    shouldStop: control.shouldStop,
    onLook({ chunks, steps }, soFar) {
      control.onProgress(`${chunks} of ${soFar.chunksUpTo} chunks, ${steps} steps; points: ${soFar.points.length}`);
      control.onResult(dataOf(soFar));
    },
  });
  return dataOf(result);
}

function dataOf(result: ParetoResult): FoundFrontier {
  return {
    ...result,
    points: result.points.map(({ proved: { plan, options }, ...point }) => ({ ...point, proof: { plan, options } })),
  };
}

/** The search of `ccc pareto`: the frontier as far as there is time for it. */
import { type ParetoPoint, type ParetoRequest, type ParetoResult, pareto } from '../../search/pareto.ts';
import type { SolverName } from '../../solver/index.ts';
import type { JobControl } from '../jobs/job.ts';
import { solverHelp } from '../solver-options.ts';

export interface ParetoWork {
  readonly request: Omit<ParetoRequest, 'solver' | 'onModel' | 'shouldStop' | 'onLook'>;
  readonly solver: SolverName;
}

/** What there is to say about the points: their plans stay where they were proved. */
export interface FoundFrontier extends Omit<ParetoResult, 'points'> {
  readonly points: readonly Omit<ParetoPoint, 'proved'>[];
}

export async function paretoJob(work: ParetoWork, control: JobControl<FoundFrontier>): Promise<FoundFrontier> {
  const help = await solverHelp(work.solver, control);
  const result = pareto({
    ...work.request,
    ...help,
    shouldStop: control.shouldStop,
    onLook({ chunks, steps }, soFar) {
      control.onProgress(`${chunks} of ${soFar.chunksUpTo} chunks, ${steps} steps; points: ${soFar.points.length}`);
      control.onResult(withoutPlans(soFar));
    },
  });
  return withoutPlans(result);
}

function withoutPlans(result: ParetoResult): FoundFrontier {
  return { ...result, points: result.points.map(({ proved, ...point }) => point) };
}

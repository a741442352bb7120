/** The search of `ccc pareto`: the frontier as far as there is time for it. */
import { type ParetoRequest, type ParetoResult, pareto } from '../pareto.ts';
import type { SolverName } from '../synth/index.ts';
import type { JobControl } from './jobs/job.ts';
import { solverHelp } from './solver-options.ts';

export interface ParetoWork {
  readonly request: Omit<ParetoRequest, 'solver' | 'onModel' | 'shouldStop' | 'onLook'>;
  readonly solver: SolverName;
}

/** Proved points, data all of them. */
export type FoundFrontier = ParetoResult;

export async function paretoJob(work: ParetoWork, control: JobControl<FoundFrontier>): Promise<FoundFrontier> {
  const help = await solverHelp(work.solver, control);
  return pareto({
    ...work.request,
    ...help,
    shouldStop: control.shouldStop,
    onLook({ chunks, steps }, soFar) {
      control.onProgress(`${chunks} of ${soFar.chunksUpTo} chunks, ${steps} steps; points: ${soFar.points.length}`);
      control.onResult(soFar);
    },
  });
}

/** The last stage of a compile job: schedules in rounds by linear programming, where they may be better (docs/ilp.md). */

import { formatSeconds } from '../../ir/units.ts';
import type { CompileRequest, CompileResult } from '../../search/compile.ts';
import { mayGainInRounds, withRounds } from '../../search/in-rounds.ts';
import type { SolverName } from '../../solver/index.ts';
import type { JobControl } from '../jobs/job.ts';
import { solverHelp } from '../solver-options.ts';
import type { CompiledOrGroups } from './best-found.ts';

/**
 * What was found, or something better; the solver is loaded only where that may be.
 *
 * @param solver nobody where it is undefined: then nothing is tried
 * @throws CccError 'unsupported' for a solver that is not installed
 */
export async function improvedInRounds<Found extends CompiledOrGroups>(
  found: Found,
  request: CompileRequest,
  solver: SolverName | undefined,
  control: Pick<JobControl<unknown>, 'onModel' | 'onProgress'>,
): Promise<Found | CompileResult> {
  if (solver === undefined || 'groups' in found || !mayGainInRounds(found, request)) return found;
  const { solver: loaded, onModel } = await solverHelp(solver, control);
  if (loaded === undefined) return found;
  return withRounds(found, { ...request, onModel }, loaded, (rounds, seconds) =>
    control.onProgress(`ILP: ${formatSeconds(seconds)} in ${rounds} rounds so far`),
  );
}

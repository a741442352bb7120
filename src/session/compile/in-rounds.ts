/** The last stage of a search: schedules in rounds by linear programming, where they may be better (docs/ilp.md). */
import { formatSeconds } from '../../ir/units.ts';
import type { CompileRequest, CompileResult } from '../../search/compile.ts';
import { mayGainInRounds, withRounds } from '../../search/in-rounds.ts';
import type { SolverName } from '../../solver/index.ts';
import { solverHelp } from '../solver-help.ts';
import type { JobControl } from '../workers/job-control.ts';
import type { Compiled } from './best-found.ts';

/**
 * Returns the result, or a better one made of rounds. The solver is loaded only if rounds may be better.
 * @param solver undefined leaves the stage out
 * @throws CccError 'unsupported' for a solver that is not installed
 */
export async function improvedInRounds<Found extends Compiled>(
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

/** `--solver` and `--dump-model`: who solves linear models, and where they are written for others to solve. */
import { type Command, Option } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import type { LinearModel, Solver, SolverName } from '../synth/index.ts';
import type { JobControl, NamedModel } from './jobs/job.ts';
import { oneOf } from './options.ts';
import { note, writeResult } from './output.ts';

const solverNames: readonly SolverName[] = ['auto', 'glpk', 'highs'];

export interface SolverOptions {
  readonly solver: SolverName;
  readonly dumpModel?: string;
}

export function addSolverOptions(command: Command): Command {
  return command
    .addOption(new Option('--solver <name>', 'auto glpk highs').default('auto').argParser(oneOf(solverNames, 'solver')))
    .option('--dump-model <file>', 'writes the last linear model that was solved, as .lp or .mps');
}

/** Who solves linear models for a job, and who is told of them. */
export interface SolverHelp {
  readonly solver: Solver | undefined;
  readonly onModel: ((model: LinearModel, name: string) => void) | undefined;
}

/**
 * The solver of that name, which says how far it is; nobody where there is no name.
 * @throws CccError 'unsupported' for a solver that is not installed
 */
export async function solverHelp(
  name: SolverName | undefined,
  { onModel, onProgress }: Pick<JobControl<unknown>, 'onModel' | 'onProgress'>,
): Promise<SolverHelp> {
  if (name === undefined) return { solver: undefined, onModel: undefined };
  const { loadSolver, progressText, watched } = await import('../synth/index.ts');
  let what = '';
  const solver = watched(await loadSolver(name), (progress) => onProgress(`${what}: ${progressText(progress)}`));
  return {
    solver,
    onModel(model, modelName) {
      what = modelName;
      onProgress(`${what}: ${solver.name}`);
      onModel(model, modelName);
    },
  };
}

/**
 * Who writes the last model that was solved, or says that there was none; undefined where nobody asked for it.
 * @throws CccError 'usage' for a file that ends in neither .lp nor .mps
 */
export function modelWriter({
  dumpModel,
}: SolverOptions): ((last: NamedModel | undefined) => Promise<void>) | undefined {
  if (dumpModel === undefined) return undefined;
  if (!/\.(lp|mps)$/.test(dumpModel)) {
    throw new CccError('usage', `--dump-model writes .lp or .mps files, not '${dumpModel}'`);
  }
  return async (last) => {
    if (last === undefined) {
      note('ccc: no linear model was needed; there is none to write');
      return;
    }
    const { lpText, mpsText } = await import('../synth/index.ts');
    await writeResult((dumpModel.endsWith('.lp') ? lpText : mpsText)(last.model), dumpModel);
    const { columns, rows } = last.model;
    note(`ccc: ${dumpModel} has the model of ${last.name}: ${columns} columns, ${rows} rows`);
  };
}

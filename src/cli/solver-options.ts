/** `--solver` and `--dump-model`: who solves linear models, and where they are written for others to solve. */
import { type Command, Option } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import type { LinearModel, Solver, SolverName } from '../synth/index.ts';
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

/** The solver that was asked for, and what happens to its models. */
export interface ChosenSolver {
  readonly solver: Solver;
  readonly onModel: (model: LinearModel, name: string) => void;
  /** Writes the model that `--dump-model` is for; says so if there was none. */
  writeModel(): Promise<void>;
}

/** @throws CccError 'usage' for a file that ends in neither .lp nor .mps, 'unsupported' for a solver that is not installed */
export async function solverFrom({ solver: name, dumpModel }: SolverOptions): Promise<ChosenSolver> {
  if (dumpModel !== undefined && !/\.(lp|mps)$/.test(dumpModel)) {
    throw new CccError('usage', `--dump-model writes .lp or .mps files, not ${dumpModel}`);
  }
  const { loadSolver, lpText, mpsText } = await import('../synth/index.ts');
  let last: { readonly model: LinearModel; readonly name: string } | undefined;
  const onModel = (model: LinearModel, name: string): void => {
    last = { model, name };
  };
  const writeModel = async (): Promise<void> => {
    if (dumpModel === undefined) return;
    if (last === undefined) {
      note('ccc: no linear model was needed; there is none to write');
      return;
    }
    await writeResult((dumpModel.endsWith('.lp') ? lpText : mpsText)(last.model), dumpModel);
    note(`ccc: ${dumpModel} has the model of ${last.name}: ${last.model.columns} columns, ${last.model.rows} rows`);
  };
  return { solver: await loadSolver(name), onModel, writeModel };
}

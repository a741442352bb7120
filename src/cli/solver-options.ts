/** Declares `--solver`, which chooses the solver of linear programs, and `--lp-out`, which writes a linear program to a file for other solvers. */
import { type Command, Option } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import type { NamedModel } from '../session/workers/job-control.ts';
import type { SolverName } from '../solver/index.ts';
import { oneOf } from './options.ts';
import { note, writeResult } from './output.ts';

/** The names are repeated here, so that commands need not load the solvers to declare the option. */
const solvers: readonly SolverName[] = ['auto', 'glpk', 'highs'];
/** For commands that also find plans without a solver. */
const solversOrNone: readonly (SolverName | 'none')[] = [...solvers, 'none'];

export interface SolverOptions<Name extends string = SolverName> {
  readonly solver: Name;
  readonly lpOut?: string;
  /** Older name of `lpOut`. */
  readonly dumpModel?: string;
}

export type SolverOrNone = (typeof solversOrNone)[number];

/** Adds both options. @param mayBeNone whether the command also works without a solver */
export function addSolverOptions(command: Command, mayBeNone: boolean): Command {
  return command
    .optionsGroup('Search:')
    .addOption(solverOption(mayBeNone))
    .option('--lp-out <file>', 'writes the last linear model that was solved, as .lp or .mps')
    .addOption(new Option('--dump-model <file>').hideHelp());
}

/** Makes the option `--solver`. */
export function solverOption(mayBeNone: boolean): Option {
  const names = mayBeNone ? solversOrNone : solvers;
  return new Option('--solver <name>', names.join(' ')).default('auto').argParser(oneOf(names, 'solver'));
}

/**
 * Returns a function that writes the last linear model that was solved, or reports that there was none; undefined if the user did not ask for it.
 * @throws CccError 'usage' for a file that ends in neither .lp nor .mps
 */
export function modelWriter({
  lpOut,
  dumpModel,
}: Omit<SolverOptions, 'solver'>): ((last: NamedModel | undefined) => Promise<void>) | undefined {
  const file = lpOut ?? dumpModel;
  if (file === undefined) return undefined;
  if (!/\.(lp|mps)$/.test(file)) throw new CccError('usage', `--lp-out writes .lp or .mps files, not '${file}'`);
  return async (last) => {
    if (last === undefined) {
      note('ccc: no linear model was needed; there is none to write');
      return;
    }
    const { lpText, mpsText } = await import('../solver/index.ts');
    await writeResult((file.endsWith('.lp') ? lpText : mpsText)(last.model), file);
    const { columns, rows } = last.model;
    note(`ccc: ${file} has the model of ${last.name}: ${columns} columns, ${rows} rows`);
  };
}

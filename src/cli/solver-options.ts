/** `--solver` and `--lp-out`: who solves linear models, and where they are written for others to solve. */
import { type Command, Option } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import type { NamedModel } from '../session/workers/job-control.ts';
import type { SolverName } from '../solver/index.ts';
import { oneOf } from './options.ts';
import { note, writeResult } from './output.ts';

/** Spelt out here, so that no command has to load solvers to know their names. */
const solvers: readonly SolverName[] = ['auto', 'glpk', 'highs'];
/** Where plans can be found without. */
const solversOrNone: readonly (SolverName | 'none')[] = [...solvers, 'none'];

export interface SolverOptions<Name extends string = SolverName> {
  readonly solver: Name;
  readonly lpOut?: string;
  /** The same by its old name. */
  readonly dumpModel?: string;
}

export type SolverOrNone = (typeof solversOrNone)[number];

/** @param mayBeNone whether the command finds something without a solver, too */
export function addSolverOptions(command: Command, mayBeNone: boolean): Command {
  return command
    .optionsGroup('Search:')
    .addOption(solverOption(mayBeNone))
    .option('--lp-out <file>', 'writes the last linear model that was solved, as .lp or .mps')
    .addOption(new Option('--dump-model <file>').hideHelp());
}

/** `--solver` alone. */
export function solverOption(mayBeNone: boolean): Option {
  const names = mayBeNone ? solversOrNone : solvers;
  return new Option('--solver <name>', names.join(' ')).default('auto').argParser(oneOf(names, 'solver'));
}

/**
 * A function that writes the last linear model that was solved, or says that there was none; undefined if the user did not ask for it.
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

/** The command line: which commands there are, and how every failure ends. Each command is one file. */
import { Command, CommanderError } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import { registerBound } from './commands/bound.ts';
import { registerCompile } from './commands/compile.ts';
import { registerList } from './commands/list.ts';
import { registerShow } from './commands/show.ts';
import { registerVerify } from './commands/verify.ts';
import { exitCodeOf, exitCodes, jsonOfError, textOfError } from './failure.ts';
import { note, writeJson } from './output.ts';
import { packageVersion } from './version.ts';

/** Commands in the order in which a newcomer needs them. */
const registrations = [registerCompile, registerVerify, registerShow, registerBound, registerList];

/** Runs the command that `argv` (as Node gives it) asks for and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ccc')
    .description('Compiles collectives to schedules that are proved correct and measured against a proven bound.')
    .version(packageVersion())
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const register of registrations) register(program);
  // Options that subcommands do not see at once (exitOverride, output) are copied by commander when a command is made.
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = fail(error, argv.includes('--json'));
  }
}

function fail(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    return fail(new CccError('usage', error.message.replace(/^error: /, '')), asJson);
  }
  if (asJson) writeJson(jsonOfError(error));
  note(textOfError(error));
  return exitCodeOf(error);
}

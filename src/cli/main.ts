/** The command line: which commands there are, and how every failure ends. Each command is one file. */
import { Command, CommanderError } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import { nearestNames } from '../read/nearest.ts';
import { registerBound } from './commands/bound.ts';
import { registerCompile } from './commands/compile.ts';
import { registerConvert } from './commands/convert.ts';
import { registerList } from './commands/list.ts';
import { registerOptimize } from './commands/optimize.ts';
import { registerPareto } from './commands/pareto.ts';
import { registerRun } from './commands/run.ts';
import { registerShow } from './commands/show.ts';
import { registerTune } from './commands/tune.ts';
import { registerVerify } from './commands/verify.ts';
import { exitCodeOf, exitCodes, jsonOfError, textOfError } from './failure.ts';
import { note, writeJson, writeStandardOutput } from './output.ts';
import { packageVersion } from './version.ts';

/** Commands in the order in which a newcomer needs them. */
const registrations = [
  registerCompile,
  registerVerify,
  registerRun,
  registerShow,
  registerBound,
  registerTune,
  registerOptimize,
  registerPareto,
  registerConvert,
  registerList,
];

/** Runs the command that `argv` (as Node gives it) asks for and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ccc')
    .description('Compiles collectives to schedules that are proved correct and measured against a proven bound.')
    .version(packageVersion())
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: writeStandardOutput, writeErr: () => {} });
  // Options that subcommands do not see at once (exitOverride, output) are copied by commander when a command is made.
  for (const register of registrations) register(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = fail(error, program, argv.includes('--json'));
  }
}

/** Says what went wrong and returns the exit code. */
function fail(error: unknown, program: Command, asJson: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    return fail(new CccError('usage', usageMessage(error, program)), program, asJson);
  }
  if (asJson) writeErrorDocument(error);
  note(textOfError(error));
  return exitCodeOf(error);
}

/** Where not even that can be written, the message on standard error has to do. */
function writeErrorDocument(error: unknown): void {
  try {
    writeJson(jsonOfError(error));
  } catch (second) {
    if (!(second instanceof CccError)) throw second;
  }
}

/** Commander's messages in the form that the others have; for commands it only offers help. */
function usageMessage(error: CommanderError, program: Command): string {
  switch (error.code) {
    case 'commander.help':
      return `expected a command: ${commandNames(program).join(', ')}; ccc --help shows them, ccc compile --help its options`;
    case 'commander.unknownCommand': {
      const [wanted = ''] = program.args;
      return `there is no command '${wanted}'; ${nearestNames(wanted, commandNames(program))}`;
    }
    default:
      return error.message
        .replace(/^error: /, '')
        .replace("' is invalid. ", "' is invalid: ")
        .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
  }
}

function commandNames(program: Command): readonly string[] {
  return program.commands.map((command) => command.name());
}

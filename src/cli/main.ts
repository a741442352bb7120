/** The command line: which commands exist, and how every failure ends. Each command has a file of its own. */
import '../session/node-platform.ts';
import { Command, CommanderError } from 'commander';
import { CccError } from '../ir/diagnostic.ts';
import { nearestNames } from '../read/nearest.ts';
import { packageVersion } from '../session/version.ts';
import { registerBound } from './commands/bound.ts';
import { registerCalibrate } from './commands/calibrate.ts';
import { registerCompile } from './commands/compile.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerConvert } from './commands/convert.ts';
import { registerDiff } from './commands/diff.ts';
import { registerHelp } from './commands/help.ts';
import { registerList } from './commands/list.ts';
import { registerOptimize } from './commands/optimize.ts';
import { registerPareto } from './commands/pareto.ts';
import { registerRun } from './commands/run.ts';
import { registerShow } from './commands/show.ts';
import { registerTune } from './commands/tune.ts';
import { registerVerify } from './commands/verify.ts';
import { registerView } from './commands/view.ts';
import { exitCodeOf, exitCodes, jsonOfError, textOfError } from './failure.ts';
import { nameableKinds } from './options.ts';
import { note, writeJson, writeText } from './output.ts';
import { versionDocument } from './version.ts';

type Registration = readonly [register: (program: Command) => void, page: string];

/** Commands by purpose, in the order in which a new user needs them, each with the page of docs/ that explains it. */
const groups: readonly (readonly [title: string, registrations: readonly Registration[]])[] = [
  [
    'Make plans:',
    [
      [registerCompile, 'searches'],
      [registerTune, 'tuning'],
      [registerOptimize, 'tuning'],
      [registerPareto, 'exact'],
    ],
  ],
  [
    'Check and look:',
    [
      [registerVerify, 'verification'],
      [registerShow, 'collectives'],
      [registerView, 'view'],
      [registerDiff, 'view'],
      [registerBound, 'bounds'],
    ],
  ],
  [
    'Use plans:',
    [
      [registerRun, 'running'],
      [registerConvert, 'msccl'],
      [registerCalibrate, 'calibration'],
    ],
  ],
  [
    'Find out more:',
    [
      [registerList, 'algorithms'],
      [registerHelp, 'README'],
      [registerCompletion, 'README'],
    ],
  ],
];

const overview = `Start:
  ccc compile allgather --topo sg2260x4

ccc COMMAND --help has the options of a command and examples, ccc help PAGE a
page of the documentation.

Results go to standard output or -o, reports to standard error. Exit codes:
0 done; 1 not correct, or no plan; 2 bad usage or unreadable input;
3 ended by a limit; 70 a bug in ccc.
`;

/** Runs the command that `argv` (as Node passes it) names, and sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ccc')
    .description('Compiles collectives to schedules that are proved correct and measured against a proven bound.')
    .version(packageVersion())
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', `\n${overview}`)
    .configureOutput({ writeOut: writeText, writeErr: () => {} });
  // Commander copies options such as exitOverride and the output to a subcommand when it is created, so they are set before.
  for (const [title, registrations] of groups) {
    program.commandsGroup(title);
    for (const [register, page] of registrations) {
      register(program);
      program.commands.at(-1)?.addHelpText('after', `\nMore: ccc help ${page}\n`);
    }
  }
  try {
    if (argv.includes('--version') && argv.includes('--json')) return writeJson(versionDocument());
    await program.parseAsync([...argv]);
  } catch (error) {
    const isKnown = error instanceof CccError || error instanceof CommanderError;
    const reported = isKnown ? error : (await import('../session/internal-error.ts')).withMaterialSaved(error);
    process.exitCode = fail(reported, program, argv.includes('--json'));
  }
}

/** Prints what went wrong and returns the exit code. */
function fail(error: unknown, program: Command, asJson: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    return fail(new CccError('usage', usageMessage(error, program)), program, asJson);
  }
  if (asJson) writeErrorDocument(error);
  note(textOfError(error));
  return exitCodeOf(error);
}

/** If not even the document can be written, the message on standard error remains. */
function writeErrorDocument(error: unknown): void {
  try {
    writeJson(jsonOfError(error));
  } catch (second) {
    if (!(second instanceof CccError)) throw second;
  }
}

/** Rewords Commander's messages in the style of the other messages. For unknown commands Commander offers only help. */
function usageMessage(error: CommanderError, program: Command): string {
  switch (error.code) {
    case 'commander.help':
      return `expected a command: ${commandNames(program).join(', ')}; ccc --help shows them, ccc compile --help its options`;
    case 'commander.unknownCommand': {
      const [wanted = ''] = program.args;
      return `there is no command '${wanted}'; ${nearestNames(wanted, commandNames(program))}`;
    }
    case 'commander.unknownOption': {
      const flag = /'(--[a-z-]+)=/.exec(error.message)?.[1];
      if (flag !== undefined && isFlag(flag, program)) return `option '${flag}' takes no value`;
      return plainMessage(error);
    }
    case 'commander.missingArgument': {
      if (error.message.includes("'collective'")) return `expected a collective: ${nameableKinds.join(', ')}`;
      return `${plainMessage(error)}; ccc ${program.args[0]} --help has examples`;
    }
    default:
      return plainMessage(error);
  }
}

/** Whether the command has an option of that name. Commander reports a flag that gets a value as unknown, too; no such option takes one. */
function isFlag(flag: string, program: Command): boolean {
  const command = program.commands.find((candidate) => candidate.name() === program.args[0]);
  return command?.options.some(({ long }) => long === flag) ?? false;
}

function plainMessage(error: CommanderError): string {
  return error.message
    .replace(/^error: /, '')
    .replace("' is invalid. ", "' is invalid: ")
    .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
}

function commandNames(program: Command): readonly string[] {
  return program.commands.map((command) => command.name());
}

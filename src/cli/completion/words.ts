/** What may stand where on the command line, as commands and options declare it and as it is shipped. */
import type { Command } from 'commander';

/** What may stand in a place: these words, and files if they fit there. */
export interface Offered {
  readonly values: readonly string[];
  readonly files: boolean;
}

/** An option by its long name, and what may follow it; undefined for options that stand alone. */
export interface CompletedOption {
  readonly flag: string;
  readonly about: string;
  readonly value: Offered | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** What its arguments may be. */
  readonly argument: Offered;
}

/** Names by what stands in front of them: an option, or a command for its argument. */
export type KnownValues = Readonly<Record<string, Offered>>;

/** What is for the user to know may be a file. */
const unknown: Offered = { values: [], files: true };

export function completedCommands(program: Command, known: KnownValues): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: firstClause(command.description()),
    options: command.options.map(({ long, flags, description }) => {
      const takesValue = /[<[]/.test(flags);
      return {
        flag: long ?? flags,
        about: firstClause(description),
        value: takesValue ? (known[long ?? flags] ?? choicesIn(flags) ?? unknown) : undefined,
      };
    }),
    argument: known[command.name()] ?? unknown,
  }));
}

/** `--overlap <on|off>`: the words that are meant as they stand. */
function choicesIn(flags: string): Offered | undefined {
  const words = /[<[]([\w-]+(?:\|[\w-]+)+)[>\]]/.exec(flags)?.[1].split('|');
  return words === undefined ? undefined : { values: words, files: false };
}

/** Short enough for a line beside the name. */
function firstClause(text: string): string {
  const clause = text.split(/[;:(]|, /)[0].trim();
  return clause.replace(/['"`]/g, '');
}

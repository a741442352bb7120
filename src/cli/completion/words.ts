/** What may stand where on the command line, as commands and options declare it and as it is shipped. */
import type { Command } from 'commander';

/** An option by its long name, and what may follow it; undefined where that is for the user to know, and a file name fits. */
export interface CompletedOption {
  readonly flag: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly values: readonly string[] | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** What its first argument may be, beside files. */
  readonly values: readonly string[];
}

/** Names by what stands in front of them: an option, or a command for its argument. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

export function completedCommands(program: Command, known: KnownValues): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: firstClause(command.description()),
    options: command.options.map(({ long, flags, description }) => {
      const takesValue = /[<[]/.test(flags);
      return {
        flag: long ?? flags,
        about: firstClause(description),
        takesValue,
        values: takesValue ? (known[long ?? flags] ?? choicesIn(flags)) : undefined,
      };
    }),
    values: known[command.name()] ?? [],
  }));
}

/** `--overlap <on|off>`: the words that are meant as they stand. */
function choicesIn(flags: string): readonly string[] | undefined {
  return /[<[]([\w-]+(?:\|[\w-]+)+)[>\]]/.exec(flags)?.[1].split('|');
}

/** Short enough for a line beside the name. */
function firstClause(text: string): string {
  const clause = text.split(/[;:(]|, /)[0].trim();
  return clause.replace(/['"`]/g, '');
}

/** Finds the words that can follow on a command line, from the declarations of commands and options and from what is shipped. */
import type { Command } from 'commander';

/** What is offered at a place: these words and, with `files`, names of files. */
export interface Offered {
  readonly values: readonly string[];
  readonly files: boolean;
}

/** An option by its long name, and what may follow it; undefined for options without a value. */
export interface CompletedOption {
  readonly flag: string;
  readonly about: string;
  readonly value: Offered | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** What the command's arguments may be. */
  readonly argument: Offered;
}

/** Known words for values, by option (`--topo`) or by command (for its arguments). */
export type KnownValues = Readonly<Record<string, Offered>>;

/** Values that only the user knows may be names of files. */
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

/** Returns the words of a choice: `--overlap <on|off>` gives `on` and `off`. */
function choicesIn(flags: string): Offered | undefined {
  const words = /[<[]([\w-]+(?:\|[\w-]+)+)[>\]]/.exec(flags)?.[1].split('|');
  return words === undefined ? undefined : { values: words, files: false };
}

/** Returns the first clause of a description, which is short enough for the line of an option. */
function firstClause(text: string): string {
  const clause = text.split(/[;:(]|, /)[0].trim();
  return clause.replace(/['"`]/g, '');
}

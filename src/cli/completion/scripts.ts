/** Writes scripts that complete command lines, in the language of each shell. All words are in the script, so that completing does not start ccc. */
import type { CompletedCommand, CompletedOption, Offered } from './words.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
  }
}

/** Returns the options with values by their flags: an option takes the same values in all commands. */
function valuedOptions(commands: readonly CompletedCommand[]): ReadonlyMap<string, Offered> {
  const options = commands.flatMap((command) => command.options);
  return new Map(options.flatMap(({ flag, value }) => (value === undefined ? [] : [[flag, value]])));
}

const names = (commands: readonly CompletedCommand[]): string => commands.map(({ name }) => name).join(' ');
const flags = (options: readonly CompletedOption[]): string => options.map(({ flag }) => flag).join(' ');

function bashScript(commands: readonly CompletedCommand[]): string {
  const offers = (words: string, files: boolean): string =>
    `COMPREPLY=($(compgen -W "${words}" -- "$current")${files ? ' $(compgen -f -- "$current")' : ''})`;
  const values = [...valuedOptions(commands)].map(
    ([flag, { values: words, files }]) => `    ${flag}) ${offers(words.join(' '), files)}; return ;;`,
  );
  const ofCommands = commands.map(
    ({ name, options, argument }) =>
      `    ${name}) ${offers([flags(options), ...argument.values, '--help'].join(' '), argument.files)} ;;`,
  );
  return `# Completion of ccc for bash: eval "$(ccc completion bash)" in ~/.bashrc
_ccc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(commands)} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${ofCommands.join('\n')}
  esac
}
complete -o filenames -F _ccc ccc
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const offers = (words: readonly string[], files: boolean): string =>
    [...(words.length === 0 ? [] : [`compadd -- ${words.join(' ')}`]), ...(files ? ['_files'] : [])].join('; ');
  const values = [...valuedOptions(commands)].map(
    ([flag, { values: words, files }]) => `    ${flag}) ${offers(words, files)}; return ;;`,
  );
  const ofCommands = commands.map(({ name, options, argument }) => {
    const words = [...argument.values, ...options.map(({ flag }) => flag), '--help'];
    return `    ${name}) ${offers(words, argument.files)} ;;`;
  });
  return `#compdef ccc
# Completion of ccc for zsh: eval "$(ccc completion zsh)" in ~/.zshrc behind compinit
_ccc() {
  if (( CURRENT == 2 )); then
    compadd -- ${names(commands)} --help --version
    return
  fi
  case "$words[CURRENT - 1]" in
${values.join('\n')}
  esac
  case "$words[2]" in
${ofCommands.join('\n')}
  esac
}
compdef _ccc ccc
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, about, options, argument: { values, files } }) => {
    const words = values.length === 0 ? '' : ` -a '${values.join(' ')}'`;
    return [
      `complete -c ccc -n __fish_use_subcommand -f -a ${name} -d '${about}'`,
      `complete -c ccc -n '__fish_seen_subcommand_from ${name}'${files ? '' : ' -f'}${words}`,
      ...options.map((option) => fishOption(name, option)),
    ];
  });
  return `# Completion of ccc for fish: ccc completion fish | source in config.fish\n${lines.join('\n')}\n`;
}

function fishOption(command: string, { flag, about, value }: CompletedOption): string {
  const takes = value === undefined ? '' : value.files ? ' -r -F' : ' -x';
  const words = value === undefined || value.values.length === 0 ? '' : ` -a '${value.values.join(' ')}'`;
  return `complete -c ccc -n '__fish_seen_subcommand_from ${command}' -l ${flag.replace(/^-+/, '')}${takes}${words} -d '${about}'`;
}

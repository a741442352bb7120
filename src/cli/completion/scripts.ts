/** Scripts that complete command lines, for each shell in its own language. Everything they know stands in them: completing starts no ccc. */
import type { CompletedCommand, CompletedOption } from './words.ts';

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

/** Options that differ in nothing from command to command are told once. */
function valuedOptions(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly string[]> {
  const valued = commands.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
  return new Map(valued.map(({ flag, values = [] }) => [flag, values]));
}

const names = (commands: readonly CompletedCommand[]): string => commands.map(({ name }) => name).join(' ');
const flags = (options: readonly CompletedOption[]): string => options.map(({ flag }) => flag).join(' ');

function bashScript(commands: readonly CompletedCommand[]): string {
  const values = [...valuedOptions(commands)].map(
    ([flag, words]) =>
      `    ${flag}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current") $(compgen -f -- "$current")); return ;;`,
  );
  const ofCommands = commands.map(
    ({ name, options, values: words }) =>
      `    ${name}) words="${[flags(options), words.join(' ')].filter((text) => text !== '').join(' ')}" ;;`,
  );
  return `# Completion of ccc for bash: eval "$(ccc completion bash)" in ~/.bashrc
_ccc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=""
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
  COMPREPLY=($(compgen -W "$words --help" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _ccc ccc
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const values = [...valuedOptions(commands)].map(
    ([flag, words]) => `    ${flag}) compadd -- ${words.join(' ')}; _files; return ;;`,
  );
  const ofCommands = commands.map(({ name, options, values: words }) => {
    const arguments_ = words.length === 0 ? '' : `compadd -- ${words.join(' ')}; `;
    return `    ${name}) ${arguments_}compadd -- ${flags(options)} --help ;;`;
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
  _files
}
compdef _ccc ccc
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, about, options, values }) => [
    `complete -c ccc -n __fish_use_subcommand -f -a ${name} -d '${about}'`,
    ...(values.length === 0
      ? []
      : [`complete -c ccc -n '__fish_seen_subcommand_from ${name}' -a '${values.join(' ')}'`]),
    ...options.map((option) => fishOption(name, option)),
  ]);
  return `# Completion of ccc for fish: ccc completion fish | source in config.fish\n${lines.join('\n')}\n`;
}

function fishOption(command: string, { flag, about, takesValue, values = [] }: CompletedOption): string {
  const value = takesValue ? ' -r' : '';
  const words = values.length === 0 ? '' : ` -a '${values.join(' ')}'`;
  return `complete -c ccc -n '__fish_seen_subcommand_from ${command}' -l ${flag.replace(/^-+/, '')}${value}${words} -d '${about}'`;
}

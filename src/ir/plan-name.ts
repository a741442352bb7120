/**
 * The name of a plan, in one word of which files can be named: what made it, and the machine by its file's name without folders and
 * ending, with its values and what has been done to it. `packed trees, merged` on `./my/square.yaml:4 --group 0,1` becomes
 * `packed-trees-merged-square:4-group-0,1`.
 */
export function planName(algorithm: string, machine = ''): string {
  const called = machine.replace(/^(?:(?! --).)*\//, '').replace(/\.(?:ya?ml|json)(?=[:\s]|$)/, '');
  return `${algorithm}-${called}`.replace(/[^\w.:+,-]|,(?!\w)/g, '-').replace(/-+(?=-|$)/g, '');
}

/**
 * The name of a plan, in one word of which files can be named on every system: what made it, and the machine by its name with its values and
 * what has been done to it. `packed trees, merged` on `square:4 --group 0,1` becomes `packed-trees-merged-square-4-group-0,1`.
 */
export function planName(algorithm: string, machine = ''): string {
  return `${algorithm}-${machine}`.replace(/[^\w.+,-]|,(?!\w)/g, '-').replace(/-+(?=-|$)/g, '');
}

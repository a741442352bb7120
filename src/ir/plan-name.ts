/**
 * Joins words by hyphens to the name of a plan: one word, so that a file of that name can exist on every system.
 * @example planName('ring-allgather', 'square:4 --group 0,1') // 'ring-allgather-square-4-group-0,1'
 */
export function planName(...words: readonly string[]): string {
  return words
    .join('-')
    .replace(/[^\w.+,-]|,(?!\w)/g, '-')
    .replace(/-+(?=-|$)/g, '');
}

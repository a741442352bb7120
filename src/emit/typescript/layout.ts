/** Line breaks as common formatters set them. */

/** `head(part, part)tail` on one line if it fits, else with a line for each part. */
export function bracketed(head: string, parts: readonly string[], tail: string): string {
  const line = `${head}${parts.join(', ')}${tail}`;
  if (line.length <= style.width) return line;
  return `${head}\n${parts.map((part) => `  ${part},\n`).join('')}${tail}`;
}

/** Parameters of the style of emitted programs. */
export const style = {
  width: 120,
  longestPeriod: 12,
  /** Minimum number of lines that a loop must save: for fewer lines it is not worth a reader's attention. */
  linesSaved: 6,
  listed: 8,
} as const;

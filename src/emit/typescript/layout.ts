/** Line breaks where the usual formatters put them, so that an emitted file looks as if it had been formatted. */

/** `head(part, part)tail` on one line if it fits, else a line for each part. */
export function bracketed(head: string, parts: readonly string[], tail: string): string {
  const line = `${head}${parts.join(', ')}${tail}`;
  if (line.length <= style.width) return line;
  return `${head}\n${parts.map((part) => `  ${part},\n`).join('')}${tail}`;
}

/** How emitted programs look. */
export const style = {
  width: 120,
  longestPeriod: 12,
  /** Fewer lines saved than this are not worth a reader's thought. */
  linesSaved: 6,
  listed: 8,
} as const;

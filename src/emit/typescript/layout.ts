/** Line breaks where the usual formatters put them, so that an emitted file looks as if it had been formatted. */

export const lineWidth = 120;

/** `head(part, part)tail` on one line if it fits, else a line for each part. */
export function bracketed(head: string, parts: readonly string[], tail: string): string {
  const line = `${head}${parts.join(', ')}${tail}`;
  if (line.length <= lineWidth) return line;
  return `${head}\n${parts.map((part) => `  ${part},\n`).join('')}${tail}`;
}

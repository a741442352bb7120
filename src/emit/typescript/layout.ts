/** Line breaks where the usual formatters put them, so that an emitted file looks as if it had been formatted. */

export const lineWidth = 120;

/** `head(part, part)tail` on one line if it fits, else a line for each part. */
export function bracketed(head: string, parts: readonly string[], tail: string, indent = ''): string {
  const line = `${indent}${head}${parts.join(', ')}${tail}`;
  if (line.length <= lineWidth) return line;
  return `${indent}${head}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${tail}`;
}

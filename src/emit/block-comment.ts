/** Block comments for C, TypeScript and similar languages, with names that come from files. */
import { oneLine } from '../ir/plain-text.ts';

/**
 * The lines as one block comment. No line can end it or begin another comment: names with line breaks are put on one line, since C would join a `*`
 * and a `/` that a backslash and a line break separate.
 * @param opening `/*`, or with a second asterisk for documentation
 */
export function blockComment(lines: readonly string[], opening: '/*' | '/**'): string {
  const inside = lines.map((line) => ` * ${oneLine(line).replaceAll('*/', '* /').replaceAll('/*', '/ *')}`.trimEnd());
  return `${opening}\n${inside.join('\n')}\n */\n`;
}

/** Comments of C, TypeScript and their relatives, about things whose names come from files. */
import { oneLine } from '../ir/plain-text.ts';

/**
 * The lines as one comment of the form that documentation has. Nothing in them ends it or begins another: names with line breaks stay on their
 * line, behind which C would join a `*` and a `/` that a backslash and a line break part.
 * @param opening `/*`, or with another asterisk for documentation
 */
export function blockComment(lines: readonly string[], opening: '/*' | '/**'): string {
  const inside = lines.map((line) => ` * ${oneLine(line).replaceAll('*/', '* /').replaceAll('/*', '/ *')}`.trimEnd());
  return `${opening}\n${inside.join('\n')}\n */\n`;
}

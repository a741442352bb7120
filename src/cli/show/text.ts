/** Text for a terminal: its width and line breaks. */
import { oneLine } from '../../ir/plain-text.ts';
import { textWidth } from '../terminal.ts';

export { textWidth } from '../terminal.ts';

/**
 * Breaks words into lines of at most `width` columns. The first line begins with `lead` (which includes its own space), the others are indented as
 * far.
 */
export function wrap(lead: string, words: readonly string[], width: number, separator = ' '): string[] {
  const lines: string[] = [];
  const indent = ' '.repeat(textWidth(lead));
  let line = oneLine(lead);
  let empty = true;
  words.forEach((word, index) => {
    const text = oneLine(index === words.length - 1 ? word : word + separator.trimEnd());
    const gap = empty ? '' : ' ';
    if (!empty && textWidth(line) + gap.length + textWidth(text) > width) {
      lines.push(line);
      line = indent + text;
    } else {
      line += gap + text;
    }
    empty = false;
  });
  lines.push(line.trimEnd());
  return lines;
}

/** Writes ascending numbers as ranges: `0, 1, 2, 5` becomes `0–2, 5`. */
export function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < numbers.length; ) {
    let end = start;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) end++;
    if (end === start) parts.push(`${numbers[start]}`);
    else parts.push(`${numbers[start]}${end === start + 1 ? ', ' : '–'}${numbers[end]}`);
    start = end + 1;
  }
  return parts.join(', ');
}

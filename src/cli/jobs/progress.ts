/** A line on standard error that says what a running job is doing. */
import { oneLine } from '../../ir/plain-text.ts';
import { note } from '../output.ts';
import { widthOf } from '../terminal.ts';

export interface ProgressLine {
  /** Whether the line is displayed anywhere. */
  readonly isShown: boolean;
  show(text: string): void;
  /** Removes the line, so that the result can be printed in its place. */
  clear(): void;
}

/** Makes a progress line. On a terminal it is one line that changes. Elsewhere nothing is written, or with `always` one line per text. */
export function progressLine(always: boolean): ProgressLine {
  const isTerminal = process.stderr.isTTY;
  if (!isTerminal && !always) return { isShown: false, show: () => {}, clear: () => {} };
  if (!isTerminal) return { isShown: true, show: (text) => note(`ccc: ${text}`), clear: () => {} };
  let shown = false;
  return {
    isShown: true,
    show(text) {
      shown = true;
      const width = widthOf(process.stderr) ?? 80;
      process.stderr.write(`\r${oneLine(text).slice(0, width - 1)}\x1b[K`);
    },
    clear() {
      if (shown) process.stderr.write('\r\x1b[K');
      shown = false;
    },
  };
}

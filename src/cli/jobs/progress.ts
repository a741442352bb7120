/** A line on standard error that says what a running job is doing. */
import { oneLine } from '../../ir/plain-text.ts';
import { note } from '../output.ts';
import { widthOf } from '../terminal.ts';

export interface ProgressLine {
  /** Whether anybody sees it. */
  readonly isShown: boolean;
  show(text: string): void;
  /** Removes the line before the result is printed. */
  clear(): void;
}

/** On a terminal one line that changes. Elsewhere nothing, or with `always` a line for each text. */
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

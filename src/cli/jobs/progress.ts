/** What a running job is at, on standard error. */
import { oneLine } from '../../ir/plain-text.ts';
import { note } from '../output.ts';
import { widthOf } from '../terminal.ts';

export interface ProgressLine {
  show(text: string): void;
  /** Takes the line away: what follows is the result. */
  clear(): void;
}

/** One line that changes on a terminal; elsewhere nothing, or a line for each word where `always` asks for them. */
export function progressLine(always: boolean): ProgressLine {
  const isTerminal = process.stderr.isTTY;
  if (!isTerminal && !always) return { show: () => {}, clear: () => {} };
  if (!isTerminal) return { show: (text) => note(`ccc: ${text}`), clear: () => {} };
  let shown = false;
  return {
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

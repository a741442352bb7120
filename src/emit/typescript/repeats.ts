/** Lines that differ only in numbers which grow evenly are written once, as a function of their index. */

/** Entries of an array literal: texts as they are, and runs of them as `...repeat(times, (i) => [entries])`. */
export type Entry = { readonly text: string } | { readonly times: number; readonly entries: readonly string[] };

const longestPeriod = 12;
/** Fewer lines saved than this are not worth a reader's thought. */
const leastSaved = 6;

/** Finds the runs from the front, at each place the one that saves most lines. */
export function withRepeats(texts: readonly string[]): readonly Entry[] {
  const parsed = texts.map(parse);
  const entries: Entry[] = [];
  for (let at = 0; at < texts.length; ) {
    const best = bestRun(parsed, at);
    if (best === undefined) {
      entries.push({ text: texts[at++] });
      continue;
    }
    const { period, times } = best;
    const lines = Array.from({ length: period }, (_, k) => asFunction(parsed[at + k], parsed[at + period + k]));
    entries.push({ times, entries: lines });
    at += period * times;
  }
  return entries;
}

/** A text as what stands between its numbers, and the numbers. */
interface Parsed {
  readonly frame: string;
  readonly parts: readonly string[];
  readonly numbers: readonly number[];
}

function parse(text: string): Parsed {
  const parts = text.split(/-?\b\d+\b/);
  return { frame: parts.join('#'), parts, numbers: (text.match(/-?\b\d+\b/g) ?? []).map(Number) };
}

function bestRun(
  lines: readonly Parsed[],
  at: number,
): { readonly period: number; readonly times: number } | undefined {
  let best: { readonly period: number; readonly times: number } | undefined;
  let saved = leastSaved - 1;
  for (let period = 1; period <= longestPeriod; period++) {
    let length = period;
    while (continues(lines, at + length, period, at)) length++;
    const times = Math.floor(length / period);
    const saves = period * (times - 1) - 2;
    if (times < 3 || saves <= saved) continue;
    best = { period, times };
    saved = saves;
  }
  return best;
}

/** Whether a line goes on as the run that starts at `start` began: each number grows by what it grew by at first. */
function continues(lines: readonly Parsed[], index: number, period: number, start: number): boolean {
  const line = lines[index];
  const before = lines[index - period];
  if (line === undefined || line.frame !== before.frame) return false;
  const first = start + ((index - start) % period);
  const [base, second] = [lines[first], lines[first + period]];
  return line.numbers.every((number, n) => number - before.numbers[n] === second.numbers[n] - base.numbers[n]);
}

function asFunction({ parts, numbers }: Parsed, next: Parsed): string {
  return parts.reduce((text, part, n) => text + term(numbers[n - 1], next.numbers[n - 1] - numbers[n - 1]) + part);
}

/** `base + growth · i`, as people write it. */
function term(base: number, growth: number): string {
  if (growth === 0) return String(base);
  const size = Math.abs(growth) === 1 ? 'i' : `${Math.abs(growth)} * i`;
  if (base === 0) return growth < 0 ? `-${size}` : size;
  return `${base} ${growth < 0 ? '-' : '+'} ${size}`;
}

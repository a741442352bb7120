/** Compresses lines that differ only in numbers which grow linearly: they are written once, as a function of their index. */
import { style } from './layout.ts';

/**
 * Entries of an array literal: single texts, runs of texts as `...repeat(times, (i) => [entries])`, and runs in which one number takes arbitrary
 * values as `...each(sequence, (value, i) => entry)`.
 */
export type ArrayEntry =
  | { readonly text: string }
  | { readonly times: number; readonly entries: readonly string[] }
  | { readonly sequence: string; readonly entry: string };

/** The named lists of numbers over which runs iterate; runs with the same numbers share a list. */
export class Sequences {
  private readonly names = new Map<string, string>();

  nameOf(values: readonly number[]): string {
    const key = values.join(', ');
    const name = this.names.get(key) ?? `sequence${this.names.size}`;
    this.names.set(key, name);
    return name;
  }

  /** The lists with their names. */
  get all(): readonly { readonly name: string; readonly values: readonly string[] }[] {
    return [...this.names].map(([key, name]) => ({ name, values: key.split(', ') }));
  }
}

/** Finds runs greedily from the front, at each position the one that saves most lines. */
export function withRepeats(texts: readonly string[], sequences: Sequences): readonly ArrayEntry[] {
  const parsed = texts.map(parse);
  const entries: ArrayEntry[] = [];
  for (let at = 0; at < texts.length; ) {
    const best = bestRun(parsed, at);
    const listed = best === undefined ? listedRun(parsed, at) : undefined;
    if (listed !== undefined) {
      entries.push(asEach(parsed, at, listed, sequences));
      at += listed.times;
      continue;
    }
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

/** A text, split into its numbers and the text between them. */
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
  let saved = style.linesSaved - 1;
  for (let period = 1; period <= style.longestPeriod; period++) {
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

/** Whether a line continues the run that begins at `start`: each of its numbers grows by its first increment. */
function continues(lines: readonly Parsed[], index: number, period: number, start: number): boolean {
  const line = lines[index];
  const before = lines[index - period];
  if (line === undefined || line.frame !== before.frame) return false;
  const first = start + ((index - start) % period);
  const [base, second] = [lines[first], lines[first + period]];
  return line.numbers.every((number, n) => number - before.numbers[n] === second.numbers[n] - base.numbers[n]);
}

/** A run of lines in which one number takes arbitrary values. Other numbers either differ from it by a constant or grow linearly. */
interface ListedRun {
  readonly times: number;
  /** The index of that number. */
  readonly column: number;
}

function listedRun(lines: readonly Parsed[], at: number): ListedRun | undefined {
  let best: ListedRun | undefined;
  for (let column = 0; column < lines[at].numbers.length; column++) {
    let times = 1;
    while (isListed(lines, at, at + times, column)) times++;
    // A number that grows linearly needs no list.
    const isListNeeded = !growsEvenly(lines.slice(at, at + times), column);
    if (isListNeeded && times >= style.listed && times > (best?.times ?? 0)) best = { times, column };
  }
  return best;
}

function isListed(lines: readonly Parsed[], start: number, index: number, column: number): boolean {
  const line = lines[index];
  const [first, second] = [lines[start], lines[start + 1]];
  if (line === undefined || line.frame !== first.frame) return false;
  return line.numbers.every((number, n) => {
    const growth = second.numbers[n] - first.numbers[n];
    const even = number === first.numbers[n] + growth * (index - start);
    return even || number - line.numbers[column] === first.numbers[n] - first.numbers[column];
  });
}

function growsEvenly(run: readonly Parsed[], column: number): boolean {
  const [base, second] = run.map(({ numbers }) => numbers[column]);
  return run.every(({ numbers }, i) => numbers[column] === base + (second - base) * i);
}

function asEach(lines: readonly Parsed[], at: number, { times, column }: ListedRun, sequences: Sequences): ArrayEntry {
  const run = lines.slice(at, at + times);
  const [first, second] = run;
  const terms = first.numbers.map((base, n) => {
    const growth = second.numbers[n] - base;
    if (run.every(({ numbers }, i) => numbers[n] === base + growth * i)) return term(base, growth);
    const more = base - first.numbers[column];
    if (more === 0) return 'value';
    return more > 0 ? `value + ${more}` : `value - ${-more}`;
  });
  const entry = first.parts.reduce((text, part, n) => text + terms[n - 1] + part);
  return { sequence: sequences.nameOf(run.map(({ numbers }) => numbers[column])), entry };
}

function asFunction({ parts, numbers }: Parsed, next: Parsed): string {
  return parts.reduce((text, part, n) => text + term(numbers[n - 1], next.numbers[n - 1] - numbers[n - 1]) + part);
}

/** The expression `base + growth · i`, simplified. */
function term(base: number, growth: number): string {
  if (growth === 0) return String(base);
  const size = Math.abs(growth) === 1 ? 'i' : `${Math.abs(growth)} * i`;
  if (base === 0) return growth < 0 ? `-${size}` : size;
  return `${base} ${growth < 0 ? '-' : '+'} ${size}`;
}

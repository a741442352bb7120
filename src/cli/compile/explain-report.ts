/** Writes the candidates for `ccc compile --explain`: each with its time and why it was not chosen, and what was not evaluated. */

import { oneLine } from '../../ir/plain-text.ts';
import type { Bytes } from '../../ir/units.ts';
import { type BytesPerSecond, counted, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import type { CandidateReport, Objective } from '../../search/comparing.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';
import type { Dismissal } from '../../synth/index.ts';
import { textWidth, wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';

/** A candidate with the reason why it was not chosen. */
export interface ExplainedCandidate extends CandidateReport {
  readonly reason: string;
  /** M over the time: the bandwidth that the collective reaches, in bytes per second. */
  readonly effectiveBandwidth: BytesPerSecond;
}

/**
 * The candidates, best first (those of several groups one group after the other), each with why it was not chosen: how much longer
 * it takes than the chosen one, and whether that is rather latency or rather bytes.
 */
export function withReasons(
  candidates: readonly CandidateReport[],
  objective: Objective,
  size: Bytes,
): readonly ExplainedCandidate[] {
  let [chosen] = candidates;
  const recipes = distinctRecipes(candidates);
  return candidates.map((candidate, index) => {
    if (candidate.status === 'chosen') chosen = candidate;
    const effectiveBandwidth = candidate.seconds === 0 ? 0 : size / candidate.seconds;
    const reason = reasonOf(candidate, chosen, objective, size);
    return { ...candidate, name: recipes[index], effectiveBandwidth, reason };
  });
}

/**
 * The recipes of candidates, each different from all others: a recipe that an engine proposed more than once is
 * followed by the numbers of chunks and bulks, and by an ordinal number where these are equal too.
 */
function distinctRecipes(candidates: readonly CandidateReport[]): readonly string[] {
  const detailed = withSuffixes(
    candidates.map(({ name }) => name),
    (index) => `${counted(candidates[index].chunks, 'chunk')}, ${counted(candidates[index].bulks, 'bulk')}`,
  );
  return withSuffixes(detailed, (_, ordinal) => `no. ${ordinal}`);
}

/** The texts; those that occur more than once are followed by a suffix made of the index and the ordinal among equals. */
function withSuffixes(
  texts: readonly string[],
  suffixOf: (index: number, ordinal: number) => string,
): readonly string[] {
  const total = new Map<string, number>();
  for (const text of texts) total.set(text, (total.get(text) ?? 0) + 1);
  const soFar = new Map<string, number>();
  return texts.map((text, index) => {
    const ordinal = (soFar.get(text) ?? 0) + 1;
    soFar.set(text, ordinal);
    return (total.get(text) ?? 0) > 1 ? `${text}, ${suffixOf(index, ordinal)}` : text;
  });
}

function reasonOf(candidate: CandidateReport, chosen: CandidateReport, objective: Objective, size: Bytes): string {
  if (candidate === chosen) return 'chosen';
  const [value, best] = [comparedValue(candidate, objective), comparedValue(chosen, objective)];
  if (isSame(value, best) && isSame(candidate.seconds, chosen.seconds)) {
    const isTextbook = chosen.engine === 'library' && candidate.engine !== 'library';
    return isTextbook ? 'equally good; textbook algorithms are preferred' : 'equally good, but found later';
  }
  if (objective !== 'time') {
    return isSame(value, best) ? 'equally good, but slower at this size' : `${excess(value, best)} in ${objective}`;
  }
  return `${excess(value, best)}: ${costlier(candidate, chosen, size)}`;
}

/** Returns the value by which the objective compares candidates. */
function comparedValue({ seconds, latency, secondsPerByte }: CandidateReport, objective: Objective): number {
  return { time: seconds, latency, bandwidth: secondsPerByte }[objective];
}

/** Whether two values are equal up to rounding, as in the choice. */
function isSame(a: number, b: number): boolean {
  return a.toPrecision(12) === b.toPrecision(12);
}

/** `+5.1 %`, `+0.004 %`, `3.2 times`. */
function excess(value: number, best: number): string {
  if (best === 0) return 'more';
  const ratio = value / best;
  return ratio >= 1.995 ? `${Number(ratio.toPrecision(3))} times` : `+${Number((100 * (ratio - 1)).toPrecision(2))} %`;
}

/** Says whether the candidate loses by latency or by the time of bytes, whichever difference is greater. */
function costlier(candidate: CandidateReport, chosen: CandidateReport, size: Bytes): string {
  const latency = candidate.latency - chosen.latency;
  const bytes = size * (candidate.secondsPerByte - chosen.secondsPerByte);
  if (Math.max(latency, bytes) <= 0) return 'uses its links less efficiently at this size';
  if (latency >= bytes) return `${formatSeconds(latency)} more latency`;
  const ratio = candidate.secondsPerByte / chosen.secondsPerByte;
  return Number.isFinite(ratio) ? `bytes take ${Number(ratio.toPrecision(3))} times as long` : 'bytes take time';
}

/**
 * Writes the candidates, best first; then those whose time in more bulks is only an estimate, since it was not searched; then what was not evaluated
 * and why. Lines have at most `width` columns.
 */
export function explainText(compiled: CompiledPlan, objective: Objective, width = displayLimits.width): string {
  if (compiled.explained === undefined) return 'ccc: there was no time to explain the candidates\n';
  const candidates = withReasons(compiled.explained, objective, compiled.size);
  const isOpen = ({ inMoreBulks, status }: ExplainedCandidate): boolean =>
    inMoreBulks !== undefined && status !== 'chosen';
  const [compared, open] = [candidates.filter((c) => !isOpen(c)), candidates.filter(isOpen)];
  const columns = 'with time, effective bandwidth (message size over time) and optimality:';
  const first = wrap('', `${counted(compared.length, 'candidate')}, best first, ${columns}`.split(' '), width);
  const parts = [`${first.join('\n')}\n${table(compared.map(comparedRow), width)}`];
  if (open.length > 0) {
    const title = 'with 1 bulk, whose pipelines were not searched, and an estimate of their time with more bulks:';
    const rows = open.sort((a, b) => (a.inMoreBulks ?? 0) - (b.inMoreBulks ?? 0)).map(openRow);
    const heading = wrap('', `${counted(open.length, 'candidate')} ${title}`.split(' '), width).join('\n');
    parts.push(`${heading}\n${table(rows, width)}`);
  }
  if (compiled.dismissed.length > 0) {
    const lines = byReason(compiled.dismissed).flatMap(({ names, reason }) => {
      const text = names.length === 1 ? `${names[0]}: ${reason}` : `${reason}: ${names.join('; ')}`;
      return wrap('  ', text.split(' '), width);
    });
    parts.push(`not evaluated:\n${lines.join('\n')}\n`);
  }
  return parts.join('\n');
}

/** Groups candidates that could not be used, or had no chance, by their reason, in the order of their first occurrence. */
function byReason(dismissed: readonly Dismissal[]): readonly { readonly names: string[]; readonly reason: string }[] {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of dismissed) {
    const names = reasons.get(reason) ?? [];
    if (!names.includes(name)) reasons.set(reason, [...names, name]);
  }
  return [...reasons].map(([reason, names]) => ({ names, reason }));
}

/** Name, numbers, and why it was not chosen. */
type Row = readonly [name: string, time: string, bandwidth: string, optimality: string, why: string];

function comparedRow(candidate: ExplainedCandidate): Row {
  return [...numbersOf(candidate), candidate.reason];
}

function openRow(candidate: ExplainedCandidate): Row {
  return [...numbersOf(candidate), `about ${formatSeconds(candidate.inMoreBulks ?? candidate.seconds)}`];
}

function numbersOf({ name, seconds, effectiveBandwidth, optimality }: ExplainedCandidate) {
  const bandwidth = formatBytesPerSecond(effectiveBandwidth);
  return [name, formatSeconds(seconds), bandwidth, optimality.toFixed(4)] as const;
}

const gap = '  ';

/** Writes columns. A name or a reason that is too long continues on the next line. */
function table(rows: readonly Row[], width: number): string {
  const widths = [1, 2, 3].map((column) => Math.max(...rows.map((row) => textWidth(row[column]))));
  const numbersWidth = widths.reduce((sum, column) => sum + column + gap.length, 2 * gap.length);
  const longest = Math.max(...rows.map(([name]) => textWidth(name)));
  const room = width - numbersWidth - displayLimits.leastReason;
  const nameWidth = Math.min(
    Math.floor(width * displayLimits.nameShare),
    Math.max(displayLimits.leastReason, room),
    longest,
  );
  const left = numbersWidth + nameWidth;
  const lines = rows.flatMap(([name, ...cells]) => {
    const [why, numbers] = [cells[3], cells.slice(0, 3)];
    const names = brokenName(oneLine(name), nameWidth);
    const reasons = wrap('', why.split(' '), Math.max(displayLimits.leastReason, width - left));
    return Array.from({ length: Math.max(names.length, reasons.length) }, (_, line) => {
      const shown = widths.map((column, at) => (line === 0 ? numbers[at] : '').padStart(column));
      return `${gap}${[pad(names[line] ?? '', nameWidth), ...shown, reasons[line] ?? ''].join(gap)}`.trimEnd();
    });
  });
  return lines.map((line) => `${line}\n`).join('');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** A name in pieces of at most `width` columns, cut behind hyphens and blanks where it has some. */
function brokenName(name: string, width: number): readonly string[] {
  const pieces: string[] = [];
  for (let rest = name; rest !== ''; ) {
    const indent = pieces.length === 0 ? '' : gap;
    const room = width - indent.length;
    const at =
      textWidth(rest) <= room
        ? rest.length
        : Math.max(rest.lastIndexOf('-', room - 1), rest.lastIndexOf(' ', room - 1)) + 1;
    const length = at > 0 ? at : room;
    pieces.push(indent + rest.slice(0, length).trimEnd());
    rest = rest.slice(length);
  }
  return pieces;
}

/** What `ccc compile --explain` adds: every candidate with its price and why it was not chosen, and what was not priced. */
import type { Objective, PricedCandidate } from '../../compile/comparing.ts';
import type { CompileResult } from '../../compile/compile.ts';
import type { Bytes } from '../../ir/units.ts';
import { counted, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import type { Dismissal } from '../../synth/index.ts';
import { formatWideTable } from '../show/table.ts';
import { defaultWidth, wrap } from '../show/text.ts';

/** A candidate with what decided against it. */
export interface ExplainedCandidate extends PricedCandidate {
  readonly reason: string;
}

/**
 * The candidates, best first (those of several groups one group after the other), each with why it was not chosen: how much longer
 * it takes than the chosen one, and whether that is rather latency or rather bytes.
 */
export function withReasons(
  candidates: readonly PricedCandidate[],
  objective: Objective,
  size: Bytes,
): readonly ExplainedCandidate[] {
  let [chosen] = candidates;
  return candidates.map((candidate) => {
    if (candidate.status === 'chosen') chosen = candidate;
    return { ...candidate, reason: reasonOf(candidate, chosen, objective, size) };
  });
}

function reasonOf(candidate: PricedCandidate, chosen: PricedCandidate, objective: Objective, size: Bytes): string {
  if (candidate === chosen) return 'chosen';
  const [value, best] = [comparedValue(candidate, objective), comparedValue(chosen, objective)];
  if (isSame(value, best) && isSame(candidate.seconds, chosen.seconds)) {
    const isTextbook = chosen.engine === 'library' && candidate.engine !== 'library';
    return isTextbook ? 'as good; textbook algorithms go first' : 'as good; found later';
  }
  if (objective !== 'time') {
    return isSame(value, best) ? 'as good, but slower at this size' : `${excess(value, best)} in ${objective}`;
  }
  return `${excess(value, best)}: ${costlier(candidate, chosen, size)}`;
}

/** What candidates are compared by. */
function comparedValue({ seconds, latency, secondsPerByte }: PricedCandidate, objective: Objective): number {
  return { time: seconds, latency, bandwidth: secondsPerByte }[objective];
}

/** As in choosing: what differs by rounding only is the same. */
function isSame(a: number, b: number): boolean {
  return a.toPrecision(12) === b.toPrecision(12);
}

/** `+5.1 %`, `+0.004 %`, `3.2 times`. */
function excess(value: number, best: number): string {
  if (best === 0) return 'more';
  const ratio = value / best;
  return ratio >= 1.995 ? `${Number(ratio.toPrecision(3))} times` : `+${Number((100 * (ratio - 1)).toPrecision(2))} %`;
}

/** What makes it slower: the greater of the differences in latency and in bytes' time. */
function costlier(candidate: PricedCandidate, chosen: PricedCandidate, size: Bytes): string {
  const latency = candidate.latency - chosen.latency;
  const bytes = size * (candidate.secondsPerByte - chosen.secondsPerByte);
  if (Math.max(latency, bytes) <= 0) return 'fills its links less well at this size';
  if (latency >= bytes) return `${formatSeconds(latency)} more latency`;
  const ratio = candidate.secondsPerByte / chosen.secondsPerByte;
  return Number.isFinite(ratio) ? `bytes take ${Number(ratio.toPrecision(3))} times as long` : 'bytes take time';
}

/** The table of candidates, best first, then what was not priced and why; cut in parts of `width` columns where that is given. */
export function explainText(result: CompileResult, objective: Objective, width: number | undefined): string {
  const candidates = withReasons(result.explain(), objective, result.bundle.size ?? 0);
  const table = formatWideTable({ header, rows: candidates.map(candidateRow) }, 1, width ?? Number.POSITIVE_INFINITY);
  const parts = [`${counted(candidates.length, 'candidate')}, best first:\n${table}\n`];
  if (result.dismissed.length > 0) {
    const lines = byReason(result.dismissed).flatMap(({ names, reason }) => {
      const text = names.length === 1 ? `${names[0]}: ${reason}` : `${reason}: ${names.join('; ')}`;
      return wrap('  ', text.split(' '), width ?? defaultWidth);
    });
    parts.push(`not priced:\n${lines.join('\n')}\n`);
  }
  return parts.join('\n');
}

/** What could not be used, or would have been slower in any case: those with one reason together, in the order of the first of them. */
function byReason(dismissed: readonly Dismissal[]): readonly { readonly names: string[]; readonly reason: string }[] {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of dismissed) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  return [...reasons].map(([reason, names]) => ({ names, reason }));
}

const header = [
  'candidate',
  'engine',
  'steps',
  'chunks',
  'bulks',
  'time',
  'optimality',
  'latency term',
  'bandwidth term',
  'meets bound',
  'why not chosen',
] as const;

function candidateRow(candidate: ExplainedCandidate): readonly string[] {
  return [
    candidate.name,
    candidate.engine,
    String(candidate.steps),
    String(candidate.chunks),
    String(candidate.bulks),
    formatSeconds(candidate.seconds),
    candidate.optimality.toFixed(4),
    formatSeconds(candidate.latency),
    candidate.secondsPerByte > 0 ? `M / ${formatBytesPerSecond(1 / candidate.secondsPerByte)}` : '0',
    candidate.meets.length === 0 ? 'neither' : candidate.meets.join(' + '),
    candidate.reason,
  ];
}

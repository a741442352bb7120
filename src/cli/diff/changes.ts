/** Writes two values side by side with the difference between them. */
import { oneLine } from '../../ir/plain-text.ts';
import { textWidth } from '../show/text.ts';
import { displayLimits } from '../shown.ts';

/** A row: what is compared, both values as text, and the change; empty if there is nothing to report. */
export interface Change {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
}

/** Compares two numbers, with the change in per cent if there is one. */
export function changeOf(what: string, before: number, after: number, words: (value: number) => string): Change {
  return { what, before: words(before), after: words(after), change: ratioText(before, after) };
}

/** Writes a ratio: `+12.5 %`, `−3 %`, `2.5 times`; empty if both numbers are equal. */
export function ratioText(before: number, after: number): string {
  if (Math.abs(before - after) <= 1e-9 * Math.abs(before)) return '';
  if (before === 0) return 'new';
  const ratio = after / before;
  if (ratio >= 2) return `${Number(ratio.toPrecision(3))} times`;
  const percent = Number((100 * (ratio - 1)).toPrecision(2));
  return percent === 0 ? '' : `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
}

/** Compares two texts. */
export function textChange(what: string, before: string, after: string): Change {
  return { what, before, after, change: before === after ? '' : 'other' };
}

/** Writes the rows in columns, within `width` if long values can be cut. */
export function changesText(header: readonly [string, string], changes: readonly Change[], width: number): string {
  const all = [{ what: '', before: header[0], after: header[1], change: 'change' }, ...changes];
  const widest = (key: keyof Change): number => Math.max(...all.map((change) => textWidth(oneLine(change[key]))));
  const [whatWidth, changeWidth] = [widest('what'), widest('change')];
  const each = Math.max(8, Math.floor((width - whatWidth - changeWidth - 3 * displayLimits.columnGap) / 2));
  const valueWidth = Math.min(each, Math.max(widest('before'), widest('after')));
  return all
    .map(({ what, before, after, change }) =>
      [fitted(what, whatWidth), fitted(before, valueWidth), fitted(after, valueWidth), change]
        .join(' '.repeat(displayLimits.columnGap))
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function fitted(value: string, width: number): string {
  const text = oneLine(value);
  const shown = textWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`;
  return shown + ' '.repeat(width - textWidth(shown));
}

/** Aligned tables in Markdown's notation, cut to the width of the terminal, and long lists of rows cut in the middle. */
import { oneLine } from '../../ir/plain-text.ts';
import { counted } from '../../ir/units.ts';
import { textWidth, wrap } from './text.ts';

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const border = { first: '| ', between: ' | ', last: ' |' };

/** The table as Markdown, every column as wide as its widest cell. */
export function formatTable(table: Table): string {
  const lines = [table.header, ...table.rows].map((row) => row.map(cellText));
  const widths = table.header.map((_, column) => Math.max(3, ...lines.map((row) => textWidth(row[column]))));
  const formatRow = (row: readonly string[]): string =>
    border.first + row.map((cell, column) => pad(cell, widths[column])).join(border.between) + border.last;
  const rule = widths.map((width) => '-'.repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map(formatRow).join('\n');
}

/**
 * The table as one or more Markdown tables below each other, none wider than `width` characters if it can be helped: each has
 * the first `fixed` columns and its share of the others. Cells that are too wide for a line of their own go on in the rows below.
 */
export function formatWideTable(table: Table, fixed: number, width: number): string {
  const widths = columnWidths(table);
  const frame = border.first.length + border.last.length - border.between.length;
  const left = widths.slice(0, fixed).reduce((sum, columnWidth) => sum - columnWidth, width - frame);
  const others = widths.slice(fixed);
  const fewest = groupColumns(others, left, others.length).length;
  const groups = groupColumns(others, left, Math.ceil(others.length / fewest));
  return groups
    .map(({ start, end }) => {
      const select = (row: readonly string[]): string[] => [
        ...row.slice(0, fixed),
        ...row.slice(fixed + start, fixed + end),
      ];
      const rows = table.rows.flatMap((row) => brokenRow(select(row), fixed, left));
      return formatTable({ header: select(table.header), rows });
    })
    .join('\n\n');
}

/** What each column takes with what stands between columns. */
function columnWidths({ header, rows }: Table): number[] {
  return header.map(
    (_, column) =>
      border.between.length + Math.max(3, ...[header, ...rows].map((row) => textWidth(cellText(row[column])))),
  );
}

/** Narrower than this nothing is broken: words would stand alone. */
const narrowest = 24;

/** A row with its cells behind the first `fixed` in lines that fit, and the rows that these go on in. */
function brokenRow(row: readonly string[], fixed: number, left: number): readonly (readonly string[])[] {
  const room = left - border.between.length;
  if (!Number.isFinite(room) || room < narrowest) return [row];
  const cells = row.map((cell, column) => (column < fixed ? [cell] : wrap('', cell.split(' '), room)));
  const lines = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: lines }, (_, line) => cells.map((of) => of[line] ?? ''));
}

/** Columns `start` … `end` − 1, one group after the other, of at most `most` columns that fit in `width` together. */
function groupColumns(widths: readonly number[], width: number, most: number): { start: number; end: number }[] {
  const groups: { start: number; end: number }[] = [];
  let left = 0;
  widths.forEach((columnWidth, column) => {
    const group = groups[groups.length - 1];
    if (group === undefined || columnWidth > left || group.end - group.start === most) {
      groups.push({ start: column, end: column + 1 });
      left = width - columnWidth;
    } else {
      group.end = column + 1;
      left -= columnWidth;
    }
  });
  return groups;
}

/** At most `limit` items: the first ones, what `skipped` says of those left out, and the last one. */
export function elide<Item>(items: readonly Item[], limit: number, skipped: (count: number) => Item): readonly Item[] {
  if (items.length <= limit) return items;
  const head = Math.max(1, limit - 2);
  return [...items.slice(0, head), skipped(items.length - head - 1), items[items.length - 1]];
}

/** A row for each item, `… 12 more edges` instead of the middle ones when there are more than `limit`. */
export function elidedRows<Item>(
  items: readonly Item[],
  limit: number,
  noun: string,
  row: (item: Item) => readonly string[],
): readonly (readonly string[])[] {
  const numbers = elide([...items.keys()], limit, (count) => -count);
  return numbers.map((number) => {
    if (number >= 0) return row(items[number]);
    return row(items[0]).map((_, column) => (column === 0 ? `… ${counted(-number, `more ${noun}`)}` : '…'));
  });
}

function cellText(cell: string): string {
  return oneLine(cell).replaceAll('|', '\\|');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - textWidth(text));
}

/** Writes aligned tables in Markdown's notation that fit the width of the terminal; the middle of long tables is left out. */
import { oneLine } from '../../ir/plain-text.ts';
import { counted } from '../../ir/units.ts';
import { textWidth, wrap } from './text.ts';

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const border = { first: '| ', between: ' | ', last: ' |' };

/** Writes a table in Markdown; every column is as wide as its widest cell. */
export function formatTable(table: Table): string {
  const lines = [table.header, ...table.rows].map((row) => row.map(cellText));
  const widths = table.header.map((_, column) => Math.max(3, ...lines.map((row) => textWidth(row[column]))));
  const formatRow = (row: readonly string[]): string =>
    border.first + row.map((cell, column) => pad(cell, widths[column])).join(border.between) + border.last;
  const rule = widths.map((width) => '-'.repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map(formatRow).join('\n');
}

/**
 * Writes a table as one or more Markdown tables below each other, none wider than `width` characters if possible: each has the first `fixed` columns
 * and some of the others. Cells that are too wide for one line continue in the rows below.
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

/** Returns the width of each column, including its separator. */
function columnWidths({ header, rows }: Table): number[] {
  return header.map(
    (_, column) =>
      border.between.length + Math.max(3, ...[header, ...rows].map((row) => textWidth(cellText(row[column])))),
  );
}

/** Columns narrower than this are not broken, since every word would be on a line of its own. */
const narrowest = 24;

/** Breaks the cells after the first `fixed` into lines that fit, and returns the row and its continuation rows. */
function brokenRow(row: readonly string[], fixed: number, left: number): readonly (readonly string[])[] {
  const room = left - border.between.length;
  if (!Number.isFinite(room) || room < narrowest) return [row];
  const cells = row.map((cell, column) => (column < fixed ? [cell] : wrap('', cell.split(' '), room)));
  const lines = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: lines }, (_, line) => cells.map((of) => of[line] ?? ''));
}

/** Groups columns `start` … `end` − 1 so that each group has at most `most` columns and fits in `width`. */
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

/** Shortens a list to `limit` items: the first ones, the item that `skipped` makes for those that are left out, and the last one. */
export function elide<Item>(items: readonly Item[], limit: number, skipped: (count: number) => Item): readonly Item[] {
  if (items.length <= limit) return items;
  const head = Math.max(1, limit - 2);
  return [...items.slice(0, head), skipped(items.length - head - 1), items[items.length - 1]];
}

/** Makes a row for each item, and `… 12 more edges` in place of the middle ones if there are more than `limit`. */
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

/** Text tables: columns as wide as their widest cell, numbers to the right. */

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** A table with a rule under its header; no trailing spaces. */
export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, c) => Math.max(column.title.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, c) => (columns[c].align === 'left' ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return `${[line(columns.map((column) => column.title)), rule, ...rows.map(line)].join('\n')}\n`;
}

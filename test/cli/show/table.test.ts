/** Tables that are wider than a terminal. */
import { describe, expect, it } from 'vitest';
import { formatTable, formatWideTable } from '../../../src/cli/show/table.ts';

const header = ['from', 'plan', 'bulks'];
const long = 'levels (full-mesh-reducescatter within, full-mesh-allreduce across, full-mesh-allgather within)';

describe('a table wider than its width', () => {
  it.each([40, 60, 80])('goes on in the rows below, in lines of %i columns', (width) => {
    const text = formatWideTable({ header, rows: [['1 KiB', long, '256']] }, 1, width);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    // The first column and the words of the cell, in order; no row is empty.
    const plans = text.split('\n\n')[0].split('\n').slice(2);
    const cells = plans.map((line) => line.split(' | ').map((cell) => cell.replaceAll('|', '').trim()));
    expect(cells.map(([from]) => from)).toEqual(['1 KiB', ...cells.slice(1).map(() => '')]);
    expect(cells.map(([, plan]) => plan).join(' ')).toBe(long);
    expect(text.split('\n\n')[1].split('\n').slice(2)).toEqual(['| 1 KiB | 256   |']);
  });

  it('stays as it is where the width is not known', () => {
    const text = formatWideTable({ header, rows: [['1 KiB', long, '256']] }, 1, Number.POSITIVE_INFINITY);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain(long);
  });
});

it('a table counts an East Asian character as two columns, and a combining mark as none', () => {
  const rows = [
    ['芯片零', '1'],
    ['chip 1', '2'],
    ['chi\u0302p 2', '3'],
  ];
  expect(formatTable({ header: ['name', 'rank'], rows }).split('\n')).toEqual([
    '| name   | rank |',
    '| ------ | ---- |',
    '| 芯片零 | 1    |',
    '| chip 1 | 2    |',
    '| chi\u0302p 2 | 3    |',
  ]);
});

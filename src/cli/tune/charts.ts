/** Pictures of what tuning found, as SVG: times over sizes, and the best algorithm by ranks and size. */
import { oneLine } from '../../ir/plain-text.ts';
import { formatBytes, formatSeconds } from '../../ir/units.ts';

/** One algorithm in the picture: its time at each size. */
export interface ChartLine {
  readonly label: string;
  readonly seconds: readonly number[];
  /** Drawn over the others. */
  readonly emphasised: boolean;
}

/** Times over sizes. */
export interface TimeChart {
  readonly title: string;
  readonly sizes: readonly number[];
  readonly lines: readonly ChartLine[];
  /** What no plan can be faster than, at each size. */
  readonly bound: readonly number[];
  /** Where one plan takes over from another. */
  readonly switchPoints: readonly number[];
}

/** Colours that stay apart in print and for most colour-blind people (Okabe and Ito, 2008). */
const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f00', '#000000'] as const;
/** The same in pale, for pictures of more algorithms: letters tell those apart that are alike. */
const palePalette = ['#a6cee3', '#f9c0a0', '#a9dcc6', '#ecd0e0', '#f7dda3', '#d3ecf9', '#d4d49a', '#bbbbbb'] as const;

const frame = { left: 70, top: 40, width: 620, height: 380 } as const;
const total = { width: 1080, height: 480 } as const;

/** Both axes are logarithmic: latency shows as a level line, bandwidth as a slope. */
export function timeChart({ title, sizes, lines, bound, switchPoints }: TimeChart): string {
  const times = [...bound, ...lines.flatMap(({ seconds }) => seconds)].filter((seconds) => seconds > 0);
  const x = logarithmic(sizes[0], sizes[sizes.length - 1], frame.left, frame.left + frame.width);
  const y = logarithmic(Math.min(...times), Math.max(...times), frame.top + frame.height, frame.top);
  const path = (seconds: readonly number[]): string =>
    sizes
      .flatMap((size, index) => (seconds[index] > 0 ? [`${round(x(size))},${round(y(seconds[index]))}`] : []))
      .join(' ');
  const parts = [
    ...verticalAxis(powersBetween(Math.min(...times), Math.max(...times), 10), y),
    ...horizontalAxis(powersBetween(sizes[0], sizes[sizes.length - 1], 16), x),
    ...switchPoints.map((size) => dashed(round(x(size)), formatBytes(size))),
    `<polyline points="${path(bound)}" fill="none" stroke="#999999" stroke-width="1.5" stroke-dasharray="5 4"/>`,
    ...lines.map(({ seconds, emphasised }, index) => {
      const look = emphasised ? 'stroke-width="2.5"' : 'stroke-width="1.2" stroke-opacity="0.75"';
      return `<polyline points="${path(seconds)}" fill="none" stroke="${colour(index)}" ${look}/>`;
    }),
    ...lines.map(({ label }, index) => legend(index, colour(index), label)),
    legend(lines.length, '#999999', 'certified bound'),
  ];
  return document(title, parts);
}

/** The best algorithm by ranks (upwards) and size (to the right). */
export interface AlgorithmMap {
  readonly title: string;
  readonly sizes: readonly number[];
  /** `best[index]` is the algorithm at each size. */
  readonly rows: readonly { readonly ranks: number; readonly best: readonly string[] }[];
}

/** Narrower boxes have no letter. */
const leastLettered = 12;

/** A box for each number of ranks and size, with the letter and colour of its algorithm, and what these mean. */
export function mapChart({ title, sizes, rows }: AlgorithmMap): string {
  const names = [...new Set(rows.flatMap(({ best }) => best))];
  const cell = { width: frame.width / sizes.length, height: frame.height / rows.length };
  const bottom = frame.top + frame.height;
  const parts = rows.flatMap(({ ranks, best }, row) => {
    const top = bottom - (row + 1) * cell.height;
    const middle = top + cell.height / 2 + 4;
    const boxes = best.flatMap((name, column): readonly string[] => {
      const left = round(frame.left + column * cell.width);
      const index = names.indexOf(name);
      const what = escaped(`${ranks} ranks, ${formatBytes(sizes[column])}: ${name}`);
      const place = `x="${left}" y="${round(top)}" width="${round(cell.width)}" height="${round(cell.height)}"`;
      const box = `<rect ${place} fill="${colour(index)}" stroke="#ffffff"><title>${what}</title></rect>`;
      if (Math.min(cell.width, cell.height) < leastLettered) return [box];
      return [box, text(left + cell.width / 2, middle, letterOf(index), 'middle', letterColour(index))];
    });
    return [...boxes, text(frame.left - 8, middle, String(ranks), 'end')];
  });
  sizes.forEach((size, column) => {
    if (column % Math.ceil(sizes.length / 6) !== 0) return;
    parts.push(text(frame.left + (column + 0.5) * cell.width, bottom + 18, formatBytes(size), 'middle'));
  });
  parts.push(text(frame.left - 8, frame.top - 8, 'ranks', 'end'));
  parts.push(text(frame.left + frame.width / 2, bottom + 38, 'size of the message', 'middle'));
  parts.push(...names.map((name, index) => legend(index, colour(index), `${letterOf(index)}  ${name}`)));
  return document(title, parts, frame.top + 10 + 20 * names.length);
}

/** A … Z, a … z, then `?`: no map has as many algorithms. */
export function letterOf(index: number): string {
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[index] ?? '?';
}

/** White on the darker colours of the palette. */
function letterColour(index: number): string {
  return [0, 1, 2, 6, 7].includes(index % (2 * palette.length)) ? '#ffffff' : '#000000';
}

function colour(index: number): string {
  const position = index % (2 * palette.length);
  return position < palette.length ? palette[position] : palePalette[position - palette.length];
}

type Scale = (value: number) => number;

function logarithmic(least: number, most: number, start: number, end: number): Scale {
  const span = Math.log(most / least);
  return (value) => (span === 0 ? (start + end) / 2 : start + ((end - start) * Math.log(value / least)) / span);
}

/** Powers of `base` in a range, or its ends where there are none. */
function powersBetween(least: number, most: number, base: number): readonly number[] {
  const powers: number[] = [];
  const [first, last] = [Math.ceil(logOf(least, base) - 1e-9), Math.floor(logOf(most, base) + 1e-9)];
  for (let power = first; power <= last; power++) powers.push(base ** power);
  return powers.length > 0 ? powers : [least, most];
}

function logOf(value: number, base: number): number {
  return Math.log(value) / Math.log(base);
}

function verticalAxis(values: readonly number[], y: Scale): readonly string[] {
  return values.flatMap((value) => [
    `<path d="M${frame.left} ${round(y(value))}h${frame.width}" stroke="#e4e4e4"/>`,
    text(frame.left - 8, y(value) + 4, formatSeconds(value), 'end'),
  ]);
}

function horizontalAxis(values: readonly number[], x: Scale): readonly string[] {
  const bottom = frame.top + frame.height;
  return values.flatMap((value) => [
    `<path d="M${round(x(value))} ${frame.top}v${frame.height}" stroke="#e4e4e4"/>`,
    text(x(value), bottom + 18, formatBytes(value), 'middle'),
  ]);
}

function dashed(x: number, label: string): string {
  const line = `<path d="M${x} ${frame.top}v${frame.height}" stroke="#555555" stroke-dasharray="2 3"/>`;
  return `${line}${text(x, frame.top - 6, label, 'middle')}`;
}

function legend(index: number, fill: string, label: string): string {
  const top = frame.top + 10 + index * 20;
  const left = frame.left + frame.width + 14;
  return `<rect x="${left}" y="${top}" width="12" height="12" fill="${fill}"/>${text(left + 18, top + 10, label, 'start')}`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', fill = '#000000'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${fill}">${escaped(content)}</text>`;
}

/** At least `least` units high, below which a long legend would be cut off. */
function document(title: string, parts: readonly string[], least = 0): string {
  const { width } = total;
  const height = Math.max(total.height, least);
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`;
  const heading = `<text x="${frame.left}" y="16" font-size="14">${escaped(title)}</text>`;
  return [open, `<rect width="${width}" height="${height}" fill="#ffffff"/>`, heading, ...parts, '</svg>', ''].join(
    '\n',
  );
}

function escaped(content: string): string {
  return oneLine(content)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function round(value: number): number {
  return Number(value.toFixed(2));
}

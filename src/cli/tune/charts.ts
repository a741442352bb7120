/** Draws results of tuning as SVG: time over size, and the best algorithm by ranks and size. */
import { formatBytes } from '../../ir/units.ts';
import { displayLimits } from '../shown.ts';
import {
  colour,
  document,
  escaped,
  frame,
  horizontalAxis,
  legend,
  logarithmic,
  palette,
  powersBetween,
  round,
  svgTextElement,
  verticalAxis,
} from '../svg.ts';

/** One algorithm in the chart: its time at each size. */
export interface ChartLine {
  readonly label: string;
  readonly seconds: readonly number[];
  /** Whether the line is drawn on top of the others. */
  readonly emphasised: boolean;
}

/** The content of a chart of time over size. */
export interface TimeChart {
  readonly title: string;
  readonly sizes: readonly number[];
  readonly lines: readonly ChartLine[];
  /** The lower bound on the time of any plan, at each size. */
  readonly bound: readonly number[];
  /** Sizes at which the best plan changes. */
  readonly switchPoints: readonly number[];
}

/** Draws time over size. Both axes are logarithmic, so that a latency-bound time is a horizontal line and a bandwidth-bound time a slope. */
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

/** The content of a map: the best algorithm by ranks (upwards) and size (to the right). */
export interface AlgorithmMap {
  readonly title: string;
  readonly sizes: readonly number[];
  /** `best[index]` is the name of the best algorithm at size number `index`. */
  readonly rows: readonly { readonly ranks: number; readonly best: readonly string[] }[];
}

/** Draws a box for each number of ranks and size, with the letter and colour of its algorithm, and a legend. */
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
      if (Math.min(cell.width, cell.height) < displayLimits.boxForLetter) return [box];
      return [box, svgTextElement(left + cell.width / 2, middle, letterOf(index), 'middle', letterColour(index))];
    });
    return [...boxes, svgTextElement(frame.left - 8, middle, String(ranks), 'end')];
  });
  sizes.forEach((size, column) => {
    if (column % Math.ceil(sizes.length / 6) !== 0) return;
    parts.push(svgTextElement(frame.left + (column + 0.5) * cell.width, bottom + 18, formatBytes(size), 'middle'));
  });
  parts.push(svgTextElement(frame.left - 8, frame.top - 8, 'ranks', 'end'));
  parts.push(svgTextElement(frame.left + frame.width / 2, bottom + 38, 'size of the message', 'middle'));
  parts.push(...names.map((name, index) => legend(index, colour(index), `${letterOf(index)}  ${name}`)));
  return document(title, parts, frame.top + 10 + 20 * names.length);
}

/** Returns A … Z, a … z, then `?`; no map has so many algorithms. */
export function letterOf(index: number): string {
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[index] ?? '?';
}

/** Returns white for letters on the darker colours of the palette. */
function letterColour(index: number): string {
  return [0, 1, 2, 6, 7].includes(index % (2 * palette.length)) ? '#ffffff' : '#000000';
}

function dashed(x: number, label: string): string {
  const line = `<path d="M${x} ${frame.top}v${frame.height}" stroke="#555555" stroke-dasharray="2 3"/>`;
  return `${line}${svgTextElement(x, frame.top - 6, label, 'middle')}`;
}

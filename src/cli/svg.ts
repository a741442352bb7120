/** Building blocks of SVG charts: logarithmic axes, legends, and texts with escaped characters. */
import { oneLine } from '../ir/plain-text.ts';
import { formatBytes, formatSeconds } from '../ir/units.ts';

/** Colours that remain distinguishable in print and for most colour-blind people (Okabe and Ito, 2008). */
export const palette = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#7f7f00',
  '#000000',
] as const;
/** Pale variants, for charts with more algorithms than colours: letters distinguish those that share a colour. */
const palePalette = ['#a6cee3', '#f9c0a0', '#a9dcc6', '#ecd0e0', '#f7dda3', '#d3ecf9', '#d4d49a', '#bbbbbb'] as const;

export const frame = { left: 70, top: 40, width: 620, height: 380 } as const;
const total = { width: 1080, height: 480 } as const;

export function colour(index: number): string {
  const position = index % (2 * palette.length);
  return position < palette.length ? palette[position] : palePalette[position - palette.length];
}

export type ChartScale = (value: number) => number;

export function logarithmic(least: number, most: number, start: number, end: number): ChartScale {
  const span = Math.log(most / least);
  return (value) => (span === 0 ? (start + end) / 2 : start + ((end - start) * Math.log(value / least)) / span);
}

/** Returns the powers of `base` in a range, or the ends of the range if it contains none. */
export function powersBetween(least: number, most: number, base: number): readonly number[] {
  const powers: number[] = [];
  const [first, last] = [Math.ceil(logOf(least, base) - 1e-9), Math.floor(logOf(most, base) + 1e-9)];
  for (let power = first; power <= last; power++) powers.push(base ** power);
  return powers.length > 0 ? powers : [least, most];
}

function logOf(value: number, base: number): number {
  return Math.log(value) / Math.log(base);
}

export function verticalAxis(values: readonly number[], y: ChartScale): readonly string[] {
  return values.flatMap((value) => [
    `<path d="M${frame.left} ${round(y(value))}h${frame.width}" stroke="#e4e4e4"/>`,
    svgTextElement(frame.left - 8, y(value) + 4, formatSeconds(value), 'end'),
  ]);
}

export function horizontalAxis(values: readonly number[], x: ChartScale): readonly string[] {
  const bottom = frame.top + frame.height;
  return values.flatMap((value) => [
    `<path d="M${round(x(value))} ${frame.top}v${frame.height}" stroke="#e4e4e4"/>`,
    svgTextElement(x(value), bottom + 18, formatBytes(value), 'middle'),
  ]);
}

export function legend(index: number, fill: string, label: string): string {
  const top = frame.top + 10 + index * 20;
  const left = frame.left + frame.width + 14;
  return `<rect x="${left}" y="${top}" width="12" height="12" fill="${fill}"/>${svgTextElement(left + 18, top + 10, label, 'start')}`;
}

export function svgTextElement(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  fill = '#000000',
): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${fill}">${escaped(content)}</text>`;
}

/** Assembles an SVG document. @param least minimum height, so that a long legend is not cut off */
export function document(title: string, parts: readonly string[], least = 0): string {
  const { width } = total;
  const height = Math.max(total.height, least);
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`;
  const heading = `<text x="${frame.left}" y="16" font-size="14">${escaped(title)}</text>`;
  return [open, `<rect width="${width}" height="${height}" fill="#ffffff"/>`, heading, ...parts, '</svg>', ''].join(
    '\n',
  );
}

export function escaped(content: string): string {
  return oneLine(content)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function round(value: number): number {
  return Number(value.toFixed(2));
}

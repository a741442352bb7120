/** Draws predicted against measured times as SVG: on the solid line they are equal, on the dashed lines they differ by a factor of two. */

import { groupedBy } from '../../calibrate/index.ts';
import { formatBytes, formatSeconds } from '../../ir/units.ts';
import type { LabelledPrediction } from '../../session/calibrate-job.ts';
import {
  colour,
  document,
  escaped,
  frame,
  legend,
  logarithmic,
  powersBetween,
  round,
  svgTextElement,
  verticalAxis,
} from '../svg.ts';

/** Draws measured times to the right and predicted times upwards, one colour per protocol. */
export function scatterPicture(predictions: readonly LabelledPrediction[], title: string): string {
  const times = predictions.flatMap(({ measured, predicted }) => [measured, predicted]);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const x = logarithmic(least, most, frame.left, frame.left + frame.width);
  const y = logarithmic(least, most, frame.top + frame.height, frame.top);
  const bottom = frame.top + frame.height;
  const powers = powersBetween(least, most, 10);
  const diagonal = (factor: number, dashes: string): string => {
    const [from, to] = factor > 1 ? [least, most / factor] : [least / factor, most];
    if (!(from < to)) return '';
    const ends = `x1="${round(x(from))}" y1="${round(y(from * factor))}" x2="${round(x(to))}" y2="${round(y(to * factor))}"`;
    return `<line ${ends} stroke="#555555"${dashes}/>`;
  };
  const groups = [...groupedBy(predictions, ({ configuration }) => configuration.protocol ?? 'measured')];
  const parts = [
    ...verticalAxis(powers, y),
    ...powers.flatMap((value) => [
      `<path d="M${round(x(value))} ${frame.top}v${frame.height}" stroke="#e4e4e4"/>`,
      svgTextElement(x(value), bottom + 18, formatSeconds(value), 'middle'),
    ]),
    diagonal(1, ''),
    diagonal(2, ' stroke-dasharray="4 4"'),
    diagonal(1 / 2, ' stroke-dasharray="4 4"'),
    svgTextElement(frame.left + frame.width / 2, bottom + 38, 'measured', 'middle'),
    svgTextElement(frame.left - 8, frame.top - 10, 'predicted', 'end'),
    ...groups.flatMap(([, group], index) => group.map((prediction) => dot(prediction, index, x, y))),
    ...groups.map(([name], index) => legend(index, colour(index), name)),
  ];
  return document(title, parts, frame.top + 10 + 20 * groups.length);
}

function dot(
  { configuration, size, measured, predicted }: LabelledPrediction,
  index: number,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const what = `${configuration.name}, ${formatBytes(size)}: ${formatSeconds(measured)} measured, ${formatSeconds(predicted)} predicted`;
  const place = `cx="${round(x(measured))}" cy="${round(y(predicted))}"`;
  return `<circle ${place} r="3" fill="${colour(index)}" fill-opacity="0.6"><title>${escaped(what)}</title></circle>`;
}

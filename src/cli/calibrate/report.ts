/** What `ccc calibrate` says: what was dropped, the numbers that were found, and how far predictions are from measurements. */
import {
  type Calibration,
  errorsOf,
  type FoundParameter,
  groupedBy,
  type Prediction,
  type Subjects,
  valueText,
} from '../../calibrate/index.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { counted, formatBytes } from '../../ir/units.ts';
import { formatTable, formatWideTable, type Table } from '../show/table.ts';
import { errorTexts } from './errors.ts';

const header = ['times', 'median', 'p90', 'rank corr.', 'mean regret', 'median regret'];

export function calibrationText(subjects: Subjects, calibration: Calibration, width: number | undefined): string {
  const { fitted, left, own, unseen, plain, floor } = calibration;
  const judged =
    left.length > 0
      ? `${counted(left.length, 'configuration')} that were left out`
      : 'plans that were left out, part by part';
  const models: readonly (readonly [string, readonly Prediction[] | undefined])[] = [
    ['fitted', own],
    [judged, unseen],
    ['links alone, fitted', plain],
    ['a + bM for each, fitted', floor],
  ];
  const main = models.flatMap(([name, predictions]) => (predictions === undefined ? [] : [rowOf(name, predictions)]));
  const parts = partsOf(unseen ?? own);
  const texts = [
    cleaningText(subjects),
    `${counted(fitted.length, 'configuration')} fitted${left.length > 0 ? `, ${left.length} left out` : ''}\n`,
    tableText({ header: ['parameter', 'value', 'known'], rows: calibration.parameters.map(parameterRow) }, width),
    tableText({ header: ['predictions', ...header], rows: main }, width),
    tableText({ header: [unseen === undefined ? 'fitted, of' : 'left out, of', ...header], rows: parts }, width),
  ];
  return texts.join('\n');
}

function tableText(table: Table, width: number | undefined): string {
  return `${width === undefined ? formatTable(table) : formatWideTable(table, 1, width)}\n`;
}

function cleaningText({ measurements, repeated, dropped, notes }: Subjects): string {
  const lines = [
    `${counted(measurements, 'measurement')}${repeated > 0 ? `, ${repeated} of them repetitions, of which the median is taken` : ''}`,
    ...[...dropped].map(([why, count]) => `  dropped: ${count} ${why}`),
    ...notes.map((note) => `  dropped: ${oneLine(note)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function parameterRow({ parameter, value, knowledge }: FoundParameter): readonly string[] {
  return [parameter.name, valueText(parameter.unit, value), knowledge];
}

function rowOf(name: string, predictions: readonly Prediction[]): readonly string[] {
  const { points, median, p90, rankCorrelation, meanRegret, medianRegret } = errorTexts(predictions);
  return [name, points, median, p90, rankCorrelation, meanRegret, medianRegret];
}

/** By collective, protocol and size. */
function partsOf(predictions: readonly Prediction[]): readonly (readonly string[])[] {
  const keys: readonly ((prediction: Prediction) => string)[] = [
    ({ configuration }) => configuration.collective,
    ({ configuration }) => configuration.protocol ?? 'no protocol',
    ({ size }) => formatBytes(size),
  ];
  return keys.flatMap((keyOf, index) => {
    const ordered = index === 2 ? [...predictions].sort((a, b) => a.size - b.size) : predictions;
    return [...groupedBy(ordered, keyOf)].map(([name, part]) => rowOf(oneLine(name), part));
  });
}

/** The document of `--json`: seconds, bytes per second, and errors as parts of one. */
export function calibrationDocument(subjects: Subjects, calibration: Calibration): object {
  const { fitted, left, own, unseen, plain, floor, parameters, stoppedEarly } = calibration;
  return {
    ok: true,
    stoppedEarly,
    measurements: subjects.measurements,
    repeated: subjects.repeated,
    dropped: Object.fromEntries(subjects.dropped),
    fitted: fitted.map(({ name }) => name),
    leftOut: left.map(({ name }) => name),
    parameters: parameters.map(({ parameter: { name, unit }, value, knowledge }) => {
      return unit === 'seconds' ? { name, seconds: value, knowledge } : { name, bytesPerSecond: 1 / value, knowledge };
    }),
    errors: {
      fitted: errorsOf(own),
      leftOut: unseen === undefined ? undefined : errorsOf(unseen),
      linksAlone: plain === undefined ? undefined : errorsOf(plain),
      floor: errorsOf(floor),
    },
    predictions: (unseen ?? own).map(({ configuration, size, measured, predicted }) => {
      const { name, collective, ranks, protocol } = configuration;
      return { plan: name, collective, ranks, protocol, size, measured, predicted };
    }),
  };
}

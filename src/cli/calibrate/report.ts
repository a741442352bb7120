/** Writes the report of `ccc calibrate`: dropped measurements, fitted parameters, and the errors of predictions against measurements. */
import { errorsOf, groupedBy, valueText } from '../../calibrate/index.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { counted, formatBytes } from '../../ir/units.ts';
import type { CalibratedMachine, CalibratedParameter, LabelledPrediction } from '../../session/calibrate-job.ts';
import { formatTable, formatWideTable, type Table } from '../show/table.ts';
import { errorTexts } from './errors.ts';

const header = ['times', 'median', 'p90', 'rank corr.', 'mean regret', 'median regret'];

export function calibrationText(machine: CalibratedMachine, width: number | undefined): string {
  const { fitted, left, own, unseen, plain, floor } = machine;
  const judged =
    left.length > 0
      ? `${counted(left.length, 'configuration')} that were left out`
      : 'plans that were left out, part by part';
  const models: readonly (readonly [string, readonly LabelledPrediction[] | undefined])[] = [
    ['fitted', own],
    [judged, unseen],
    ['links alone, fitted', plain],
    ['a + bM for each, fitted', floor],
  ];
  const main = models.flatMap(([name, predictions]) => (predictions === undefined ? [] : [rowOf(name, predictions)]));
  const parts = partsOf(unseen ?? own);
  const texts = [
    cleaningText(machine),
    `${counted(fitted.length, 'configuration')} fitted${left.length > 0 ? `, ${left.length} left out` : ''}\n`,
    tableText({ header: ['parameter', 'value', 'known'], rows: machine.parameters.map(parameterRow) }, width),
    tableText({ header: ['predictions', ...header], rows: main }, width),
    tableText({ header: [unseen === undefined ? 'fitted, of' : 'left out, of', ...header], rows: parts }, width),
  ];
  return texts.join('\n');
}

function tableText(table: Table, width: number | undefined): string {
  return `${width === undefined ? formatTable(table) : formatWideTable(table, 1, width)}\n`;
}

function cleaningText({ measurements, repeated, dropped, notes }: CalibratedMachine): string {
  const lines = [
    `${counted(measurements, 'measurement')}${repeated > 0 ? `, ${repeated} of them repetitions, of which the median is taken` : ''}`,
    ...[...dropped].map(([why, count]) => `  dropped: ${count} ${why}`),
    ...notes.map((note) => `  dropped: ${oneLine(note)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function parameterRow({ name, unit, value, knowledge }: CalibratedParameter): readonly string[] {
  return [name, valueText(unit, value), knowledge];
}

function rowOf(name: string, predictions: readonly LabelledPrediction[]): readonly string[] {
  const { points, median, p90, rankCorrelation, meanRegret, medianRegret } = errorTexts(predictions);
  return [name, points, median, p90, rankCorrelation, meanRegret, medianRegret];
}

/** Returns rows of errors by collective, by protocol and by size. */
function partsOf(predictions: readonly LabelledPrediction[]): readonly (readonly string[])[] {
  const keys: readonly ((prediction: LabelledPrediction) => string)[] = [
    ({ configuration }) => configuration.collective,
    ({ configuration }) => configuration.protocol ?? 'no protocol',
    ({ size }) => formatBytes(size),
  ];
  return keys.flatMap((keyOf, index) => {
    const ordered = index === 2 ? [...predictions].sort((a, b) => a.size - b.size) : predictions;
    return [...groupedBy(ordered, keyOf)].map(([name, part]) => rowOf(oneLine(name), part));
  });
}

/** Makes the document of `--json`. Times are in seconds, rates in bytes per second, and errors are fractions (0.1 is 10 %). */
export function calibrationDocument(machine: CalibratedMachine): object {
  const { fitted, left, own, unseen, plain, floor, parameters, stoppedEarly } = machine;
  return {
    ok: true,
    stoppedEarly,
    measurements: machine.measurements,
    repeated: machine.repeated,
    dropped: Object.fromEntries(machine.dropped),
    fitted,
    leftOut: left,
    parameters: parameters.map(({ name, unit, value, knowledge }) => {
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

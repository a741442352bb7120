/** Reads measured times. The content of a file decides on its format; every format has its own reader, and errors name the place in the file. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { isRunDocument, readRunDocument } from './ccc-run.ts';
import { isCsv, readCsv } from './csv.ts';
import { isImbTable, readImbTable } from './imb.ts';
import type { MeasurementTable } from './measurement.ts';
import { isNcclLog, readNcclLog } from './nccl-tests.ts';
import {
  isNcclTestsDocument,
  isRcclTestsCsv,
  isRcclTestsJson,
  readNcclTestsDocument,
  readRcclTestsCsv,
  readRcclTestsJson,
} from './nccl-tests-files.ts';
import { isOsuTable, readOsuTable } from './osu.ts';

export type { Measurement, MeasurementTable } from './measurement.ts';

interface MeasurementFormat {
  readonly name: string;
  isIt(source: SourceText): boolean;
  read(source: SourceText): MeasurementTable;
}

/** The formats, in the order in which they are tried. */
const formats: readonly MeasurementFormat[] = [
  { name: 'ccc run --json', isIt: isRunDocument, read: readRunDocument },
  { name: 'JSON of nccl-tests', isIt: isNcclTestsDocument, read: readNcclTestsDocument },
  { name: 'JSON of rccl-tests', isIt: isRcclTestsJson, read: readRcclTestsJson },
  { name: 'CSV of rccl-tests', isIt: isRcclTestsCsv, read: readRcclTestsCsv },
  { name: 'a log of nccl-tests or rccl-tests', isIt: isNcclLog, read: readNcclLog },
  { name: 'a table of OSU', isIt: isOsuTable, read: readOsuTable },
  { name: 'a table of IMB', isIt: isImbTable, read: readImbTable },
  { name: 'CSV (plan,protocol,size,seconds)', isIt: isCsv, read: readCsv },
];

/**
 * Reads a file of measurements.
 * @throws CccError 'schema' for a text in no known format or without any measurement, and whatever the reader of the format throws
 */
export function readMeasurements(source: SourceText): MeasurementTable {
  const format = formats.find(({ isIt }) => isIt(source));
  if (format === undefined) {
    const names = formats.map(({ name }) => name).join(', ');
    throw new CccError('schema', `${source.name} holds no measurements; expected ${names}`);
  }
  const table = format.read(source);
  if (table.measurements.length > 0) return table;
  throw new CccError('schema', `${source.name} is ${format.name}, but no time is in it`);
}

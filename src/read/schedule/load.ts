import { CccError } from '../../ir/diagnostic.ts';
import { nearestNames } from '../nearest.ts';
import type { ReadOptions } from '../options.ts';
import { shippedNames, shippedSource } from '../shipped.ts';
import { isFilePath, readSource } from '../source.ts';
import { parseScheduleFile, type ScheduleFile } from './file.ts';

/** A cache of shipped files, which do not change while ccc runs and are often parts of other schedules. */
const shipped = new Map<string, ScheduleFile>();

/**
 * Loads the schedule that is shipped under a name, or the one in a file.
 * @throws CccError 'unknown-name' when there is none of that name, 'file', and whatever `parseScheduleFile` throws
 */
export function loadScheduleFile(nameOrPath: string, options: ReadOptions = {}): ScheduleFile {
  if (isFilePath(nameOrPath)) {
    const read = options.read ?? ((path: string) => readSource(path, options.limits));
    return parseScheduleFile(read(nameOrPath), options);
  }
  const known = shipped.get(nameOrPath);
  if (known !== undefined) return known;
  const names = shippedNames('schedules');
  if (!names.includes(nameOrPath)) {
    throw new CccError('unknown-name', `there is no schedule '${nameOrPath}'; ${nearestNames(nameOrPath, names)}`);
  }
  const file = parseScheduleFile(shippedSource('schedules', nameOrPath));
  shipped.set(nameOrPath, file);
  return file;
}

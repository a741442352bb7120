/** The text that an argument of a command names. */
import { existsSync } from 'node:fs';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';

/**
 * The text of a file or of standard input; schedules that come with ccc may be given by name.
 * @throws CccError 'file', 'limit'
 */
export async function sourceOf(path: string, limits: Limits): Promise<SourceText> {
  const { isFilePath, listShipped, loadScheduleFile, nearestNames, readSource } = await import('../read/index.ts');
  if (isFilePath(path)) return readSource(path, limits);
  const names = listShipped('schedules');
  if (names.includes(path)) return loadScheduleFile(path).text;
  if (existsSync(path)) return readSource(path, limits);
  throw new CccError('file', `there is no file '${path}', nor a schedule of that name; ${nearestNames(path, names)}`);
}

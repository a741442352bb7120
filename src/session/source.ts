/** Texts by their names: files, standard input, and schedules that come with ccc. */
import { host } from '../host/host.ts';
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
  if (host().exists(path)) return readSource(path, limits);
  throw new CccError('file', `there is no file '${path}', nor a schedule of that name; ${nearestNames(path, names)}`);
}

/** Options that only schedules take: plans and algorithms have these values themselves. */
const scheduleOptions = ['ranks', 'chunks', 'set'] as const;

/** @throws CccError 'usage' for options that would have no effect on the text, since it is no schedule */
export function checkOptionsApply(
  { name, text }: SourceText,
  options: { readonly [Name in (typeof scheduleOptions)[number]]?: unknown },
): void {
  if (!/^\s*[{<]/.test(text)) return;
  const idle = scheduleOptions.find((option) => options[option] !== undefined);
  if (idle !== undefined) throw new CccError('usage', `--${idle} is for schedules: ${name} says itself what it is for`);
}

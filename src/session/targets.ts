/** Target formats by name: prepares plans for a format, and reads back what was written. */
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { WrittenTime } from '../jobs/written-time.ts';
import type { Platform } from './platform.ts';

/** The plan as a page for a browser; all other formats are for programs. */
const html: Emitter = {
  name: 'html',
  about: 'a page for the browser, as `ccc view` writes it',
  check: () => [],
  emit: async (bundle) => [await (await import('./view.ts')).pageOfBundle(bundle)],
};

/** All formats that a plan can be written in. */
export async function allEmitters(): Promise<readonly Emitter[]> {
  return [...(await import('../targets/index.ts')).emitters, html];
}

/** @throws CccError 'unknown-name' with the nearest right names */
export async function emitterNamed(name: string): Promise<Emitter> {
  const [emitters, { nearestNames }] = await Promise.all([allEmitters(), import('../read/nearest.ts')]);
  const found = emitters.find((emitter) => emitter.name === name);
  if (found !== undefined) return found;
  const names = emitters.map((emitter) => emitter.name);
  throw new CccError('unknown-name', `there is no emitter '${name}'; ${nearestNames(name, names)}`);
}

/** Formats by the endings of file names. */
const formats: ReadonlyMap<string, string> = new Map([
  ['.json', 'json'],
  ['.xml', 'msccl-xml'],
  ['.ts', 'ts'],
  ['.c', 'mpi-c'],
  ['.goal', 'goal'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);
/** Endings of files that ccc does not write. JSON under such a name would not be what the user expects. */
const otherEndings = [
  ...['.yaml', '.yml', '.svg', '.dot', '.py', '.h', '.cc', '.cpp'],
  ...['.cu', '.js', '.csv', '.md', '.pdf', '.png'],
];

/**
 * Returns the format of a file: the requested one, else the one that the ending of the name stands for, else `json`.
 * @throws CccError 'usage' for an ending of something that a plan is not written as
 */
export function formatFor({
  emit,
  output = '',
}: {
  readonly emit?: string | undefined;
  readonly output?: string | undefined;
}): string {
  if (emit !== undefined) return emit;
  const ending = /[^/\\](\.[^./\\]*)$/.exec(output)?.[1].toLowerCase() ?? '';
  const format = formats.get(ending);
  if (format !== undefined) return format;
  if (!otherEndings.includes(ending)) return 'json';
  const known = [...formats].map(([end, name]) => `${end} (${name})`).join(', ');
  throw new CccError(
    'usage',
    `a plan is not written as ${ending}: -o takes ${known}, and --emit says which format another name is for`,
  );
}

/** A plan's text in a format, with remarks for users. */
export interface TargetText {
  readonly text: Iterable<string>;
  readonly remarks: readonly string[];
  /** Simulated time of the written program, if ccc reads the format back and can simulate it. */
  readonly time?: WrittenTime;
}

/**
 * Returns the plan's text in a format, which is read back and checked if the format requires that.
 * @throws CccError 'unsupported' if the text is too large to be judged
 */
export async function writtenWith(emitter: Emitter, bundle: PlanBundle): Promise<TargetText> {
  const [{ checkedTargetText }, { writtenTime, writtenTimeRemark }] = await Promise.all([
    import('../jobs/written.ts'),
    import('../jobs/written-time.ts'),
  ]);
  const text = await checkedTargetText(emitter, bundle);
  const remarks = emitter.remarks?.(bundle) ?? [];
  if (emitter.inOneBulk === undefined && emitter.reread === undefined) return { text, remarks };
  const whole = [...text].join('');
  const time = await writtenTime(emitter, bundle, whole);
  if (time === undefined) return { text: [whole], remarks };
  return { text: [whole], remarks: [...remarks, writtenTimeRemark(emitter, bundle, time)], time };
}

/**
 * Returns the plan as the format needs it: with additional waits if the runtime owns buffers from posting to completion (as MPI does), and with its
 * timeline.
 * @throws CccError 'unsupported' with all that the format lacks
 */
export async function readyFor(emitter: Emitter, bundle: PlanBundle): Promise<PlanBundle> {
  const { withTimeline } = await import('../jobs/timed.ts');
  const ready = withTimeline(
    emitter.ownership === 'strict'
      ? (await import('../jobs/owning-strictly.ts')).owningStrictly(bundle, emitter.name)
      : bundle,
  );
  const lacking = emitter.check(ready);
  if (lacking.length === 0) return ready;
  throw new CccError('unsupported', `${emitter.name} cannot express this plan: ${lacking.join('; ')}`);
}

/** The whole text of a plan in a format. @throws CccError as `emitterNamed` and `readyFor`, 'usage' for a format that is a folder of files */
export async function textOf(format: string, bundle: PlanBundle): Promise<string> {
  const emitter = await emitterNamed(format);
  const { text } = await writtenWith(emitter, await readyFor(emitter, bundle));
  return [...text].join('');
}

/** Writes a plan to a file in a format, or in the one that the ending of the path stands for. @throws CccError as `textOf`, and 'file' */
export async function writeTarget(
  path: string,
  format: string | undefined,
  bundle: PlanBundle,
  { writeFile }: Platform,
): Promise<void> {
  const emitter = await emitterNamed(formatFor({ emit: format, output: path }));
  if (emitter.files !== undefined) throw new CccError('usage', `${emitter.name} is a folder of files, not one file`);
  const { text } = await writtenWith(emitter, await readyFor(emitter, bundle));
  await writeFile(path, text);
}

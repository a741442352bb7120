/** Where `ccc` writes a plan: to the file that is named, to a file of its own on a terminal, else to standard output. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type TargetText, writtenWith } from '../session/targets.ts';
import { checkTarget, makeFolder, note, writeResult } from './output.ts';

/**
 * Calls `write` with the file for a plan. On a terminal, where hundreds of lines of JSON would hide the report, that is a file of its own, whose name is
 * printed. Where `--json` prints a document, the plan goes to a file only if one is named.
 * @param write called with no file for standard output
 */
export async function written(
  asked: OutputOptions,
  write: (file: { readonly output?: string }) => Promise<void>,
): Promise<void> {
  const own = asked.json === true ? undefined : ownFile(process.stdout.isTTY, asked);
  await write(own === undefined ? {} : { output: own });
  if (own !== undefined) note(`written to ${own}\n-o FILE says where; into a pipe or file the plan goes itself`);
}

interface OutputOptions {
  readonly emit?: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** The file for a plan that the user did not ask to see; undefined if it goes to standard output, or if a format was asked for. */
export function ownFile(isTerminal: boolean, { emit, output }: OutputOptions): string | undefined {
  if (!isTerminal || output !== undefined || emit !== undefined) return undefined;
  return join(mkdtempSync(join(tmpdir(), 'ccc-')), 'plan.json');
}

/**
 * Writes the text of a format, or its folder of files.
 * @returns what people should know about it, and the time of what is written where it differs from that of the plan
 * @throws CccError 'usage' for a folder without a name; those of writing and of `writtenWith`
 */
export async function writeEmitted(
  emitter: Emitter,
  bundle: PlanBundle,
  output: string | undefined,
): Promise<Omit<TargetText, 'text'>> {
  if (emitter.files === undefined) {
    const { text, ...rest } = await writtenWith(emitter, bundle);
    await writeResult(text, output);
    return rest;
  }
  const folder = folderFor(emitter, output);
  makeFolder(folder);
  for (const { path, content } of emitter.files(bundle)) {
    await writeResult(typeof content === 'string' ? [content] : content, join(folder, path));
  }
  return { remarks: emitter.remarks?.(bundle) ?? [] };
}

/** Tries before a long search whether its result could be written. @throws CccError 'usage', 'file' */
export function checkOutput(emitter: Emitter, output: string | undefined): void {
  if (emitter.files === undefined) checkTarget(output);
  else makeFolder(folderFor(emitter, output));
}

function folderFor({ name }: Emitter, output: string | undefined): string {
  if (output !== undefined && output !== '-') return output;
  throw new CccError('usage', `${name} is a folder of files: say where with -o`);
}

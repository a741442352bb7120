/** Decides where `ccc` writes a plan: to the named file; on a terminal, to a file in a new folder; else to standard output. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type TargetText, writtenWith } from '../session/targets.ts';
import { checkTarget, makeFolder, note, writeResult } from './output.ts';

/**
 * Calls `write` with the file for a plan. On a terminal hundreds of lines of JSON would hide the report, so the plan goes to a new file, whose name
 * is printed. If `--json` prints a document, the plan is written only if a file is named.
 * @param write receives no file for standard output
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

/** Returns a new file for the plan, or undefined if the plan goes to standard output or the user asked for a format. */
export function ownFile(isTerminal: boolean, { emit, output }: OutputOptions): string | undefined {
  if (!isTerminal || output !== undefined || emit !== undefined) return undefined;
  return join(mkdtempSync(join(tmpdir(), 'ccc-')), 'plan.json');
}

/**
 * Writes the text of a format, or its folder of files.
 * @returns remarks for users, and the time of the written program if it differs from the plan's
 * @throws CccError 'usage' for a folder without a name; whatever the emitter and `writtenWith` throw
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

/** Checks before a long search that its result can be written. @throws CccError 'usage', 'file' */
export function checkOutput(emitter: Emitter, output: string | undefined): void {
  if (emitter.files === undefined) checkTarget(output);
  else makeFolder(folderFor(emitter, output));
}

function folderFor({ name }: Emitter, output: string | undefined): string {
  if (output !== undefined && output !== '-') return output;
  throw new CccError('usage', `${name} is a folder of files: say where with -o`);
}

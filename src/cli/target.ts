/** Where a result goes and in which format: as `--emit` says, else as the name behind -o says, else JSON. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { CccError } from '../ir/diagnostic.ts';
import { note } from './output.ts';

/** What endings of names stand for. */
const formats: ReadonlyMap<string, string> = new Map([
  ['.json', 'json'],
  ['.xml', 'msccl-xml'],
  ['.ts', 'ts'],
  ['.c', 'mpi-c'],
  ['.goal', 'goal'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);
/** What nothing of ccc is written as: who gives such a name expects something else than JSON. */
const others = [
  '.html',
  '.htm',
  '.yaml',
  '.yml',
  '.svg',
  '.dot',
  '.py',
  '.h',
  '.cc',
  '.cpp',
  '.cu',
  '.js',
  '.csv',
  '.md',
  '.pdf',
  '.png',
];

/** @throws CccError 'usage' for a name that asks for what is not written */
export function formatFor({ emit, output = '' }: { readonly emit?: string; readonly output?: string }): string {
  if (emit !== undefined) return emit;
  const ending = extname(output).toLowerCase();
  const format = formats.get(ending);
  if (format !== undefined) return format;
  if (!others.includes(ending)) return 'json';
  const known = [...formats].map(([end, name]) => `${end} (${name})`).join(', ');
  throw new CccError(
    'usage',
    `a plan is not written as ${ending}: -o takes ${known}, and --emit says which format another name is for`,
  );
}

/**
 * Writes a plan where it is wanted: on a terminal, where hundreds of lines of JSON would hide the report, to a file of its own, and says to
 * which. Where `--json` prints a document, the plan goes to a file only if one is named.
 * @param write told the file; none for standard output
 */
export async function writeTarget(
  asked: Asked,
  write: (file: { readonly output?: string }) => Promise<void>,
): Promise<void> {
  const own = asked.json === true ? undefined : ownFile(process.stdout.isTTY, asked);
  await write(own === undefined ? {} : { output: own });
  if (own !== undefined) note(`written to ${own}\n-o FILE says where; into a pipe or file the plan goes itself`);
}

interface Asked {
  readonly emit?: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** The file for a plan that nobody has asked to see; undefined where it goes to standard output, or where a format was asked for. */
export function ownFile(isTerminal: boolean, { emit, output }: Asked): string | undefined {
  if (!isTerminal || output !== undefined || emit !== undefined) return undefined;
  return join(mkdtempSync(join(tmpdir(), 'ccc-')), 'plan.json');
}

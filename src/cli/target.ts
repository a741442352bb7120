/** Where a result goes and in which format: as `--emit` says, else as the name behind -o says, else JSON. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { CccError } from '../ir/diagnostic.ts';

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
 * The file for a plan that nobody has asked to see: on a terminal hundreds of lines of JSON would hide the report. Undefined where it goes to
 * standard output, which is a pipe or a file, or where a format was asked for.
 */
export function ownFile(
  isTerminal: boolean,
  asked: { readonly emit?: string; readonly output?: string },
): string | undefined {
  if (!isTerminal || asked.output !== undefined || asked.emit !== undefined) return undefined;
  return join(mkdtempSync(join(tmpdir(), 'ccc-')), 'plan.json');
}

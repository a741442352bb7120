/** Getting the text of files, with the name that messages call them by. */
import { closeSync, openSync, readSync } from 'node:fs';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';

/** The largest piece that is asked of the system at once. */
const blockBytes = 1 << 16;

/**
 * Whether a name on the command line means a file rather than something that is shipped. A topology file with values
 * behind it (`./mine.yaml:4`) is not a file that could be opened under that name. Windows has backslashes in paths, and drives before a colon.
 */
export function isFilePath(name: string): boolean {
  if (/\.(?:ya?ml|json):[^/\\]*$/.test(name)) return false;
  return name === '-' || /[/\\]/.test(name) || /\.(?:ya?ml|json|xml|txt)$/.test(name);
}

/**
 * Reads a file, or standard input for `-`.
 * @throws CccError 'file' when it cannot be read, 'limit' when it is too large, 'syntax' when it is not UTF-8
 */
export function readSource(path: string, limits: Limits = defaultLimits): SourceText {
  const name = path === '-' ? '<stdin>' : path;
  const bytes = readBytes(path, name, limits.fileBytes);
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CccError('syntax', `${name} is not a text in UTF-8`);
  }
}

/** Block by block, so that pipes and devices without a size are limited too. */
function readBytes(path: string, name: string, limit: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  let total = 0;
  try {
    const file = path === '-' ? 0 : openSync(path, 'r');
    try {
      for (;;) {
        const block = new Uint8Array(blockBytes);
        const count = readSync(file, block, 0, blockBytes, null);
        if (count === 0) break;
        total += count;
        if (total > limit) throw tooLarge(name, limit);
        blocks.push(block.subarray(0, count));
      }
    } finally {
      if (file !== 0) closeSync(file);
    }
  } catch (error) {
    if (error instanceof CccError) throw error;
    throw new CccError('file', `cannot read ${name}: ${reasonOf(error)}`);
  }
  return Buffer.concat(blocks, total);
}

function tooLarge(name: string, limit: number): CccError {
  return new CccError('limit', `${name} is larger than ${limit} bytes; --limit fileBytes=… raises the limit`);
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'no permission';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** The text of a user's file, under the name that messages give the file. */
import { host } from '../host/host.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';

/**
 * Whether a name on the command line means a file rather than a shipped machine or schedule. False for a topology file with values behind it
 * (`./mine.yaml:4`), since no file has that name. Paths of Windows have backslashes, and drives before a colon.
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
  const bytes = host().readFile(path, limits.fileBytes);
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CccError('syntax', `${name} is not a text in UTF-8`);
  }
}

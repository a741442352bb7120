import { readFileSync } from 'node:fs';

/** The version in package.json, two folders up from both src/session and dist/session. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const document: unknown = JSON.parse(text);
  const named =
    typeof document === 'object' && document !== null && 'version' in document ? document.version : undefined;
  return typeof named === 'string' ? named : 'unknown';
}

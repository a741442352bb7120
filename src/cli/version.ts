import { readFileSync } from 'node:fs';

/** The version in package.json, two folders up from both src/cli and dist/cli. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const document: unknown = JSON.parse(text);
  const named =
    typeof document === 'object' && document !== null && 'version' in document ? document.version : undefined;
  return typeof named === 'string' ? named : 'unknown';
}

/** What `--version --json` says: of ccc, and of the formats that it reads and writes. */
export function versionDocument(): object {
  const formats = { 'ccc-plan': 1, 'ccc-schedule': 1, 'ccc-topology': 1 };
  return { ok: true, name: 'ccc', version: packageVersion(), formats, node: process.versions.node };
}

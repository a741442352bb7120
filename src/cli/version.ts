import { packageVersion } from '../session/version.ts';

/** Makes the document of `--version --json`: the versions of ccc and of the formats that it reads and writes. */
export function versionDocument(): object {
  const formats = { 'ccc-plan': 1, 'ccc-schedule': 1, 'ccc-topology': 1 };
  return { ok: true, name: 'ccc', version: packageVersion(), formats, node: process.versions.node };
}

/** What comes with ccc as data, one YAML file each, named as it is: machines, algorithms, and figures of hardware. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SourceText } from '../ir/diagnostic.ts';
import { readSource } from './source.ts';

const kinds = ['topologies', 'schedules', 'hardware'] as const;
export type ShippedKind = (typeof kinds)[number];

/** The same folders from src/read and from dist/read. */
function folderOf(kind: ShippedKind): string {
  return fileURLToPath(new URL(`../../${kind}/`, import.meta.url));
}

const names = new Map<ShippedKind, readonly string[]>();

/** Names of what is shipped, sorted; files are not opened. */
export function shippedNames(kind: ShippedKind): readonly string[] {
  let known = names.get(kind);
  if (known === undefined) {
    const files = readdirSync(folderOf(kind)).filter((file) => file.endsWith('.yaml'));
    known = files.map((file) => file.slice(0, -'.yaml'.length)).sort();
    names.set(kind, known);
  }
  return known;
}

/** The file of something shipped, under a name that does not depend on where ccc is installed. */
export function shippedSource(kind: ShippedKind, name: string): SourceText {
  return { name: `${kind}/${name}.yaml`, text: readSource(`${folderOf(kind)}${name}.yaml`).text };
}

/** All files that are shipped. */
export function shippedFiles(): readonly SourceText[] {
  return kinds.flatMap((kind) => shippedNames(kind).map((name) => shippedSource(kind, name)));
}

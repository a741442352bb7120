/** The data that comes with ccc, one YAML file for each thing and named like it: machines, algorithms, and figures of hardware. */
import { host, type ShippedKind, shippedKinds } from '../host/host.ts';
import type { SourceText } from '../ir/diagnostic.ts';

export type { ShippedKind } from '../host/host.ts';

/** Names of the shipped files of a kind, sorted; no file is opened. */
export function shippedNames(kind: ShippedKind): readonly string[] {
  return host().shippedNames(kind);
}

/** A shipped file, under a name that does not depend on where ccc is installed. */
export function shippedSource(kind: ShippedKind, name: string): SourceText {
  return { name: `${kind}/${name}.yaml`, text: host().shippedText(kind, name) };
}

/** All files that are shipped. */
export function shippedFiles(): readonly SourceText[] {
  return shippedKinds.flatMap((kind) => shippedNames(kind).map((name) => shippedSource(kind, name)));
}

import { host } from '../../host/host.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Topology } from '../../ir/topology.ts';
import { nearestNames } from '../nearest.ts';
import type { ReadOptions } from '../options.ts';
import { shippedNames, shippedSource } from '../shipped.ts';
import { isFilePath, readSource } from '../source.ts';
import { type Description, describeTopology, parseTopology, type TopologyRequest } from './file.ts';

/**
 * Resolves a text from the command line to a machine: a shipped one with values of its parameters (`ring:8`, `torus:4x4`, `fattree:4,4,2`), a
 * file, with values, too (`./mine.yaml:4`), or `-` for standard input.
 * @throws CccError 'unknown-name', 'file', and errors of `parseTopology`
 */
export function resolveTopology(spec: string, options: ReadOptions = {}): Topology {
  const { source, request } = findTopology(spec, options);
  return parseTopology(source, request, options);
}

/** The description of the topology file that `resolveTopology` would read. @throws CccError as `resolveTopology` */
export function describeMachine(spec: string, options: ReadOptions = {}): Description {
  return describeTopology(findTopology(spec, options).source, options.limits);
}

/** Finds the topology file for a text, and the values of its parameters. @throws CccError 'unknown-name', 'file' */
export function findTopology(
  spec: string,
  options: ReadOptions = {},
): { source: SourceText; request: TopologyRequest } {
  const { name, values } = splitSpec(spec);
  if (isMachineFile(name)) {
    const read = options.read ?? ((path: string) => readSource(path, options.limits));
    return { source: read(name), request: { name: name === '-' ? '<stdin>' : name, values } };
  }
  const names = shippedNames('topologies');
  if (!names.includes(name)) {
    throw new CccError('unknown-name', `there is no topology '${name}'; ${nearestNames(name, names)}`);
  }
  return { source: shippedSource('topologies', name), request: { name, values } };
}

/** Whether a name without values means a file: it looks like a path, or such a file exists and no shipped topology has the name. */
export function isMachineFile(name: string): boolean {
  return isFilePath(name) || (!shippedNames('topologies').includes(name) && host().exists(name));
}

/** Splits a text at its colon into name and values; in a path, only a colon behind the file's ending counts. */
function splitSpec(spec: string): { readonly name: string; readonly values: readonly string[] } {
  const path = /^(.*\.(?:ya?ml|json)):([^/\\]*)$/.exec(spec);
  const match = path ?? (isFilePath(spec) ? null : /^([^:]*):(.*)$/.exec(spec));
  if (match === null) return { name: spec, values: [] };
  return { name: match[1], values: match[2].split(',').map((value) => value.trim()) };
}

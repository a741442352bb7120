import { host } from '../../host/host.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Topology } from '../../ir/topology.ts';
import { nearestNames } from '../nearest.ts';
import type { ReadOptions } from '../options.ts';
import { shippedNames, shippedSource } from '../shipped.ts';
import { isFilePath, readSource } from '../source.ts';
import { type Description, describeTopology, parseTopology, type TopologyRequest } from './file.ts';

/**
 * The machine that a text on the command line means: a shipped one with its values (`ring:8`, `torus:4x4`, `fattree:4,4,2`), or a
 * file, with values too (`./mine.yaml:4`); `-` is standard input.
 * @throws CccError 'unknown-name', 'file', and whatever `parseTopology` throws
 */
export function resolveTopology(spec: string, options: ReadOptions = {}): Topology {
  const { source, request } = findTopology(spec, options);
  return parseTopology(source, request, options);
}

/** What the file that a text means says about itself. @throws CccError as `resolveTopology` */
export function describeMachine(spec: string, options: ReadOptions = {}): Description {
  return describeTopology(findTopology(spec, options).source, options.limits);
}

/** The file that a text means, and the values for it. @throws CccError 'unknown-name', 'file' */
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

/** Whether a name without values means a file: what looks like one, or is one and no shipped topology. */
export function isMachineFile(name: string): boolean {
  return isFilePath(name) || (!shippedNames('topologies').includes(name) && host().exists(name));
}

/** Values stand behind the last colon; in a path, only behind the ending of a file. */
function splitSpec(spec: string): { readonly name: string; readonly values: readonly string[] } {
  const path = /^(.*\.(?:ya?ml|json)):([^/\\]*)$/.exec(spec);
  const match = path ?? (isFilePath(spec) ? null : /^([^:]*):(.*)$/.exec(spec));
  if (match === null) return { name: spec, values: [] };
  return { name: match[1], values: match[2].split(',').map((value) => value.trim()) };
}

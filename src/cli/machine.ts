/** From the topology options to the topology: read it, then apply the edits in the order people expect. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import type { Topology } from '../ir/topology.ts';
import {
  convertDump,
  dumpKindOf,
  dumpKinds,
  isMachineFile,
  parseChipMap,
  parseGamma,
  parseGroups,
  parseLinkSpec,
  readSource,
  resolveTopology,
  withGamma,
  withGroup,
  withLink,
  withMap,
  withOverlap,
  withoutParts,
} from '../read/index.ts';
import type { TopologyOptions } from './options.ts';

/** A machine, and the groups of its ranks that work at the same time where there are several. */
export interface Machine {
  readonly topology: Topology;
  readonly groups: readonly (readonly number[])[] | undefined;
}

/**
 * The topology that the options describe, which may have one group.
 * @throws CccError 'usage' for several groups, and those of `machineFrom`
 */
export async function topologyFrom(options: TopologyOptions, limits: Limits, source?: SourceText): Promise<Topology> {
  const { topology, groups } = await machineFrom(options, limits, source);
  if (groups === undefined) return topology;
  throw new CccError('usage', `only compile takes several groups at once; ${groups.length} are given here`);
}

/**
 * The machine that the options describe. Numbers are set first, then links and chips removed by their names as shown before
 * any removal, then ranks placed, then groups made of those ranks: one group is a topology of its own, several are for
 * whoever can do with them. `given` is the text of `--topo` where it has been read already.
 */
export async function machineFrom(options: TopologyOptions, limits: Limits, given?: SourceText): Promise<Machine> {
  if (options.topo === undefined || options.topo === '') {
    throw new CccError(
      'usage',
      'say on which topology: --topo NAME (ccc list topologies shows what there is) or a file',
    );
  }
  const source = await machineSource(options.topo, options, limits, given);
  let topology = resolveTopology(options.topo, source === undefined ? { limits } : { limits, read: () => source });
  if (options.link !== undefined) topology = withLink(topology, parseLinkSpec(options.link));
  if (options.gamma !== undefined) topology = withGamma(topology, parseGamma(options.gamma));
  if (options.overlap !== undefined) topology = withOverlap(topology, options.overlap === 'on');
  topology = withoutParts(topology, options.without ?? []);
  if (options.map !== undefined) topology = withMap(topology, parseChipMap(options.map));
  const groups = parseGroups(options.group ?? [], topology);
  if (groups.length > 1) return { topology, groups };
  return { topology: groups.length === 0 ? topology : withGroup(topology, groups[0]), groups: undefined };
}

/**
 * The text of the file that `--topo` names, a dump of another tool as a topology; undefined for what is shipped, and for files with values.
 * @throws CccError 'usage' for options about dumps where there is none
 */
export async function machineSource(
  topo: string,
  { gpu, boxes, links }: TopologyOptions,
  limits: Limits,
  given?: SourceText,
): Promise<SourceText | undefined> {
  const source = given ?? (isMachineFile(topo) ? readSource(topo, limits) : undefined);
  const kind = source && dumpKindOf(source, true);
  if (source !== undefined && kind !== undefined) return convertDump(source, kind, { gpu, boxes, links, limits });
  const idle = Object.entries({ gpu, boxes, links }).find(([, value]) => value !== undefined);
  if (idle === undefined) return source;
  const formats = Object.values(dumpKinds).join(', ');
  throw new CccError(
    'usage',
    `--${idle[0]} is for machines that other tools describe (${formats}); ${topo} is a topology of ccc`,
  );
}

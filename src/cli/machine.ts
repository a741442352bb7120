/** From the topology options to the topology: read it, then apply the edits in the order people expect. */

import type { NearestChips } from '../graph/index.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology, withProtocol } from '../ir/topology.ts';
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
export interface MachineAndGroups {
  readonly topology: Topology;
  readonly groups: readonly (readonly number[])[] | undefined;
  /** Which chips the ranks were put on, where there are fewer of these. */
  readonly placement?: NearestChips | undefined;
  /** The same machine under each protocol of which the best is wanted; undefined where there is nothing to choose. */
  readonly alternatives?: readonly Topology[] | undefined;
}

/**
 * The topology that the options describe, which may have one group.
 * @throws CccError 'usage' for several groups, and those of `machineFrom`
 */
export async function topologyFrom(options: TopologyOptions, limits: Limits, source?: SourceText): Promise<Topology> {
  const { topology, groups } = await machineFrom(options, limits, source);
  if (groups === undefined && /^auto$/i.test(options.protocol ?? '')) {
    const names = Object.keys(topology.protocols ?? {}).join(', ');
    throw new CccError('usage', `only compile and tune choose a protocol: say which, of ${names}`);
  }
  if (groups === undefined) return topology;
  throw new CccError('usage', `only compile takes several groups at once; ${groups.length} are given here`);
}

/**
 * The machine that the options describe. Numbers are set first, then links and chips removed by their names as shown before
 * any removal, then ranks placed, then groups made of those ranks: one group is a topology of its own, several are for
 * whoever can do with them. `given` is the text of `--topo` where it has been read already.
 */
export async function machineFrom(
  options: TopologyOptions,
  limits: Limits,
  given?: SourceText,
): Promise<MachineAndGroups> {
  if (options.topo === undefined || options.topo === '') {
    throw new CccError(
      'usage',
      'say on which topology: --topo NAME (ccc list topologies shows what there is) or a file',
    );
  }
  const source = await machineSource(options.topo, options, limits, given);
  const read = resolveTopology(options.topo, source === undefined ? { limits } : { limits, read: () => source });
  const numbers = withNumbers(read, options);
  // Without protocols none that a file states is chosen, either.
  const plain = /^none$/i.test(options.protocol ?? '') ? { ...numbers, protocols: undefined } : numbers;
  const protocols = protocolsAsked(options.protocol, plain);
  const [only] = protocols;
  const topology = placed(protocols.length === 1 && only !== undefined ? withProtocol(plain, only) : plain, options);
  const named = parseGroups(options.group ?? [], topology);
  const placement = await placementFor(topology, named, options.place);
  const groups = placement === undefined ? named : [placement.chips];
  if (groups.length > 1) {
    if (protocols.length === 0) return { topology, groups };
    throw new CccError('usage', 'several groups at once are compiled without protocols');
  }
  const grouped = (machine: Topology): Topology => (groups.length === 0 ? machine : withGroup(machine, groups[0]));
  const isOpen = protocols.length > 1 || /^auto$/i.test(options.protocol ?? '');
  const alternatives = protocols.map((name) => grouped(placed(withProtocol(plain, name), options)));
  return { topology: grouped(topology), groups: undefined, placement, ...(isOpen ? { alternatives } : {}) };
}

/** Where so many ranks should stand; undefined where nobody asked. */
async function placementFor(
  topology: Topology,
  groups: readonly (readonly number[])[],
  ranks: number | undefined,
): Promise<NearestChips | undefined> {
  if (ranks === undefined) return undefined;
  if (groups.length > 0)
    throw new CccError('usage', '--ranks picks the chips, and --group says which: give one of them');
  const chips = ranksOf(topology);
  if (ranks > chips) {
    throw new CccError('usage', `--ranks ${ranks}: ${topology.name} has ${chips} chips, and each takes one rank`);
  }
  const { nearestChips } = await import('../graph/index.ts');
  return nearestChips(new Routes(topology), ranks);
}

function withNumbers(topology: Topology, { link, gamma, overlap }: TopologyOptions): Topology {
  const linked = link === undefined ? topology : withLink(topology, parseLinkSpec(link));
  const reducing = gamma === undefined ? linked : withGamma(linked, parseGamma(gamma));
  return overlap === undefined ? reducing : withOverlap(reducing, overlap === 'on');
}

function placed(topology: Topology, { without = [], map }: TopologyOptions): Topology {
  const left = withoutParts(topology, without);
  return map === undefined ? left : withMap(left, parseChipMap(map));
}

/**
 * The protocols that may be used: the one that is asked for, all with `auto`, none with `none`. Where nothing is said, those that are calibrated, if there
 * are any.
 * @throws CccError 'unknown-name' as `withProtocol`
 */
function protocolsAsked(asked: string | undefined, topology: Topology): readonly string[] {
  const names = Object.keys(topology.protocols ?? {});
  if (asked === undefined) return names.filter((name) => topology.status?.[`protocols.${name}`] === 'calibrated');
  if (/^none$/i.test(asked)) return [];
  if (!/^auto$/i.test(asked)) return [withProtocol(topology, asked).protocol ?? asked];
  if (names.length > 0) return names;
  throw new CccError('unknown-name', `${topology.name} has no protocols to choose from`);
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

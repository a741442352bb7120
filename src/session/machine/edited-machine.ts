/** Reads a machine by its name or file, and applies the changes that the caller asks for. */

import type { NearestChips } from '../../graph/index.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { Routes } from '../../ir/routes.ts';
import { ranksOf, type Topology, withProtocol } from '../../ir/topology.ts';
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
} from '../../read/index.ts';
import type { MachineOptions } from './machine-options.ts';

/** A machine as plain data, which can be posted to a worker. */
export interface MachineData {
  readonly topology: Topology;
  /** Ranks of each process group, if several of them work at the same time. */
  readonly groups: readonly (readonly number[])[] | undefined;
  /** The chips that the ranks were placed on, if there are fewer ranks than chips. */
  readonly placement?: NearestChips | undefined;
  /** The machine under each protocol that the search may choose from; undefined if there is no choice. */
  readonly alternatives?: readonly Topology[] | undefined;
}

/**
 * The machine that the options describe. Numbers are set first; then links and chips are removed, by the names that they have before any
 * removal; then ranks are placed; then process groups are made of those ranks. A single group is a topology of its own.
 * @param source the text of the machine's file, if it has been read already
 */
export async function editedMachine(
  options: MachineOptions,
  limits: Limits,
  source?: SourceText,
): Promise<MachineData> {
  if (options.topo === undefined || options.topo === '') {
    throw new CccError(
      'usage',
      'say on which topology: --topo NAME (ccc list topologies shows what there is) or a file',
    );
  }
  const read = resolveTopology(options.topo, source === undefined ? { limits } : { limits, read: () => source });
  const numbers = withNumbers(read, options);
  // With `none` a protocol that the topology file chooses does not apply either.
  const plain = /^none$/i.test(options.protocol ?? '') ? { ...numbers, protocols: undefined } : numbers;
  const protocols = allowedProtocols(options.protocol, plain);
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

/** The chips that the ranks are placed on; undefined if every chip has a rank. */
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
  const { nearestChips } = await import('../../graph/index.ts');
  return nearestChips(new Routes(topology), ranks);
}

function withNumbers(topology: Topology, { link, gamma, overlap }: MachineOptions): Topology {
  const linked = link === undefined ? topology : withLink(topology, parseLinkSpec(link));
  const reducing = gamma === undefined ? linked : withGamma(linked, parseGamma(gamma));
  return overlap === undefined ? reducing : withOverlap(reducing, overlap === 'on');
}

function placed(topology: Topology, { without = [], map }: MachineOptions): Topology {
  const left = withoutParts(topology, without);
  return map === undefined ? left : withMap(left, parseChipMap(map));
}

/**
 * The protocols that plans may use: the one that is named, all of the machine for `auto`, none for `none`. By default those whose numbers were
 * calibrated, if there are any.
 * @throws CccError 'unknown-name' as `withProtocol`
 */
function allowedProtocols(asked: string | undefined, topology: Topology): readonly string[] {
  const names = Object.keys(topology.protocols ?? {});
  if (asked === undefined) return names.filter((name) => topology.status?.[`protocols.${name}`] === 'calibrated');
  if (/^none$/i.test(asked)) return [];
  if (!/^auto$/i.test(asked)) return [withProtocol(topology, asked).protocol ?? asked];
  if (names.length > 0) return names;
  throw new CccError('unknown-name', `${topology.name} has no protocols to choose from`);
}

/**
 * The text of a machine's file, with a dump of another tool converted to a topology file; undefined for shipped machines and for files with
 * values behind their names.
 * @throws CccError 'usage' for options that only dumps take, if the file is no dump
 */
export async function machineSource(
  topo: string,
  { gpu, boxes, links }: MachineOptions,
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

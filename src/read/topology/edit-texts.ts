/** Reads changes to a topology as they are written on the command line. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';
import { rateFrom, secondsFrom } from '../quantity.ts';
import { type LinkSpec, withoutLink, withoutNode } from './edits.ts';
import { endsOf, type NodeReference, nodeOf } from './references.ts';

/** A link or node that `--without` removes. */
type Removal =
  | { readonly kind: 'link'; readonly a: NodeReference; readonly b: NodeReference }
  /** Its index among the nodes. */
  | { readonly kind: 'node'; readonly node: number };

/**
 * Reads a part that is to be removed: `link:0-1`, `link:0-switch2`, `chip:3`, `switch:3`, or any node by its name: `NIC 0`.
 * @throws CccError 'usage' for nothing, or a link without two ends, 'topology' for a node that there is not
 */
function parseRemoval(text: string, topology: Topology): Removal {
  const link = /^\s*link\s*:(.*)$/s.exec(text);
  if (link !== null) {
    const [a, b] = endsOf(topology, link[1]);
    return { kind: 'link', a, b };
  }
  if (text.trim() !== '') return { kind: 'node', node: nodeOf(topology, text) };
  throw new CccError('usage', 'expected link:A-B, chip:R, switch:K or the name of a node');
}

/**
 * Removes the links and nodes that `--without` names. Names are those of the unchanged machine.
 * @throws CccError as `withoutLink` and `withoutNode`, 'usage' for nothing, or a link without two ends
 */
export function withoutParts(whole: Topology, parts: readonly string[]): Topology {
  const removals = parts.map((text) => parseRemoval(text, whole));
  let topology = whole;
  for (const removal of removals) {
    if (removal.kind === 'link') topology = withoutLink(topology, removal.a, removal.b);
  }
  const nodes = removals.flatMap((removal) => (removal.kind === 'node' ? [removal.node] : []));
  // In descending order, so that the numbers of nodes that are still to be removed stay valid.
  for (const node of [...new Set(nodes)].sort((a, b) => b - a)) topology = withoutNode(topology, node);
  return topology;
}

/** Reads the numbers of a link: `0.5us,50GiB/s` or `0.5us,50GiB/s,blocking`. @throws CccError 'usage', 'unit' or 'range' */
export function parseLinkSpec(text: string): LinkSpec {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length < 2 || parts.length > 3) {
    throw new CccError(
      'usage',
      `expected LATENCY,BANDWIDTH[,blocking|pipelined], such as 0.5us,50GiB/s, found '${text}'`,
    );
  }
  const latency = secondsFrom(parts[0], 'latency');
  const bandwidth = rateFrom(parts[1], 'bandwidth');
  const [, , occupancy] = parts;
  if (occupancy === undefined) return { latency, bandwidth };
  if (occupancy === 'blocking' || occupancy === 'pipelined') return { latency, bandwidth, occupancy };
  throw new CccError('usage', `an occupancy is blocking or pipelined, not '${occupancy}'`);
}

/** Reads a reduce throughput such as `512GB/s`, or `inf` if reducing takes no time. @throws CccError 'unit' or 'range' */
export function parseGamma(text: string): BytesPerSecond {
  if (/^(inf|infinity)$/i.test(text.trim())) return Number.POSITIVE_INFINITY;
  return rateFrom(text, 'reduce throughput');
}

/** Reads a map of ranks to chips: `2,0,1,3`. @throws CccError 'usage' */
export function parseChipMap(text: string): readonly number[] {
  return chipList(text, 'a map of chips, one for each rank, such as 2,0,1,3');
}

/**
 * Reads groups of chips, each such as `0,2,5`; `boxes` means the groups that the topology declares.
 * @throws CccError 'usage' for what is no list, 'topology' for `boxes` of a topology that declares none
 */
export function parseGroups(texts: readonly string[], topology: Topology): readonly (readonly number[])[] {
  return texts.flatMap((text) => {
    if (text.trim() !== 'boxes') return [chipList(text, 'a group of chips, such as 0,2,5, or boxes')];
    if (topology.groups.length > 0) return topology.groups;
    throw new CccError('topology', `${topology.name} declares no groups: say which chips, such as --group 0,1`);
  });
}

function chipList(text: string, expected: string): readonly number[] {
  if (/^\s*\d{1,9}(\s*,\s*\d{1,9})*\s*$/.test(text)) return text.split(',').map(Number);
  throw new CccError('usage', `expected ${expected}; found '${text}'`);
}

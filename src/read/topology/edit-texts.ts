/** Changes to a topology as they are written on the command line. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';
import { rateFrom, secondsFrom } from '../quantity.ts';
import type { LinkSpec, NodeReference } from './edits.ts';

/** What `--without` takes away. */
export type Removal =
  | { readonly kind: 'link'; readonly a: NodeReference; readonly b: NodeReference }
  | { readonly kind: 'chip'; readonly chip: number };

const chip = String.raw`(\d{1,9})`;
const node = String.raw`(\d{1,9}|(?:switch|host)\s*\d{1,9})`;
const removalPattern = new RegExp(`^\\s*(?:link:\\s*${node}\\s*-\\s*${node}|chip:\\s*${chip})\\s*$`);

/** `link:0-1`, `link:0-switch 2` or `chip:3`. @throws CccError 'usage' */
export function parseRemoval(text: string): Removal {
  const match = removalPattern.exec(text);
  if (match === null) {
    throw new CccError('usage', `expected link:A-B or chip:R, such as link:0-1 or link:0-switch2, found '${text}'`);
  }
  const [, a, b, removed] = match;
  if (removed !== undefined) return { kind: 'chip', chip: Number(removed) };
  return { kind: 'link', a: nodeReference(a), b: nodeReference(b) };
}

/** `3`, or `switch2` as `switch 2`, which is how nodes are called. */
function nodeReference(text: string): NodeReference {
  return /^\d/.test(text) ? Number(text) : text.replace(/\s*(\d+)$/, (_, index: string) => ` ${Number(index)}`);
}

/** `0.5us,50GiB/s` or `0.5us,50GiB/s,blocking`. @throws CccError 'usage', 'unit' or 'range' */
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

/** A reduce throughput such as `512GB/s`. @throws CccError 'unit' or 'range' */
export function parseGamma(text: string): BytesPerSecond {
  return rateFrom(text, 'reduce throughput');
}

/** Chips by rank, `2,0,1,3`. @throws CccError 'usage' */
export function parseChipMap(text: string): readonly number[] {
  return chipList(text, 'a map of chips, one for each rank, such as 2,0,1,3');
}

/**
 * Groups of chips, each `0,2,5`; `boxes` means those that the topology declares.
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

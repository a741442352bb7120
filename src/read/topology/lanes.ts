/** Reads the parts of the time model that are not links: launch, lanes, protocols, proxies, and how well each number is known. */
import { CccError } from '../../ir/diagnostic.ts';
import {
  type Knowledge,
  knowledge,
  type LaneModel,
  type LinkLane,
  type LongMessages,
  laneWith,
  type MachineProtocol,
  type PartialLane,
  type RendezvousGap,
} from '../../ir/lanes.ts';
import type { Frame, Scope } from '../expression/index.ts';
import { DocumentFields, flagOf, namedEntries, optionalText, scalarOf, wordOf } from '../fields.ts';
import { bytesFromText, rateFromText, secondsOf } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { wholeAtLeast } from './whole.ts';

/** The keys of a topology file that this module reads. */
export const timingKeys = ['launch', 'protocols', 'status'] as const;

/** @throws CccError 'schema' where overhead or bandwidth is missing */
export function readLane(node: YamlNode | undefined): LaneModel | undefined {
  if (node === undefined) return undefined;
  const lane = laneWith(undefined, readPartialLane(node));
  if (lane === undefined) throw needsBoth(node);
  return lane;
}

function needsBoth(node: YamlNode): CccError {
  return new CccError('schema', "a lane needs 'overhead' and 'bandwidth'", node.range);
}

function readPartialLane(node: YamlNode): PartialLane {
  const fields = new DocumentFields(node, 'a lane', [
    'overhead',
    'bandwidth',
    'visible',
    'slice',
    'local',
    'long',
    'count',
  ]);
  const local = optional(fields, 'local', (value) => {
    const own = new DocumentFields(value, 'local work', ['overhead', 'bandwidth']);
    return { ...optional(own, 'overhead', secondsOf), ...optional(own, 'bandwidth', rateFromText) };
  });
  return {
    ...optional(fields, 'overhead', secondsOf),
    ...optional(fields, 'bandwidth', rateFromText),
    ...optional(fields, 'visible', partOf),
    ...optional(fields, 'slice', bytesFromText),
    ...optional(fields, 'count', countOf),
    ...local,
    ...optional(fields, 'long', longOf),
  };
}

/** An object with the field under its own name, or an empty one if it is left out. */
function optional<Name extends string, Value>(
  fields: DocumentFields,
  name: Name,
  read: (node: YamlNode, what: string) => Value,
): { readonly [name in Name]?: Value } {
  const node = fields.get(name);
  return node === undefined ? {} : ({ [name]: read(node, name) } as { readonly [name in Name]: Value });
}

/** @throws CccError 'schema' where one of the three is missing */
function longOf(node: YamlNode): LongMessages {
  const own = new DocumentFields(node, 'long messages', ['above', 'overhead', 'bandwidth']);
  const above = own.require('above');
  const overhead = own.require('overhead');
  const bandwidth = own.require('bandwidth');
  return {
    above: bytesFromText(above, 'above'),
    overhead: secondsOf(overhead, 'overhead'),
    bandwidth: rateFromText(bandwidth, 'bandwidth'),
  };
}

/** A number from 0 to 1. */
function partOf(node: YamlNode, what: string): number {
  const { text } = scalarOf(node, 'a part such as 0.5');
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new CccError('range', `${what} must be a number from 0 to 1, not ${text}`, node.range);
}

function countOf(node: YamlNode, what: string): number {
  const { text } = scalarOf(node, 'a number of lanes');
  if (/^\s*\d{1,9}\s*$/.test(text) && Number(text) >= 1) return Number(text);
  throw new CccError('range', `${what} must be a whole number of at least 1, not ${text}`, node.range);
}

/** Reads the `lane` of a link. */
export function readLinkLane(node: YamlNode): LinkLane {
  const fields = new DocumentFields(node, 'the lane of a link', [
    'buffered',
    'gap',
    'rendezvous',
    'bandwidth',
    'latency',
  ]);
  const buffered = flagOf(fields.get('buffered'));
  for (const key of ['gap', 'rendezvous', 'bandwidth']) {
    const entry = fields.entry(key);
    if (entry !== undefined && !buffered) {
      throw new CccError('schema', `only links with buffered: true have a ${key} of their own in lane`, entry.key);
    }
  }
  const { gap = 0, bandwidth = Number.POSITIVE_INFINITY } = {
    ...optional(fields, 'gap', secondsOf),
    ...optional(fields, 'bandwidth', rateFromText),
  };
  return {
    buffered,
    gap,
    bandwidth,
    ...optional(fields, 'rendezvous', readRendezvous),
    ...optional(fields, 'latency', secondsOf),
  };
}

function readRendezvous(node: YamlNode): RendezvousGap {
  const fields = new DocumentFields(node, 'a rendezvous', ['above', 'gap']);
  const [above, gap] = ['above', 'gap'].map((key) => fields.require(key));
  return { above: bytesFromText(above, 'above'), gap: secondsOf(gap, 'gap') };
}

/** Reads `protocols`. @param base the lane model of the chips, of which protocols change fields */
export function readProtocols(
  node: YamlNode | undefined,
  base: LaneModel | undefined,
  scope: Scope,
  frame: Frame,
): Readonly<Record<string, MachineProtocol>> | undefined {
  if (node === undefined) return undefined;
  const read = ([name, { key, value }]: ReturnType<typeof namedEntries>[number]): [string, MachineProtocol] => {
    if (!/^[A-Za-z]\w*$/.test(name) || /^(auto|none)$/i.test(name)) {
      throw new CccError(
        'schema',
        `'${name}' cannot be the name of a protocol: letters and digits, not auto or none`,
        key,
      );
    }
    return [name, readProtocol(value, base, scope, frame)];
  };
  return Object.fromEntries(namedEntries(node, 'names of protocols with { launch, lane, inflight, gap }').map(read));
}

function readProtocol(node: YamlNode, base: LaneModel | undefined, scope: Scope, frame: Frame): MachineProtocol {
  const fields = new DocumentFields(node, 'a protocol', ['source', 'launch', 'inflight', 'lane', 'gap', 'rendezvous']);
  const lane = optional(fields, 'lane', readPartialLane);
  if (laneWith(base, lane.lane ?? {}) === undefined) throw needsBoth(fields.get('lane') ?? node);
  const source = optionalText(fields.get('source'));
  return {
    ...(source === undefined ? {} : { source }),
    ...optional(fields, 'launch', secondsOf),
    ...optional(fields, 'inflight', (value) => wholeAtLeast(0, value, 'inflight', scope, frame)),
    ...lane,
    ...optional(fields, 'gap', secondsOf),
    ...optional(fields, 'rendezvous', readRendezvous),
  };
}

/** Reads `status`: how well each number is known, by the path of its key. @throws CccError 'schema' for paths of other keys */
export function readStatus(node: YamlNode | undefined): Readonly<Record<string, Knowledge>> | undefined {
  if (node === undefined) return undefined;
  const entries = namedEntries(node, 'paths of keys with a word each, such as protocols.LL: published');
  return Object.fromEntries(
    entries.map(([path, { key, value }]) => {
      if (!/^(launch|inflight|chip|protocols|links?)(\.[\w-]+)*$/.test(path)) {
        const expected = 'expected a path such as launch, chip.lane.overhead, protocols.LL or link.lane.gap';
        throw new CccError('schema', `'${path}' is no key whose numbers have a status; ${expected}`, key);
      }
      return [path, wordOf(value, knowledge, 'a status')];
    }),
  );
}

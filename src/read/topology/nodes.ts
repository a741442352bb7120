/** Reads the nodes of a topology file: the numbers of chips, switches and hosts, and their names. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Node, NodeKind } from '../../ir/topology.ts';
import type { Frame, Scope } from '../expression/index.ts';
import { DocumentFields, flagOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import { type ChipKind, unlimitedPorts } from './engines.ts';
import type { NodeCounts } from './links.ts';
import { compileName, type NameTemplate } from './names.ts';
import { wholeAtLeast } from './whole.ts';

/** A kind of switches or hosts, which only forward messages. They are numbered consecutively. */
interface PassiveKind {
  readonly kind: Exclude<NodeKind, 'chip'>;
  readonly count: number;
  /** By the index within this kind; undefined for `switch 3` by the index among all switches. */
  readonly name: NameTemplate | undefined;
  readonly multicast: boolean;
  readonly node: YamlNode;
}

/** The nodes of a file, without the chips' engines. */
export interface NodeKinds {
  readonly counts: NodeCounts;
  readonly passive: readonly PassiveKind[];
}

/** Evaluates the number of chips. @throws CccError as `parseTopology`, 'limit' for more than `most` */
export function countChips(fields: DocumentFields, scope: Scope, frame: Frame, most: number): number {
  return countOf(fields.require('chips'), 'chips', 1, most, scope, frame);
}

/**
 * Reads the switches and hosts. Names are evaluated later, in frames with room for one value more than the scope has now: nothing may be
 * declared in the scope after this call.
 * @throws CccError as `parseTopology` for counts and names that cannot be, 'limit' for more than `most` of a kind
 */
export function readNodeKinds(
  chips: number,
  fields: DocumentFields,
  scope: Scope,
  frame: Frame,
  most: number,
): NodeKinds {
  const passive = (['switch', 'host'] as const).flatMap((kind) => readPassive(fields, kind, most, scope, frame));
  const total = (kind: NodeKind): number => {
    const count = passive.reduce((sum, entry) => sum + (entry.kind === kind ? entry.count : 0), 0);
    if (count <= most) return count;
    const message = `${count} ${pluralOf(kind)} are more than the limit ranks = ${most}`;
    throw new CccError('limit', message, fields.entry(pluralOf(kind))?.value.range);
  };
  return { counts: { chips, switches: total('switch'), hosts: total('host') }, passive };
}

/** Makes all nodes: chips first, then switches, then hosts. */
export function nodesOf(fields: DocumentFields, { counts, passive }: NodeKinds, chip: ChipKind): readonly Node[] {
  const origin = fields.entry('chips')?.value.range;
  const { ports, reduce, copy } = chip;
  const nodes = Array.from({ length: counts.chips }, (_, r): Node => {
    return { kind: 'chip', name: chip.name?.nameOf(r) ?? `chip ${r}`, ports, reduce, copy, multicast: false, origin };
  });
  const numbers = { switch: 0, host: 0 };
  for (const { kind, count, name, multicast, node } of passive) {
    for (let index = 0; index < count; index++) {
      const number = numbers[kind]++;
      const called = name?.nameOf(index) ?? `${kind} ${number}`;
      const engines = { ports: unlimitedPorts, reduce: undefined, copy: undefined };
      nodes.push({ kind, name: called, ...engines, multicast, origin: node.range });
    }
  }
  return nodes;
}

/** Reads `switches: 3`, or a list of kinds with their own names; `switch` has the fields that all kinds share. */
function readPassive(
  fields: DocumentFields,
  kind: PassiveKind['kind'],
  most: number,
  scope: Scope,
  frame: Frame,
): readonly PassiveKind[] {
  const key = pluralOf(kind);
  const node = fields.get(key);
  const common = readCommon(fields.get(kind), kind, scope, frame);
  if (node === undefined) return [];
  if (node.kind !== 'sequence') {
    return [{ ...common, kind, count: countOf(node, key, 0, most, scope, frame), node }];
  }
  return node.items.map((item): PassiveKind => {
    const entry = new DocumentFields(item, `a kind of ${key}`, [
      'count',
      'name',
      ...(kind === 'switch' ? ['multicast'] : []),
    ]);
    const [count, name, multicast] = ['count', 'name', 'multicast'].map((field) => entry.get(field));
    return {
      kind,
      count: count === undefined ? 1 : countOf(count, key, 0, most, scope, frame),
      name: name === undefined ? common.name : compileName(name, 'i', scope, frame),
      multicast: multicast === undefined ? common.multicast : flagOf(multicast),
      node: item,
    };
  });
}

function readCommon(
  node: YamlNode | undefined,
  kind: PassiveKind['kind'],
  scope: Scope,
  frame: Frame,
): Pick<PassiveKind, 'name' | 'multicast'> {
  if (node === undefined) return { name: undefined, multicast: false };
  const fields = new DocumentFields(node, kind, ['name', ...(kind === 'switch' ? ['multicast'] : [])]);
  const name = fields.get('name');
  return {
    name: name === undefined ? undefined : compileName(name, 'i', scope, frame),
    multicast: flagOf(fields.get('multicast')),
  };
}

function countOf(node: YamlNode, key: string, least: number, most: number, scope: Scope, frame: Frame): number {
  const value = wholeAtLeast(least, node, key, scope, frame);
  if (value <= most) return value;
  throw new CccError('limit', `${value} ${key} are more than the limit ranks = ${most}`, node.range);
}

function pluralOf(kind: NodeKind): string {
  return kind === 'switch' ? 'switches' : `${kind}s`;
}

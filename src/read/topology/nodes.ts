/** The nodes of a topology file: how many chips, switches and hosts there are, and what each is called. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Node, NodeKind } from '../../ir/topology.ts';
import type { Frame, Scope } from '../expression/index.ts';
import { DocumentFields, flagOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import { type ChipKind, unlimitedPorts } from './engines.ts';
import type { NodeCounts } from './links.ts';
import { compileName, type NameTemplate } from './names.ts';
import { wholeAtLeast } from './whole.ts';

/** Nodes that only pass messages on, numbered one after the other. */
interface PassiveKind {
  readonly kind: Exclude<NodeKind, 'chip'>;
  readonly count: number;
  /** By the index within this kind; undefined for `switch 3` by the index among all switches. */
  readonly name: NameTemplate | undefined;
  readonly multicast: boolean;
  readonly node: YamlNode;
}

/** All nodes of a file but the chips' engines. */
export interface NodeKinds {
  readonly counts: NodeCounts;
  readonly passive: readonly PassiveKind[];
}

/** How many chips there are. @throws CccError as `parseTopology`, 'limit' for more than `most` */
export function countChips(fields: DocumentFields, scope: Scope, frame: Frame, most: number): number {
  return countOf(fields.require('chips'), 'chips', 1, most, scope, frame);
}

/**
 * The nodes beside so many chips. Names are evaluated later, in frames with room for one more value than the scope has now, so that the scope
 * must have all that it will ever have.
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

/** Chips first, then switches, then hosts. */
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

/** `switches: 3`, or a list of kinds with names of their own; `switch` holds what all have in common. */
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

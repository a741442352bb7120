/** Compiles the statements of a schedule file: names become slots, and expressions closures. */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { OperandOrder, TransferKind } from '../../ir/schedule.ts';
import {
  type CompiledExpression,
  compileExpression,
  compileModifiers,
  compileWhole,
  type Modifiers,
  modifierKeys,
  type Scope,
  TokenStream,
} from '../expression/index.ts';
import { DocumentFields, itemsOf, scalarOf, wordOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import { compileSlice, type WrittenSlice } from './slices.ts';

export interface ScheduleStatement {
  readonly modifiers: Modifiers;
  readonly body: Body;
}

export type Body =
  | {
      readonly kind: 'step';
      readonly statements: readonly ScheduleStatement[];
      readonly rounds: CompiledExpression | undefined;
    }
  | { readonly kind: 'do'; readonly statements: readonly ScheduleStatement[] }
  | TransferBody
  | ComputeBody;

export interface TransferBody {
  readonly kind: 'transfer';
  readonly operation: TransferKind;
  readonly source: CompiledExpression;
  readonly destination: CompiledExpression;
  readonly what: readonly SliceEntry[];
  /** The destination; undefined if it is the same place as `what`. */
  readonly into: readonly SliceEntry[] | undefined;
  readonly intoRange: SourceRange;
  readonly order: OperandOrder;
  readonly channel: CompiledExpression | undefined;
  readonly range: SourceRange;
  /** The cost of one pass in evaluations, without list entries that have loops of their own. */
  readonly weight: number;
}

/** A computation of a rank: the slices that it reads, and those that it writes, which are available only after it has ended. */
export interface ComputeBody {
  readonly kind: 'compute';
  readonly rank: CompiledExpression;
  /** The duration, in multiples of `unit` nanoseconds. */
  readonly time: CompiledExpression;
  readonly unit: number;
  readonly reads: readonly SliceEntry[];
  readonly writes: readonly SliceEntry[];
  readonly channel: CompiledExpression | undefined;
  readonly range: SourceRange;
  readonly weight: number;
}

/** An entry of `what` or `into`: a slice with its modifiers (`for`, `let`, `if`). */
export interface SliceEntry {
  readonly slice: WrittenSlice;
  /** Undefined for an entry without modifiers. */
  readonly modifiers: Modifiers | undefined;
}

const bodies = ['step', 'do', 'copy', 'reduce', 'compute'] as const;
const beside: Readonly<Record<(typeof bodies)[number], readonly string[]>> = {
  step: ['rounds'],
  do: [],
  copy: ['what', 'into', 'order', 'channel'],
  reduce: ['what', 'into', 'order', 'channel'],
  compute: ['time', 'reads', 'writes', 'channel'],
};
const allKeys = [...modifierKeys, ...bodies, ...new Set(Object.values(beside).flat())];

/** @throws CccError 'schema' or 'expression' when a statement is not written as the language says */
export function compileStatements(
  node: YamlNode,
  scope: Scope,
  kind: CollectiveKind,
  inStep = false,
): readonly ScheduleStatement[] {
  return itemsOf(node, 'a list of statements').map((item) => compileStatement(item, scope, kind, inStep));
}

function compileStatement(node: YamlNode, outer: Scope, kind: CollectiveKind, inStep: boolean): ScheduleStatement {
  const fields = new DocumentFields(node, 'a statement', allKeys);
  const [name, ...more] = bodies.filter((body) => fields.has(body));
  if (name === undefined) {
    throw new CccError('schema', `a statement needs one of ${bodies.join(', ')}`, firstKey(node));
  }
  if (more.length > 0) {
    const message = `a statement has one of ${bodies.join(', ')}; this one has ${name} and ${more.join(' and ')}`;
    throw new CccError('schema', message, fields.entry(more[0])?.key);
  }
  const misplaced = allKeys.filter((key) => fields.has(key)).find((key) => !belongs(key, name));
  if (misplaced !== undefined) {
    throw new CccError('schema', `'${misplaced}' cannot stand beside ${name}`, fields.entry(misplaced)?.key);
  }
  if (name === 'step' && inStep) throw new CccError('schema', 'a step inside a step', fields.entry('step')?.key);
  if ((name === 'copy' || name === 'reduce' || name === 'compute') && !inStep) {
    throw new CccError('schema', `${name} must stand inside a step: [ … ]`, fields.entry(name)?.key);
  }
  const modifiers = compileModifiers(fields, outer);
  return { modifiers, body: compileBody(name, fields, modifiers.scope, kind, inStep) };
}

function belongs(key: string, body: (typeof bodies)[number]): boolean {
  return key === body || modifierKeys.some((modifier) => modifier === key) || beside[body].includes(key);
}

function firstKey(node: YamlNode): SourceRange {
  return (node.kind === 'mapping' ? node.entries.values().next().value?.key : undefined) ?? node.range;
}

function compileBody(
  name: (typeof bodies)[number],
  fields: DocumentFields,
  scope: Scope,
  kind: CollectiveKind,
  inStep: boolean,
): Body {
  switch (name) {
    case 'step': {
      const rounds = fields.get('rounds');
      const statements = compileStatements(fields.require('step'), scope, kind, true);
      return { kind: 'step', statements, rounds: rounds && compileWhole(rounds, scope) };
    }
    case 'do':
      return { kind: 'do', statements: compileStatements(fields.require('do'), scope, kind, inStep) };
    case 'copy':
    case 'reduce':
      return compileTransfer(name, fields, scope, kind);
    case 'compute':
      return compileCompute(fields, scope, kind);
  }
}

/** The units of time, in nanoseconds. */
const units: Readonly<Record<string, number>> = { ns: 1, us: 1e3, '\u00b5s': 1e3, ms: 1e6, s: 1e9 };

function compileCompute(fields: DocumentFields, scope: Scope, kind: CollectiveKind): ComputeBody {
  const rank = compileWhole(fields.require('compute'), scope, 'a rank');
  const timeNode = scalarOf(fields.require('time'), 'a time such as 20 us');
  const parts = /^(.*[\s\d)])(ns|us|\u00b5s|ms|s)\s*$/.exec(timeNode.text);
  if (parts === null) {
    const message = `expected a time such as 20 us or (2 * i + 1) us, found '${timeNode.text}'`;
    throw new CccError('unit', message, timeNode.range);
  }
  const time = compileWhole({ ...timeNode, text: parts[1].trimEnd() }, scope);
  const [reads = [], writes = []] = (['reads', 'writes'] as const).map((key) => {
    const node = fields.get(key);
    return node && compileSlices(node, scope, kind);
  });
  if (reads.length + writes.length === 0) {
    const message = "compute says what it needs before ('reads') or what nobody may have before it is done ('writes')";
    throw new CccError('schema', message, fields.entry('compute')?.key);
  }
  const channelNode = fields.get('channel');
  const channel = channelNode && compileWhole(channelNode, scope);
  const slices = [...reads, ...writes].filter((entry) => entry.modifiers === undefined);
  const weight = slices.reduce((sum, { slice }) => sum + slice.weight, rank.weight + time.weight);
  const range = fields.rangeOf('compute');
  return { kind: 'compute', rank, time, unit: units[parts[2]], reads, writes, channel, range, weight };
}

function compileTransfer(
  operation: TransferKind,
  fields: DocumentFields,
  scope: Scope,
  kind: CollectiveKind,
): TransferBody {
  const tokens = new TokenStream(scalarOf(fields.require(operation), 'two ranks, such as r -> r + 1'));
  const source = compileExpression(tokens, scope);
  tokens.expect('->');
  const destination = compileExpression(tokens, scope);
  tokens.expectEnd();
  const what = compileSlices(fields.require('what'), scope, kind);
  const intoNode = fields.get('into');
  const into = intoNode && compileSlices(intoNode, scope, kind);
  const order = orderOf(operation, fields);
  const channelNode = fields.get('channel');
  const channel = channelNode && compileWhole(channelNode, scope);
  const slices = [...what, ...(into ?? [])].filter((entry) => entry.modifiers === undefined);
  const weight = slices.reduce(
    (sum, { slice }) => sum + slice.weight,
    source.weight + destination.weight + (channel?.weight ?? 0),
  );
  const intoRange = intoNode?.range ?? fields.require('what').range;
  const range = fields.rangeOf(operation);
  return { kind: 'transfer', operation, source, destination, what, into, intoRange, order, channel, range, weight };
}

function orderOf(operation: TransferKind, fields: DocumentFields): OperandOrder {
  const node = fields.get('order');
  if (node === undefined) return 'held-first';
  if (operation === 'copy') throw new CccError('schema', "'order' is for reduce only", fields.entry('order')?.key);
  return wordOf(node, ['held-first', 'received-first'], 'an order of operands');
}

function compileSlices(node: YamlNode, scope: Scope, kind: CollectiveKind): readonly SliceEntry[] {
  const nodes = node.kind === 'sequence' ? node.items : [node];
  return nodes.map((item) => {
    if (item.kind !== 'mapping') return { slice: compileSlice(item, scope, kind), modifiers: undefined };
    const fields = new DocumentFields(item, 'a list entry', [...modifierKeys, 'slice']);
    const modifiers = compileModifiers(fields, scope);
    return { slice: compileSlice(fields.require('slice'), modifiers.scope, kind), modifiers };
  });
}

/** Reads schedule files: the fields at their head, and their body (steps, or other schedules from which they are made). */
import { type CollectiveKind, collectiveKinds } from '../../ir/collective.ts';
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import {
  type CompiledExpression,
  compileLets,
  compileWhole,
  type Let,
  Scope,
  standardFunctions,
} from '../expression/index.ts';
import {
  checkFormat,
  DocumentFields,
  flagOf,
  itemsOf,
  namedEntries,
  optionalText,
  scalarOf,
  textOf,
  wordOf,
} from '../fields.ts';
import { readYaml } from '../kept-yaml.ts';
import type { ReadOptions } from '../options.ts';
import type { YamlNode } from '../yaml.ts';
import { type CustomDefinition, compileCustom } from './custom.ts';
import { compileStatements, type ScheduleStatement } from './statements.ts';

/** A schedule file, parsed and checked, to be instantiated for any number of ranks that it allows. */
export interface ScheduleFile {
  readonly name: string;
  readonly about: string;
  /** The publication of the algorithm. */
  readonly source: string | undefined;
  /** Other names of the algorithm. */
  readonly aliases: readonly string[];
  readonly collective: CollectiveKind;
  /** N, if the file is written for one number of ranks. */
  readonly fixedRanks: number | undefined;
  /** The only root for which it works; undefined if it works for any. */
  readonly fixedRoot: number | undefined;
  /** Whether reductions keep the order of ranks (`any` operator), or need one that commutes; undefined if the file does not say. */
  readonly operator: 'any' | 'commutative' | undefined;
  readonly ring: boolean;
  readonly prune: boolean;
  readonly parameters: readonly ScheduleParameter[];
  readonly body: ScheduleBody;
  /** The source text of the file. */
  readonly text: SourceText;
  /** The compiled expressions of its head, for use inside `src/read`. */
  readonly head: ScheduleHead;
}

/** A parameter of a schedule, which `--set` can set. */
export interface ScheduleParameter {
  readonly name: string;
  readonly about: string;
}

export type ScheduleBody =
  | { readonly kind: 'steps'; readonly program: ScheduleProgram }
  /** Another schedule with its transfers reversed. */
  | { readonly kind: 'reverse'; readonly schedule: string; readonly range: SourceRange }
  /** Other schedules, executed one after the other. */
  | { readonly kind: 'compose'; readonly schedules: readonly string[]; readonly range: SourceRange };

export interface ScheduleProgram {
  readonly lets: readonly Let[];
  /** Numbers that the schedule states about itself, by name. */
  readonly figures: readonly (readonly [string, CompiledExpression])[];
  readonly scratch: CompiledExpression | undefined;
  /** Whether messages take turns at ports, in the order of the steps. */
  readonly turns: CompiledExpression | boolean;
  readonly custom: CustomDefinition | undefined;
  readonly statements: readonly ScheduleStatement[];
}

/** The slots and expressions that are evaluated before a schedule is expanded. */
export interface ScheduleHead {
  readonly ranksSlot: number;
  readonly rootSlot: number;
  readonly chunksSlot: number;
  /** The condition on N, root and the parameters. */
  readonly ranks: CompiledExpression | undefined;
  readonly defaults: readonly { readonly name: string; readonly slot: number; readonly value: CompiledExpression }[];
  readonly chunks: CompiledExpression | undefined;
}

const bodies = ['steps', 'reverse', 'compose'] as const;
const ofSteps = ['ranks', 'chunks', 'root', 'scratch', 'parameters', 'let', 'figures', 'turns'] as const;
const keys = [
  ...['format', 'version', 'name', 'about', 'source', 'aliases', 'collective', 'operator', 'ring', 'prune'],
  ...ofSteps,
  ...bodies,
];

/**
 * Reads a schedule file.
 * @throws CccError 'syntax', 'schema' or 'expression' with the place, when it is not one
 */
export function parseScheduleFile(source: SourceText, options: ReadOptions = {}): ScheduleFile {
  const node = readYaml(source, options.limits);
  checkFormat(node, 'ccc-schedule');
  const fields = new DocumentFields(node, 'a schedule file', keys);
  const collective = collectiveOf(fields.require('collective'));
  const scope = new Scope(standardFunctions);
  const head = compileHead(fields, scope);
  return {
    name: nameOf(fields.require('name')),
    about: optionalText(fields.get('about')) ?? '',
    source: optionalText(fields.get('source')),
    aliases: namesOf(fields.get('aliases')),
    collective,
    ...fixedRanks(fields),
    fixedRoot: rootOf(fields.get('root')),
    operator: operatorOf(fields.get('operator')),
    ring: flagOf(fields.get('ring')),
    prune: flagOf(fields.get('prune')),
    parameters: parametersOf(fields.get('parameters')),
    body: compileBody(fields, collective, scope),
    text: source,
    head,
  };
}

/** Whether a text seems to be a schedule file, without reading all of it. */
export function isScheduleText(source: SourceText): boolean {
  return /^format\s*:\s*["']?ccc-schedule\b/m.test(source.text);
}

function nameOf(node: YamlNode): string {
  const name = textOf(node, 'a name');
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return name;
  throw new CccError(
    'schema',
    `a name has lower-case letters, digits and hyphens, as in ring-allgather; not '${name}'`,
    node.range,
  );
}

function namesOf(node: YamlNode | undefined): readonly string[] {
  return node === undefined ? [] : itemsOf(node, 'a list of names').map((item) => textOf(item, 'a name'));
}

function collectiveOf(node: YamlNode): CollectiveKind {
  if (node.kind !== 'mapping') {
    const kind = wordOf(node, collectiveKinds, 'a collective');
    if (kind !== 'custom') return kind;
    throw new CccError('schema', 'a custom collective is a mapping with kind, input, output and results', node.range);
  }
  const kind = node.entries.get('kind')?.value ?? node;
  if (kind.kind === 'scalar' && kind.text === 'custom') return 'custom';
  throw new CccError('schema', "expected a collective's name, or a mapping with kind: custom", kind.range);
}

/** Declares N, root, the parameters and C in this order, so that each can only use those before it. */
function compileHead(fields: DocumentFields, scope: Scope): ScheduleHead {
  const ranksSlot = scope.declare('N', undefined);
  const rootSlot = scope.declare('root', undefined);
  const parameters = fields.get('parameters');
  const entries = parameters === undefined ? [] : namedEntries(parameters, 'names with { default, about }');
  const defaults = entries.map(([name, { key, value: node }]) => {
    const parameter = new DocumentFields(node, 'a parameter', ['default', 'about']);
    const value = compileWhole(parameter.require('default'), scope);
    return { name, slot: scope.declare(name, key), value };
  });
  const ranksNode = fields.get('ranks');
  const ranks = ranksNode && compileWhole(ranksNode, scope, 'a number of ranks or a condition on N');
  const chunksNode = fields.get('chunks');
  const chunks = chunksNode && compileWhole(chunksNode, scope);
  return { ranksSlot, rootSlot, chunksSlot: scope.declare('C', undefined), ranks, defaults, chunks };
}

function fixedRanks(fields: DocumentFields): { readonly fixedRanks: number | undefined } {
  const node = fields.get('ranks');
  if (node?.kind !== 'scalar' || !/^-?\d+$/.test(node.text)) return { fixedRanks: undefined };
  const ranks = Number(node.text);
  if (ranks >= 1) return { fixedRanks: ranks };
  throw new CccError('range', 'there must be at least one rank', node.range);
}

function rootOf(node: YamlNode | undefined): number | undefined {
  if (node === undefined) return undefined;
  const { text } = scalarOf(node, 'any or a rank');
  if (text === 'any') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CccError('schema', `expected any or a rank, found '${text}'`, node.range);
}

function operatorOf(node: YamlNode | undefined): 'any' | 'commutative' | undefined {
  return node && wordOf(node, ['any', 'commutative'] as const, 'a kind of operator');
}

function parametersOf(node: YamlNode | undefined): readonly ScheduleParameter[] {
  const entries = node === undefined ? [] : namedEntries(node, 'names with { default, about }');
  return entries.map(([name, { value }]) => {
    const fields = new DocumentFields(value, 'a parameter', ['default', 'about']);
    return { name, about: optionalText(fields.get('about')) ?? '' };
  });
}

function compileBody(fields: DocumentFields, collective: CollectiveKind, scope: Scope): ScheduleBody {
  const [kind, ...more] = bodies.filter((body) => fields.has(body));
  if (kind === undefined || more.length > 0) {
    const found = kind === undefined ? 'has none of them' : `has ${kind} and ${more.join(' and ')}`;
    const place = kind === undefined ? fields.entry('name') : fields.entry(more[0]);
    throw new CccError('schema', `a schedule file has one of ${bodies.join(', ')}; this one ${found}`, place?.key);
  }
  if (kind === 'steps') return { kind, program: compileProgram(fields, collective, scope) };
  // `root` and `ranks` narrow what the parts allow; other fields would have no effect and are refused.
  for (const key of ['chunks', 'scratch', 'parameters', 'let', 'figures', 'turns']) {
    if (fields.has(key)) throw new CccError('schema', `'${key}' has no effect beside ${kind}`, fields.entry(key)?.key);
  }
  const node = fields.require(kind);
  const range = fields.rangeOf(kind);
  if (kind === 'reverse') return { kind, schedule: textOf(node, 'the name of a schedule'), range };
  const schedules = namesOf(node);
  if (schedules.length === 0) throw new CccError('schema', 'compose needs at least one schedule', node.range);
  return { kind, schedules, range };
}

/** A flag, or a condition on N, root and the parameters. */
function turnsOf(node: YamlNode | undefined, scope: Scope): CompiledExpression | boolean {
  const isFlag = node === undefined || (node.kind === 'scalar' && /^(true|false)$/.test(node.text));
  return isFlag ? flagOf(node) : compileWhole(node, scope);
}

function compileProgram(fields: DocumentFields, collective: CollectiveKind, scope: Scope): ScheduleProgram {
  const lets = compileLets(fields.get('let'), scope);
  const scratch = fields.get('scratch');
  const figures = fields.get('figures');
  const named = figures === undefined ? [] : namedEntries(figures, 'names with an expression');
  return {
    lets,
    figures: named.map(([name, { value }]) => [name, compileWhole(value, scope)] as const),
    scratch: scratch && compileWhole(scratch, scope),
    turns: turnsOf(fields.get('turns'), scope),
    custom: collective === 'custom' ? compileCustom(fields.require('collective'), scope) : undefined,
    statements: compileStatements(fields.require('steps'), scope, collective),
  };
}

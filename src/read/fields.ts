/** Access to the fields of YAML mappings, with errors for unknown, missing and mistyped ones. */
import { CccError, type SourceRange } from '../ir/diagnostic.ts';
import { nearestNames } from './nearest.ts';
import { describeNode, isNothing, type YamlEntry, type YamlMapping, type YamlNode, type YamlScalar } from './yaml.ts';

export class DocumentFields {
  readonly range: SourceRange;
  private readonly mapping: YamlMapping;
  /** The name of the mapping in messages: `a step`. */
  private readonly what: string;

  /** @throws CccError 'schema' when the node is not a mapping, or has a key that is not among `known` */
  constructor(node: YamlNode, what: string, known: readonly string[]) {
    if (node.kind !== 'mapping') {
      throw new CccError('schema', `expected ${what} (a mapping), found ${describeNode(node)}`, node.range);
    }
    this.mapping = node;
    this.range = node.range;
    this.what = what;
    for (const [name, { key }] of node.entries) {
      if (!known.includes(name)) {
        throw new CccError('schema', `${what} has no '${name}'; ${nearestNames(name, known)}`, key);
      }
    }
  }

  has(name: string): boolean {
    return this.mapping.entries.has(name);
  }

  /** The value of a field; undefined if it is left out. */
  get(name: string): YamlNode | undefined {
    return this.mapping.entries.get(name)?.value;
  }

  /** The key and value of a field that may be left out. */
  entry(name: string): YamlEntry | undefined {
    return this.mapping.entries.get(name);
  }

  /** The value of a field. @throws CccError 'schema' if it is missing */
  require(name: string): YamlNode {
    const value = this.get(name);
    if (value === undefined) throw new CccError('schema', `${this.what} needs '${name}'`, this.firstLine());
    return value;
  }

  /** The range of a field from its key to the end of its value; that of the whole mapping if it is left out. */
  rangeOf(name: string): SourceRange {
    const entry = this.mapping.entries.get(name);
    return entry === undefined ? this.range : { ...entry.key, end: Math.max(entry.key.end, entry.value.range.end) };
  }

  /** Where the mapping starts: its first key. */
  private firstLine(): SourceRange {
    return this.mapping.entries.values().next().value?.key ?? this.range;
  }
}

/** @throws CccError 'schema' when it is a list, a mapping or nothing */
export function scalarOf(node: YamlNode, expected: string): YamlScalar {
  if (node.kind !== 'scalar' || isNothing(node)) {
    throw new CccError('schema', `expected ${expected}, found ${describeNode(node)}`, node.range);
  }
  return node;
}

/** @throws CccError 'schema' when it is a list, a mapping or nothing */
export function textOf(node: YamlNode, expected = 'a text'): string {
  return scalarOf(node, expected).text;
}

/** The text of a field that may be left out. */
export function optionalText(node: YamlNode | undefined): string | undefined {
  return node === undefined ? undefined : textOf(node);
}

/** @throws CccError 'schema' when it is not `true` or `false`; a field that is left out is false */
export function flagOf(node: YamlNode | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === 'scalar' && node.plain && (node.text === 'true' || node.text === 'false'))
    return node.text === 'true';
  throw new CccError('schema', `expected true or false, found ${describeNode(node)}`, node.range);
}

/** @throws CccError 'schema' when it is not a list */
export function itemsOf(node: YamlNode, expected: string): readonly YamlNode[] {
  if (node.kind !== 'sequence') {
    throw new CccError('schema', `expected ${expected}, found ${describeNode(node)}`, node.range);
  }
  return node.items;
}

/** @throws CccError 'schema' when it is not one of the words */
export function wordOf<Word extends string>(node: YamlNode, words: readonly Word[], what: string): Word {
  const text = textOf(node, what);
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw new CccError('schema', `'${text}' is not ${what}; ${nearestNames(text, words)}`, node.range);
}

/** Entries of a mapping from names to anything, such as `let` and `parameters`. */
export function namedEntries(node: YamlNode, expected: string): readonly (readonly [string, YamlEntry])[] {
  if (node.kind !== 'mapping') {
    throw new CccError('schema', `expected ${expected}, found ${describeNode(node)}`, node.range);
  }
  return [...node.entries];
}

/**
 * Reads `format` and `version`, which every file of ccc starts with.
 * @throws CccError 'schema' when the file is of another kind or of a version that is not known
 */
export function checkFormat(node: YamlNode, format: string): void {
  const entry = node.kind === 'mapping' ? node.entries.get('format') : undefined;
  const found = entry?.value;
  if (found?.kind !== 'scalar' || found.text !== format) {
    const said = found === undefined ? '' : `, found ${describeNode(found)}`;
    throw new CccError('schema', `expected a file with format: ${format}${said}`, found?.range ?? startOf(node));
  }
  const version = node.kind === 'mapping' ? node.entries.get('version')?.value : undefined;
  if (version?.kind !== 'scalar' || version.text !== '1') {
    const said = version === undefined ? 'none' : describeNode(version);
    throw new CccError(
      'schema',
      `expected version: 1, the only one there is so far; found ${said}`,
      version?.range ?? entry?.key,
    );
  }
}

function startOf(node: YamlNode): SourceRange {
  if (node.kind !== 'mapping') return node.range;
  return node.entries.values().next().value?.key ?? node.range;
}

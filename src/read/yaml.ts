/**
 * Parses YAML into a tree whose nodes have their places in the file. Only the subset that ccc's languages need is accepted: one document, no
 * aliases (the languages have `let` and `for`), no tags, and keys that are texts and occur once.
 */
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node as YamlLibraryNode } from 'yaml';
import { CccError, type SourceRange, type SourceText } from '../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';
import { readable } from './limits.ts';

/** A scalar as text, as it is written if it has no quotes: readers that expect numbers or booleans convert it. */
export interface YamlScalar {
  readonly kind: 'scalar';
  readonly text: string;
  /** Whether it is written without quotes: only then `true` is a boolean, and an empty text means that there is no value. */
  readonly plain: boolean;
  readonly range: SourceRange;
}

export interface YamlSequence {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
  readonly range: SourceRange;
}

export interface YamlMapping {
  readonly kind: 'mapping';
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly range: SourceRange;
}

export interface YamlEntry {
  readonly key: SourceRange;
  readonly value: YamlNode;
}

export type YamlNode = YamlScalar | YamlSequence | YamlMapping;

/** @throws CccError 'syntax' for text that is not one YAML document, 'limit' when it is too large or nested too deeply */
export function parseYaml(source: SourceText, limits: Limits = defaultLimits): YamlNode {
  const most = Math.floor(limits.fileBytes / readable.yamlShare);
  if (source.text.length > most) {
    const message = `${source.name} is longer than the ${most} characters that YAML may have: the limit fileBytes / ${readable.yamlShare}`;
    throw new CccError('limit', message);
  }
  // uniqueKeys: the library would compare all pairs of keys; `mappingFrom` checks for duplicates with a map.
  const document = parseDocument(source.text, { prettyErrors: false, uniqueKeys: false, version: '1.2' });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const [start, end] = problem.pos;
    throw new CccError('syntax', `not valid YAML: ${explained(problem.code, problem.message)}`, { source, start, end });
  }
  if (document.contents === null) throw new CccError('syntax', 'the file is empty', { source, start: 0, end: 0 });
  return nodeFrom(document.contents, source, 0);
}

function explained(code: string, message: string): string {
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return `${message} (a text with ': ' in it, such as a ? b : c, needs quotes)`;
    case 'RESOURCE_EXHAUSTION':
      return 'nested too deeply';
    case 'MULTIPLE_DOCS':
      return 'there is more than one document in the file';
    default:
      return message;
  }
}

function nodeFrom(node: YamlLibraryNode, source: SourceText, depth: number): YamlNode {
  const range = rangeOf(node, source);
  if (depth > readable.depth) throw new CccError('limit', `nested more than ${readable.depth} levels deep`, range);
  if (isAlias(node))
    throw new CccError('syntax', 'aliases (*name) cannot be used here; write it out, or use let', range);
  if (node.tag !== undefined) throw new CccError('syntax', 'tags (!name) cannot be used here', range);
  if (isScalar(node)) {
    const plain = node.type === 'PLAIN';
    return { kind: 'scalar', text: plain ? (node.source ?? '') : String(node.value), plain, range };
  }
  if (isSeq<YamlLibraryNode>(node)) {
    return { kind: 'sequence', items: node.items.map((item) => nodeFrom(item, source, depth + 1)), range };
  }
  if (isMap<YamlLibraryNode, YamlLibraryNode | null>(node)) {
    const entries = new Map<string, YamlEntry>();
    for (const { key, value } of node.items) {
      const name = nodeFrom(key, source, depth + 1);
      if (name.kind !== 'scalar') throw new CccError('syntax', 'a key must be a text', name.range);
      if (entries.has(name.text)) throw new CccError('syntax', `the key '${name.text}' is there twice`, name.range);
      const nothing = { kind: 'scalar', text: '', plain: true, range: name.range } as const;
      entries.set(name.text, { key: name.range, value: value === null ? nothing : nodeFrom(value, source, depth + 1) });
    }
    return { kind: 'mapping', entries, range };
  }
  throw new CccError('syntax', 'expected a text, a list or a mapping', range);
}

/** The place of a node. Trailing empty lines of lists and mappings do not count. */
function rangeOf(node: YamlLibraryNode, source: SourceText): SourceRange {
  const [start, end] = node.range ?? [0, 0];
  if (isScalar(node)) return { source, start, end };
  return { source, start, end: start + source.text.slice(start, end).trimEnd().length };
}

/** Whether a node has no value: an empty text, or one of the words that mean null in YAML 1.2, without quotes. */
export function isNothing(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.plain && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** A node in the words of a message: `a list`, or its text in quotes. */
export function describeNode(node: YamlNode): string {
  if (node.kind === 'sequence') return 'a list';
  if (node.kind === 'mapping') return 'a mapping';
  if (isNothing(node) || node.text === '') return 'nothing';
  return `'${node.text.length > 40 ? `${node.text.slice(0, 40)}…` : node.text}'`;
}

/**
 * The place in the file of the characters `start` to `end` of a scalar's text. Texts in quotes or on several lines are matched character by
 * character with the file; for texts with escapes the result is the place of the whole scalar.
 */
export function rangeWithin(scalar: YamlScalar, start: number, end: number): SourceRange {
  const { source } = scalar.range;
  const raw = source.text.slice(scalar.range.start, scalar.range.end);
  if (raw === scalar.text) return shifted(scalar.range, start, end);
  if (raw.slice(1, -1) === scalar.text) return shifted(scalar.range, start + 1, end + 1);
  const places = rawPlaces(raw, scalar.text);
  if (places === undefined) return scalar.range;
  const first = places[Math.min(start, places.length - 1)] ?? 0;
  return shifted(scalar.range, first, end > start ? places[end - 1] + 1 : first);
}

function shifted(range: SourceRange, start: number, end: number): SourceRange {
  return { source: range.source, start: range.start + start, end: range.start + end };
}

/** By character of a scalar's text: its offset in the raw text; undefined if they differ by more than white space. */
function rawPlaces(raw: string, text: string): readonly number[] | undefined {
  const places: number[] = [];
  let at = raw.startsWith('|') || raw.startsWith('>') ? raw.indexOf('\n') + 1 : 0;
  if (raw.startsWith('"') || raw.startsWith("'")) at = 1;
  for (const character of text) {
    if (character.trim() === '') {
      places.push(Math.min(at, raw.length));
      continue;
    }
    while (at < raw.length && raw[at].trim() === '') at++;
    if (raw[at] !== character) return undefined;
    places.push(at++);
  }
  return places;
}

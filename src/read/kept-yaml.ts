/**
 * Syntax trees of the shipped YAML files, which the build keeps as JSON (scripts/bundle.mjs): a compile reads a dozen schedules, and parsing
 * YAML takes far longer than parsing JSON. A kept tree is used only if the file still has the text from which it was made, so that shipped
 * files can be changed without building ccc again.
 */
import { host } from '../host/host.ts';
import type { SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { shippedFiles } from './shipped.ts';
import { parseYaml, type YamlEntry, type YamlNode } from './yaml.ts';

/** A node of a tree; it stands in the text from character `start` up to `end`. */
type KeptNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'scalar'; readonly text: string; readonly plain: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly KeptNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly KeptEntry[] }
);

/** An entry of a mapping: a key, its place, and its value. */
type KeptEntry = readonly [name: string, start: number, end: number, value: KeptNode];

interface KeptFile {
  /** The text from which the tree was made. */
  readonly text: string;
  readonly tree: KeptNode;
}

/** Parses a YAML text as `parseYaml` does, or takes the kept tree if the text is that of a shipped file. */
export function readYaml(source: SourceText, limits?: Limits): YamlNode {
  return keptTree(source) ?? parseYaml(source, limits);
}

/** The JSON files with the trees of all shipped files: their texts by their paths in dist/kept. */
export function shippedTrees(): ReadonlyMap<string, string> {
  return new Map(shippedFiles().map((source) => [`${source.name}.json`, storedYamlText(source)]));
}

/** Serialises the tree of a source as JSON, from which `treeOf` restores it. */
export function storedYamlText(source: SourceText): string {
  const kept: KeptFile = { text: source.text, tree: keptNode(parseYaml(source)) };
  return JSON.stringify(kept);
}

/** Restores a kept tree; undefined if it was made from another text. */
export function storedYamlTree(kept: string, source: SourceText): YamlNode | undefined {
  const { text, tree }: KeptFile = JSON.parse(kept);
  return text === source.text ? nodeOf(tree, source) : undefined;
}

function keptTree(source: SourceText): YamlNode | undefined {
  if (!/^(?:schedules|topologies|hardware)\/[\w-]+\.yaml$/.test(source.name)) return undefined;
  const kept = host().shippedTree(source.name);
  return kept === undefined ? undefined : storedYamlTree(kept, source);
}

function keptNode(node: YamlNode): KeptNode {
  const { start, end } = node.range;
  switch (node.kind) {
    case 'scalar':
      return { kind: node.kind, start, end, text: node.text, plain: node.plain };
    case 'sequence':
      return { kind: node.kind, start, end, items: node.items.map(keptNode) };
    case 'mapping': {
      const entries = [...node.entries].map(
        ([name, { key, value }]): KeptEntry => [name, key.start, key.end, keptNode(value)],
      );
      return { kind: node.kind, start, end, entries };
    }
  }
}

function nodeOf(node: KeptNode, source: SourceText): YamlNode {
  const range = { source, start: node.start, end: node.end };
  switch (node.kind) {
    case 'scalar':
      return { kind: node.kind, text: node.text, plain: node.plain, range };
    case 'sequence':
      return { kind: node.kind, items: node.items.map((item) => nodeOf(item, source)), range };
    case 'mapping': {
      const entries = node.entries.map(([name, start, end, value]): [string, YamlEntry] => [
        name,
        { key: { source, start, end }, value: nodeOf(value, source) },
      ]);
      return { kind: node.kind, entries: new Map(entries), range };
    }
  }
}

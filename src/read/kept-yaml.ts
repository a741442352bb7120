/**
 * The trees of the YAML files that are shipped, kept as JSON when ccc is built (scripts/bundle.mjs): a compile asks for a dozen schedules, and
 * parsing them takes more time than reading their trees by far. A tree counts for the very text that it was made of, so that whoever changes a
 * shipped file need not build ccc again.
 */
import { host } from '../host/host.ts';
import type { SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { shippedFiles } from './shipped.ts';
import { parseYaml, type YamlEntry, type YamlNode } from './yaml.ts';

/** A node with its place, from character `start` up to `end`. */
type KeptNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'scalar'; readonly text: string; readonly plain: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly KeptNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly KeptEntry[] }
);

/** A key, where it stands, and its value. */
type KeptEntry = readonly [name: string, start: number, end: number, value: KeptNode];

interface KeptFile {
  /** What the tree was made of. */
  readonly text: string;
  readonly tree: KeptNode;
}

/** What `parseYaml` makes of a text, from the tree that was kept if it is that of a shipped file. */
export function readYaml(source: SourceText, limits?: Limits): YamlNode {
  return keptTree(source) ?? parseYaml(source, limits);
}

/** What is to be kept of all shipped files: the texts of JSON files by their paths in dist/kept. */
export function shippedTrees(): ReadonlyMap<string, string> {
  return new Map(shippedFiles().map((source) => [`${source.name}.json`, storedYamlText(source)]));
}

/** The JSON from which `treeOf` makes the tree of a source again. */
export function storedYamlText(source: SourceText): string {
  const kept: KeptFile = { text: source.text, tree: keptNode(parseYaml(source)) };
  return JSON.stringify(kept);
}

/** The tree that was kept, if it is of this text. */
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

/** Resolves texts of users to nodes and links of a topology: by rank, by kind and number, or by name. */
import { CccError } from '../../ir/diagnostic.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { nearestNames } from '../nearest.ts';

/** A reference to a node: a chip by its rank, any node by its name (`NIC 0`) or by its kind and number (`switch 2`). */
export type NodeReference = number | string;

/** The node of the chip with that rank. @throws CccError 'topology' */
export function chipOf(topology: Topology, rank: number): number {
  if (Number.isInteger(rank) && rank >= 0 && rank < ranksOf(topology)) return topology.chips[rank];
  throw new CccError('topology', `${topology.name} has no chip ${rank}: there are 0 … ${ranksOf(topology) - 1}`);
}

/** The node to which a text refers. @throws CccError 'topology' if there is none, or several have the name */
export function nodeOf(topology: Topology, reference: NodeReference): number {
  if (typeof reference === 'number') return chipOf(topology, reference);
  const found = named(topology, reference);
  if (found.length === 1) return found[0];
  const { nodes, name } = topology;
  if (found.length > 1) {
    const message = `${name} has ${found.length} nodes called ${nodes[found[0]].name}: say which by its kind and number, such as switch:0`;
    throw new CccError('topology', message);
  }
  const rank = /^\s*chip[\s:]*(\d{1,9})\s*$/i.exec(reference);
  if (rank !== null) return chipOf(topology, Number(rank[1]));
  const onlyChips = nodes.every(({ kind }) => kind === 'chip') && /^\s*(?:switch|host)/i.test(reference);
  const choices = onlyChips
    ? 'it has only chips'
    : nearestNames(reference, [...new Set(nodes.map((node) => node.name))]);
  throw new CccError('topology', `${name} has no ${reference}; ${choices}`);
}

/** The nodes to which a text may refer: those with exactly that name, else those whose name differs in case and spaces only, else by kind and number. */
function named({ nodes, chips }: Topology, reference: string): readonly number[] {
  const matching = (is: (name: string) => boolean): number[] =>
    nodes.flatMap(({ name }, node) => (is(name) ? [node] : []));
  const exactly = matching((name) => name === reference.trim());
  if (exactly.length > 0) return exactly;
  const plain = plainName(reference);
  const nearly = matching((name) => plainName(name) === plain);
  const [, kind, number] = /^(chip|switch|host) (\d{1,9})$/.exec(plain) ?? [];
  if (nearly.length > 0 || kind === undefined) return nearly;
  const ofKind = kind === 'chip' ? chips : nodes.flatMap((node, index) => (node.kind === kind ? [index] : []));
  const node = ofKind[Number(number)];
  return node === undefined ? [] : [node];
}

/** Normalises a name: `NIC:0`, `nic0` and `NIC 0` are the same. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s:]+/g, ' ')
    .replace(/([^\W\d])(?=\d)/g, '$1 ');
}

/**
 * Resolves a pair such as `0-1`, `0-switch2` or `gpu 0.1-NIC 0` to two nodes. Names may contain a `-` themselves.
 * @throws CccError 'usage' if the text is not a pair, 'topology' if there are no such nodes
 */
export function endsOf(topology: Topology, text: string): readonly [NodeReference, NodeReference] {
  const pairs = [...text.matchAll(/-/g)].map(({ index }): [string, string] => [
    text.slice(0, index).trim(),
    text.slice(index + 1).trim(),
  ]);
  const whole = pairs.filter(([a, b]) => a !== '' && b !== '');
  if (whole.length === 0) {
    throw new CccError('usage', `expected the two ends of a link, such as link:0-1 or link:0-switch2, found '${text}'`);
  }
  const known = whole.filter((pair) => pair.every((end) => /^\d{1,9}$/.test(end) || named(topology, end).length > 0));
  if (known.length > 1) throw new CccError('topology', `link:${text} may mean several links of ${topology.name}`);
  const [a, b] = (known[0] ?? whole[0]).map((end) => (/^\d{1,9}$/.test(end) ? Number(end) : end));
  return [a, b];
}

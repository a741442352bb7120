/**
 * Finds translations of a machine: an abelian group that maps any chip to any other and links to links of the same
 * kind. What one rank does in a schedule, all others can then do, shifted.
 */
import type { Link, Node, Topology } from '../../ir/topology.ts';
import { shapesOf, TranslationGroup } from '../../ir/translation-group.ts';
import { maxCapacityRatio, maxShapes, relativeTolerance } from '../limits.ts';
import type { TreeGenerator } from './out-tree.ts';

/** A machine that looks the same from each of its chips. */
export interface SymmetricMachine {
  readonly group: TranslationGroup;
  /** The links of every chip: those of rank r lead to ranks r ⊕ offset. */
  readonly generators: readonly LinkGenerator[];
  /** Messages that a chip can send, and receive, at once. */
  readonly ports: number;
}

/** A kind of link that every chip has; units are proportional to bandwidths. */
export interface LinkGenerator extends TreeGenerator {
  readonly link: Link;
}

/** A link, and the rank it leads to. */
interface RankLink {
  readonly to: number;
  readonly link: Link;
}

export type SymmetryResult =
  | { readonly found: true; readonly machine: SymmetricMachine }
  | { readonly found: false; readonly reason: string };

/** Tries the declared shape first, then the other factorisations of N into extents. */
export function findSymmetry(topology: Topology): SymmetryResult {
  const { chips, shape } = topology;
  if (chips.length < 2) return { found: false, reason: 'the machine has only one chip' };
  const [first, ...others] = chips.map((chip) => topology.nodes[chip]);
  if (!others.every((node) => alike(node, first))) return { found: false, reason: 'the chips are not all alike' };
  const ports = Math.min(first.ports.send, first.ports.receive);
  if (topology.nodes.length > chips.length) return { found: false, reason: 'the machine has switches or hosts' };
  const leaving = linksByRank(topology);
  for (const extents of [...(shape === undefined ? [] : [shape]), ...shapesOf(chips.length, maxShapes)]) {
    const group = new TranslationGroup(extents);
    const generators = generatorsOn(group, leaving);
    if (generators !== undefined) return { found: true, machine: { group, generators, ports } };
  }
  return { found: false, reason: 'the links do not look the same from every chip (in any numbering by coordinates)' };
}

/** The same machine with its links reversed. */
export function transposedMachine(machine: SymmetricMachine): SymmetricMachine {
  const { group, generators } = machine;
  return { ...machine, generators: generators.map((each) => ({ ...each, offset: group.negate(each.offset) })) };
}

function alike(a: Node, b: Node): boolean {
  return (
    a.ports.send === b.ports.send &&
    a.ports.receive === b.ports.receive &&
    a.reduce?.throughput === b.reduce?.throughput &&
    a.reduce?.overlap === b.reduce?.overlap &&
    a.copy?.throughput === b.copy?.throughput
  );
}

function sameKind(a: Link, b: Link): boolean {
  return a.latency === b.latency && a.bandwidth === b.bandwidth && a.occupancy === b.occupancy && a.units === b.units;
}

/** The links that leave each rank, if the machine consists of chips only. */
function linksByRank({ nodes, chips, links }: Topology): readonly (readonly RankLink[])[] {
  const rankOf = new Int32Array(nodes.length);
  for (const [rank, chip] of chips.entries()) rankOf[chip] = rank;
  const leaving: RankLink[][] = chips.map(() => []);
  for (const link of links) leaving[rankOf[link.from]].push({ to: rankOf[link.to], link });
  return leaving;
}

/**
 * The links of rank 0 if every rank has the same; parallel links between two ranks count once, since routes use one.
 */
function generatorsOn(
  group: TranslationGroup,
  leaving: readonly (readonly RankLink[])[],
): readonly LinkGenerator[] | undefined {
  const ofOffset = new Map<number, Link>();
  for (const { to, link } of leaving[0]) ofOffset.set(to, ofOffset.get(to) ?? link);
  for (const [rank, links] of leaving.entries()) {
    const back = group.negate(rank);
    const offsets = new Set<number>();
    for (const { to, link } of links) {
      const offset = group.add(to, back);
      const known = ofOffset.get(offset);
      if (known === undefined || !sameKind(known, link)) return undefined;
      offsets.add(offset);
    }
    if (offsets.size !== ofOffset.size) return undefined;
  }
  const links = [...ofOffset].sort(([a], [b]) => a - b);
  const units = unitsOf(links.map(([, link]) => link.bandwidth));
  return links.map(([offset, link], i) => ({ offset, link, units: units[i] }));
}

/** Bandwidths as small integers: within a per cent with as few units as possible, otherwise as close as possible. */
function unitsOf(bandwidths: readonly number[]): number[] {
  const slowest = Math.min(...bandwidths);
  const ratios = bandwidths.map((bandwidth) => bandwidth / slowest);
  const finest = maxCapacityRatio / Math.max(...ratios);
  let best = 1;
  for (let scale = 2; scale <= finest && misfit(ratios, best) > relativeTolerance; scale++) {
    if (misfit(ratios, scale) < misfit(ratios, best)) best = scale;
  }
  return ratios.map((ratio) => Math.max(1, Math.round(ratio * best)));
}

/** Maximum relative deviation of the ratios from multiples of 1 / scale. */
function misfit(ratios: readonly number[], scale: number): number {
  return Math.max(...ratios.map((ratio) => Math.abs(ratio - Math.round(ratio * scale) / scale) / ratio));
}

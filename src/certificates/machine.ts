/** The machine as the checks of certificates see it: shortest paths, capacities and slots, each computed in the plainest way. */

import type { Direction } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import { type Link, type Topology, transpose } from '../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';
import type { Work } from './work.ts';

/** A chip with more ports than this counts as having no limit on messages in flight. */
const mostPorts = 1e6;

export class CheckedMachine {
  readonly topology: Topology;
  /** By rank, the index of its node. */
  readonly chips: readonly number[];
  readonly links: readonly Link[];
  private readonly work: Work;
  /** By node, the indices of the links that leave it (`out`) and enter it (`in`). */
  private readonly at: Readonly<Record<Direction, readonly (readonly number[])[]>>;

  constructor(topology: Topology, work: Work) {
    this.topology = topology;
    this.chips = topology.chips;
    this.links = topology.links;
    this.work = work;
    const [out, into]: [number[][], number[][]] = [topology.nodes.map(() => []), topology.nodes.map(() => [])];
    for (const [index, link] of topology.links.entries()) {
      itemAt(out, link.from).push(index);
      itemAt(into, link.to).push(index);
    }
    this.at = { out, in: into };
  }

  /** The transposed machine, in which every link is reversed: data that come together at a chip here spread from it there. */
  turned(): CheckedMachine {
    return new CheckedMachine(transpose(this.topology), this.work);
  }

  linksAt(node: number, direction: Direction): readonly Link[] {
    return itemAt(this.at[direction], node).map((index) => itemAt(this.links, index));
  }

  /**
   * By node, the shortest distance from the nearest of `nodes` to it (`out`), or from it to the nearest of them (`in`), by the algorithm of Bellman
   * and Ford: nodes that have come nearer are relaxed again until none has.
   * @param weight by link, its length; its latency in seconds if left out
   */
  ways(nodes: readonly number[], direction: Direction = 'out', weight?: readonly number[]): readonly number[] {
    const far = direction === 'out' ? 'to' : 'from';
    const ways = new Array<number>(this.topology.nodes.length).fill(Number.POSITIVE_INFINITY);
    for (const node of nodes) ways[node] = 0;
    let nearer = new Set(nodes);
    while (nearer.size > 0) {
      const changed = new Set<number>();
      for (const node of nearer) {
        this.work.spend(itemAt(this.at[direction], node).length);
        for (const index of itemAt(this.at[direction], node)) {
          const link = itemAt(this.links, index);
          const way = itemAt(ways, node) + (weight === undefined ? link.latency : itemAt(weight, index));
          if (way >= itemAt(ways, link[far])) continue;
          ways[link[far]] = way;
          changed.add(link[far]);
        }
      }
      nearer = changed;
    }
    return ways;
  }

  /** By rank, the min Σα in seconds from the nearest of `ranks` (`out`), or to the nearest of them (`in`). */
  latencies(ranks: readonly number[], direction: Direction = 'out'): readonly Seconds[] {
    const ways = this.ways(
      ranks.map((rank) => itemAt(this.chips, rank)),
      direction,
    );
    return this.chips.map((chip) => itemAt(ways, chip));
  }

  /** The min Σα between any two distinct ranks: no message takes less. */
  nearestPair(): Seconds {
    const nearest = (_: number, rank: number): Seconds =>
      Math.min(...this.latencies([rank]).filter((_, other) => other !== rank));
    return this.chips.map(nearest).reduce((least, latency) => Math.min(least, latency), Number.POSITIVE_INFINITY);
  }

  /** The bandwidth with which a rank's chip can send or receive: that of its fastest links, as many as it has ports. */
  capacity(rank: number, direction: Direction): BytesPerSecond {
    const bandwidths = this.linksAt(itemAt(this.chips, rank), direction).map((link) => link.bandwidth);
    return sumOf(bandwidths.sort((a, b) => b - a).slice(0, this.ports(rank, direction)));
  }

  /**
   * The bandwidths of a rank's slots. A slot carries one message at a time: it is a blocking link, or a port if the chip has fewer ports than links
   * or links that do not block. Undefined if the chip can have any number of messages in flight.
   */
  slots(rank: number, direction: Direction): readonly BytesPerSecond[] | undefined {
    const links = this.linksAt(itemAt(this.chips, rank), direction);
    const bandwidths = links.map((link) => link.bandwidth);
    const ports = this.ports(rank, direction);
    if (bandwidths.length === 0) return undefined;
    if (bandwidths.length <= ports && links.every((link) => link.occupancy === 'blocking')) return bandwidths;
    return ports <= mostPorts ? Array.from({ length: ports }, () => Math.max(...bandwidths)) : undefined;
  }

  /** The slots of all ranks; undefined if one has none. */
  allSlots(direction: Direction): readonly (readonly BytesPerSecond[])[] | undefined {
    const all = this.chips.map((_, rank) => this.slots(rank, direction) ?? []);
    return all.every((slots) => slots.length > 0) ? all : undefined;
  }

  /** The nodes that are connected to `node`, over links in either direction, by paths that avoid the node `without`. */
  partAround(node: number, without: number): ReadonlySet<number> {
    const part = new Set([node]);
    for (const near of part) {
      const next = [
        ...this.linksAt(near, 'out').map(({ to }) => to),
        ...this.linksAt(near, 'in').map(({ from }) => from),
      ];
      for (const other of next) if (other !== without) part.add(other);
    }
    return part;
  }

  private ports(rank: number, direction: Direction): number {
    const { ports } = itemAt(this.topology.nodes, itemAt(this.chips, rank));
    return direction === 'out' ? ports.send : ports.receive;
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * The best routes on grids of chips with identical links: meshes, tori, lines, rings, hypercubes. The distance between two ranks follows from their
 * coordinates, so that a route can be followed back from its end without a search.
 */
import { itemAt } from './indexing.ts';
import type { Link, Topology } from './topology.ts';
import { TranslationGroup } from './translation-group.ts';

/** One axis of a grid of chips. */
export interface GridAxis {
  readonly extent: number;
  /** Difference between the rank numbers of neighbours on the axis. */
  readonly stride: number;
  /** Whether the last position on the axis is a neighbour of the first. */
  readonly wraps: boolean;
}

export class GridRoutes {
  private readonly group: TranslationGroup;
  /** By axis: whether it wraps. */
  private readonly wraps: readonly boolean[];
  private readonly links: readonly Link[];
  /** By rank: the links that lead to it, those from lower ranks first. */
  private readonly into: readonly (readonly number[])[];

  private constructor(group: TranslationGroup, wraps: readonly boolean[], links: readonly Link[]) {
    const into: number[][] = Array.from({ length: group.order }, () => []);
    for (const [index, { to }] of links.entries()) itemAt(into, to).push(index);
    for (const own of into) own.sort((a, b) => itemAt(links, a).from - itemAt(links, b).from || a - b);
    this.group = group;
    this.wraps = wraps;
    this.links = links;
    this.into = into;
  }

  /**
   * The routes of a machine, or undefined if it is no such grid: all links must have the same latency and bandwidth and must join, in both
   * directions, exactly the ranks that are neighbours on some axis.
   */
  static of({ nodes, chips, links, shape }: Topology): GridRoutes | undefined {
    const [first] = links;
    if (first === undefined || nodes.length !== chips.length || chips.some((chip, rank) => chip !== rank))
      return undefined;
    const { latency, bandwidth } = first;
    if (links.some((link) => link.latency !== latency || link.bandwidth !== bandwidth)) return undefined;
    const group = new TranslationGroup(shape ?? shapeFromLinks(links, chips.length));
    if (group.order !== chips.length || !group.shape.every(Number.isInteger)) return undefined;
    const wraps = group.shape.map(() => false);
    const pairs = new Set<number>();
    for (const { from, to } of links) {
      const axis = axisOf(group, from, to);
      if (axis === undefined) return undefined;
      if (Math.abs(from - to) !== group.strides[axis]) wraps[axis] = true;
      pairs.add(from * group.order + to);
    }
    const rows = group.shape.map(
      (extent, axis) => (group.order / extent) * (itemAt(wraps, axis) ? extent : extent - 1),
    );
    const isWhole = pairs.size === 2 * rows.reduce((sum, row) => sum + row, 0);
    return isWhole ? new GridRoutes(group, wraps, links) : undefined;
  }

  /** The axes with more than one position, the slowest first. */
  axes(): readonly GridAxis[] {
    const { shape, strides } = this.group;
    return shape
      .map((extent, axis) => ({ extent, stride: itemAt(strides, axis), wraps: itemAt(this.wraps, axis) }))
      .filter(({ extent }) => extent > 1);
  }

  /** Number of links on the shortest paths between two ranks. */
  distance(from: number, to: number): number {
    const { shape, strides } = this.group;
    let sum = 0;
    let [restFrom, restTo] = [from, to];
    for (let axis = 0; axis < shape.length; axis++) {
      const [a, b] = [Math.floor(restFrom / itemAt(strides, axis)), Math.floor(restTo / itemAt(strides, axis))];
      const along = Math.abs(a - b);
      sum += itemAt(this.wraps, axis) ? Math.min(along, itemAt(shape, axis) - along) : along;
      restFrom -= a * itemAt(strides, axis);
      restTo -= b * itemAt(strides, axis);
    }
    return sum;
  }

  /** The links of the best route: among the shortest paths, the one that, followed back from its end, goes over the lowest rank at each hop. */
  between(from: number, to: number): readonly number[] {
    const route: number[] = [];
    for (let at = to, left = this.distance(from, to); left > 0; left--) {
      const last = itemAt(this.into, at).find(
        (link) => this.distance(from, itemAt(this.links, link).from) === left - 1,
      );
      if (last === undefined) throw new Error(`grid: rank ${at} has no neighbour on the way from ${from}`);
      route.push(last);
      at = itemAt(this.links, last).from;
    }
    return route.reverse();
  }
}

/**
 * The shape for which every link leads to the next rank on some axis, if there is one. The differences between the rank numbers of linked chips then
 * are the strides of the axes, and each stride is the product of the extents of all later axes.
 */
function shapeFromLinks(links: readonly Link[], ranks: number): number[] {
  const steps = [...new Set(links.map(({ from, to }) => Math.abs(from - to)))].sort((a, b) => a - b);
  return steps.map((step, index) => (steps[index + 1] ?? ranks) / step).reverse();
}

/** The axis on which two ranks are neighbours, directly or by wrapping around; undefined if there is none. */
function axisOf({ shape, strides }: TranslationGroup, a: number, b: number): number | undefined {
  let found: number | undefined;
  let [restA, restB] = [a, b];
  for (let axis = 0; axis < shape.length; axis++) {
    const [here, there] = [Math.floor(restA / itemAt(strides, axis)), Math.floor(restB / itemAt(strides, axis))];
    restA -= here * itemAt(strides, axis);
    restB -= there * itemAt(strides, axis);
    if (here === there) continue;
    const along = Math.abs(here - there);
    if (found !== undefined || (along !== 1 && along !== itemAt(shape, axis) - 1)) return undefined;
    found = axis;
  }
  return found;
}

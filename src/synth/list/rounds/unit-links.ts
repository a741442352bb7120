/**
 * Machines in which all links can work in lock step: chips joined directly, one latency, bandwidths that are small multiples
 * of the least. A link of u units carries u items per round.
 */
import type { SpreadProblem } from '../problem.ts';
import type { Ways } from '../ways.ts';

/** What is the same of all links. */
interface Clock {
  /** Seconds that a message takes beside its bytes, and bytes per second of one unit. */
  readonly latency: number;
  readonly bandwidth: number;
  /** The topology states the same units: schedules can claim rounds. */
  readonly stated: boolean;
}

/** Links by the rank they lead to: those into rank r are `firstInto[r] … firstInto[r + 1] − 1`. */
export interface UnitLinks extends Clock {
  readonly ranks: number;
  readonly firstInto: Int32Array;
  readonly from: Int32Array;
  readonly units: Int32Array;
}

/** The links of a machine whose ways are links, with so many units on each way. */
export function inColumns(ways: Ways, units: ArrayLike<number>, clock: Clock): UnitLinks {
  const { ranks, firstInto, into } = ways;
  return { ranks, firstInto, from: into.map((way) => ways.from[way]), units: into.map((way) => units[way]), ...clock };
}

/** Whether some links are wider than others. */
export function isMixed({ units }: UnitLinks): boolean {
  return units.some((each) => each !== units[0]);
}

/** Units of links into a rank. */
export function breadthOf({ units, firstInto }: UnitLinks, rank: number): number {
  let breadth = 0;
  for (let link = firstInto[rank]; link < firstInto[rank + 1]; link++) breadth += units[link];
  return breadth;
}

/** The links of a machine in units, or why rounds would not fit it. */
export function unitLinksOf(problem: Pick<SpreadProblem, 'topology' | 'ways'>): UnitLinks | string {
  const { nodes, links, chips } = problem.topology;
  if (nodes.length > chips.length) return 'rounds need chips joined directly, without switches';
  const [{ latency, occupancy }] = links;
  if (links.some((link) => link.latency !== latency || link.occupancy !== occupancy)) {
    return 'rounds need links of one latency and occupancy';
  }
  const least = links.reduce((width, { bandwidth }) => Math.min(width, bandwidth), Number.POSITIVE_INFINITY);
  const isMultiple = (bandwidth: number): boolean => {
    const units = Math.round(bandwidth / least);
    // Beyond 2³¹ they fit no column, and the narrowest link is as good as dead.
    return units < 2 ** 31 && Math.abs(units * least - bandwidth) <= 1e-9 * bandwidth;
  };
  if (!links.every(({ bandwidth }) => isMultiple(bandwidth))) {
    return 'rounds need bandwidths that are multiples of the least, less than 2 ** 31';
  }
  const ways = problem.ways();
  const hasPorts = (ports: Float64Array, first: Int32Array): boolean =>
    ports.every((count, rank) => count >= first[rank + 1] - first[rank]);
  if (!hasPorts(ways.sendPorts, ways.firstOut) || !hasPorts(ways.receivePorts, ways.firstInto)) {
    return 'rounds need a port for every link';
  }
  const units = ways.bandwidth.map((bandwidth) => Math.round(bandwidth / least));
  const stated = links.every((link) => link.units === Math.round(link.bandwidth / least));
  return inColumns(ways, units, { latency, bandwidth: least, stated });
}

/**
 * Hierarchical clustering of the ranks, for recursive doubling on any machine. Every rank starts as a cell of its own. On each level neighbouring cells are merged in
 * pairs until one cell remains; the pairs with the lowest latency between their ranks, and to all other ranks, are merged first.
 */
import { Latencies } from '../../bounds/latency/latencies.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import type { RouteTable } from '../list/route-table.ts';

/** The cells of a machine, level by level. */
export interface CellLevels {
  /** `levels[l][rank]`: the cell of a rank; on the first level cells are single ranks, on the last one there is one cell. */
  readonly levels: readonly Int32Array[];
  /** `apart[a][b]`: the minimum latency Σα from rank a to rank b, in seconds. */
  readonly apart: readonly Float64Array[];
}

export function cellLevels(topology: Topology, ways: RouteTable): CellLevels {
  const latencies = new Latencies(topology);
  const { chips } = topology;
  const apart = chips.map((chip) => {
    const from = latencies.from(chip);
    return Float64Array.from(chips, (other) => from[other]);
  });
  const levels: Int32Array[] = [Int32Array.from(chips.keys())];
  for (let [cells] = levels; Math.max(...cells) > 0; levels.push(cells)) cells = joined(cells, ways, apart);
  return { levels, apart };
}

/** Merges pairs of cells that have arcs in both directions, so that the ranks of a cell reach each other. If no pair has, all ranks become one cell. */
function joined(cellOf: Int32Array, ways: RouteTable, apart: readonly Float64Array[]): Int32Array {
  const members: number[][] = Array.from({ length: Math.max(...cellOf) + 1 }, () => []);
  for (const [rank, cell] of cellOf.entries()) members[cell].push(rank);
  const leads = new Set<number>();
  for (const [way, from] of ways.from.entries()) leads.add(cellOf[from] * members.length + cellOf[ways.to[way]]);
  const pairs = [...leads].flatMap((key) => {
    const [a, b] = [Math.floor(key / members.length), key % members.length];
    if (a >= b || !leads.has(b * members.length + a)) return [];
    return [{ a, b, seconds: across([...members[a], ...members[b]], apart) }];
  });
  pairs.sort((one, other) => one.seconds - other.seconds || one.a - other.a || one.b - other.b);
  const taken = new Set<number>();
  const joinedTo = Int32Array.from(members.keys());
  for (const { a, b } of pairs) {
    if (taken.has(a) || taken.has(b)) continue;
    taken.add(a).add(b);
    joinedTo[b] = a;
  }
  if (taken.size === 0) return new Int32Array(cellOf.length);
  // Cells are numbered in the order of their first ranks.
  const numbers = [...new Set(joinedTo)].sort((a, b) => a - b);
  return cellOf.map((cell) => numbers.indexOf(joinedTo[cell]));
}

/** The diameter of a cell plus the distance to the rank that is farthest from it, both as latencies. */
function across(members: readonly number[], apart: readonly Float64Array[]): Seconds {
  const away = apart.map((_, rank) => Math.min(...members.map((member) => apart[member][rank])));
  const inside = members.map((member) => Math.max(...members.map((other) => apart[member][other])));
  return Math.max(...inside) + Math.max(...away);
}

/**
 * Ranks in cells, and cells in larger ones: neighbouring cells are joined two by two until there is one, those first whose ranks are near to each other and
 * to all others.
 */
import { Latencies } from '../../cost/bounds/latency/latencies.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Ways } from '../list/ways.ts';

/** Cells of ranks, level by level, on a machine. */
export interface CellLevels {
  /** `levels[l][rank]`: the cell of a rank; on the first level cells are single ranks, on the last one there is one cell. */
  readonly levels: readonly Int32Array[];
  /** `apart[a][b]`: least Σα from rank a to rank b. */
  readonly apart: readonly Float64Array[];
}

export function cellLevels(topology: Topology, ways: Ways): CellLevels {
  const latencies = new Latencies(topology);
  const { chips } = topology;
  const apart = chips.map((chip) => {
    const from = latencies.from(chip);
    return Float64Array.from(chips, (other) => from[other]);
  });
  let cells: readonly (readonly number[])[] = chips.map((_, rank) => [rank]);
  const levels = [numbersOf(cells, chips.length)];
  while (cells.length > 1) {
    const larger = joined(cells, numbersOf(cells, chips.length), ways, apart);
    cells = larger.length < cells.length ? larger : [chips.map((_, rank) => rank)];
    levels.push(numbersOf(cells, chips.length));
  }
  return { levels, apart };
}

/** By rank. */
function numbersOf(cells: readonly (readonly number[])[], ranks: number): Int32Array {
  const numbers = new Int32Array(ranks);
  for (const [cell, members] of cells.entries()) for (const rank of members) numbers[rank] = cell;
  return numbers;
}

interface Pair {
  readonly cells: readonly [number, number];
  readonly members: readonly number[];
  readonly seconds: Seconds;
}

/** Only cells with ways to each other: within a cell everyone reaches everyone. */
function joined(
  cells: readonly (readonly number[])[],
  cellOf: Int32Array,
  ways: Ways,
  apart: readonly Float64Array[],
): readonly (readonly number[])[] {
  const pairs = new Map<number, Pair>();
  const leads = new Set<number>();
  for (const [way, from] of ways.from.entries()) leads.add(cellOf[from] * cells.length + cellOf[ways.to[way]]);
  for (const key of leads) {
    const [a, b] = [Math.floor(key / cells.length), key % cells.length];
    if (a >= b || !leads.has(b * cells.length + a)) continue;
    const members = [...cells[a], ...cells[b]].sort((x, y) => x - y);
    pairs.set(key, { cells: [a, b], members, seconds: across(members, apart) });
  }
  const order = [...pairs.entries()].sort(([a, one], [b, other]) => one.seconds - other.seconds || a - b);
  const taken = new Set<number>();
  const found: (readonly number[])[] = [];
  for (const [, pair] of order) {
    if (pair.cells.some((cell) => taken.has(cell))) continue;
    for (const cell of pair.cells) taken.add(cell);
    found.push(pair.members);
  }
  const rest = cells.filter((_, cell) => !taken.has(cell));
  return [...found, ...rest].sort((a, b) => a[0] - b[0]);
}

/** From the farthest to the farthest of a cell, and on to the rank that is farthest from all of it. */
function across(members: readonly number[], apart: readonly Float64Array[]): Seconds {
  const away = apart.map((_, rank) => Math.min(...members.map((member) => apart[member][rank])));
  const inside = members.map((member) => Math.max(...members.map((other) => apart[member][other])));
  return Math.max(...inside) + Math.max(...away);
}

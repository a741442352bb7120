/** Compresses a list of pairs of numbers (the ends of links) into the loops that a person would write instead of the list. */
import { readable } from '../limits.ts';

export type NumberPair = readonly [number, number];

/** Nested loops, and the two expressions for the numbers of a pair in terms of the loop variables. */
export interface Pattern {
  readonly loops: readonly string[];
  readonly ends: readonly [string, string];
}

/**
 * Finds patterns that together generate each of the pairs exactly once.
 * @param alike whether both numbers index nodes of the same kind, so that the order within a pair does not matter
 */
export function patternsOf(pairs: readonly NumberPair[], alike: boolean): readonly Pattern[] {
  const whole = (alike ? cliques(pairs) : undefined) ?? shares(pairs) ?? swapped(shares(pairs.map(([a, b]) => [b, a])));
  return whole === undefined ? progressions(pairs) : [whole];
}

/** Recognizes a clique on a range of nodes, or one clique for each of several consecutive ranges of equal size (islands). */
function cliques(pairs: readonly NumberPair[]): Pattern | undefined {
  const nodes = [...new Set(pairs.flat())].sort((a, b) => a - b);
  const neighbours = new Map(nodes.map((node) => [node, new Set<number>()]));
  for (const [a, b] of pairs) {
    neighbours.get(a)?.add(b);
    neighbours.get(b)?.add(a);
  }
  const [low] = nodes;
  const size = (neighbours.get(low)?.size ?? 0) + 1;
  const groups = nodes.length / size;
  if (size < readable.loop || !Number.isInteger(groups) || pairs.length !== (groups * size * (size - 1)) / 2)
    return undefined;
  const isRange = nodes.every((node, index) => node === low + index);
  const isClique = pairs.every(([a, b]) => Math.floor((a - low) / size) === Math.floor((b - low) / size));
  if (!isRange || !isClique || new Set(pairs.map(keyOf)).size !== pairs.length) return undefined;
  const last = (groups === 1 ? low : 0) + size - 1;
  const inner = [`a in ${groups === 1 ? low : 0} .. ${last - 1}`, `b in a + 1 .. ${last}`];
  if (groups === 1) return { loops: inner, ends: ['a', 'b'] };
  const start = sum(`${size} * island`, low);
  return { loops: [`island in 0 .. ${groups - 1}`, ...inner], ends: [`${start} + a`, `${start} + b`] };
}

/**
 * Recognizes nodes that share partners, such as GPUs below PCIe switches: the first numbers form a range, and the second number is the same for k
 * consecutive ones, then advances by a fixed step.
 */
function shares(pairs: readonly NumberPair[]): Pattern | undefined {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  const [[first, start]] = sorted;
  if (sorted.length < 2 || sorted.some(([a], index) => a !== first + index)) return undefined;
  const same = sorted.findIndex(([, b]) => b !== start);
  const run = same === -1 ? sorted.length : same;
  const step = same === -1 ? 0 : sorted[run][1] - start;
  if (sorted.some(([, b], index) => b !== start + step * Math.floor(index / run))) return undefined;
  const loops = [`r in ${first} .. ${first + sorted.length - 1}`];
  if (run === 1) return { loops, ends: ['r', sum(times(step, 'r'), start - step * first)] };
  const quotient = `${first === 0 ? 'r' : `(${sum('r', -first)})`} // ${run}`;
  return { loops, ends: ['r', sum(times(step, step === 1 ? quotient : `(${quotient})`), start)] };
}

function swapped(pattern: Pattern | undefined): Pattern | undefined {
  return pattern && { ...pattern, ends: [pattern.ends[1], pattern.ends[0]] };
}

/**
 * Repeatedly extracts the longest arithmetic progression of pairs (both numbers advance by fixed steps). Pairs that belong to none are written one by
 * one.
 */
function progressions(pairs: readonly NumberPair[]): readonly Pattern[] {
  const left = new Map(pairs.map((pair) => [keyOf(pair), pair]));
  const found: Pattern[] = [];
  for (let row = longestRow(left); row !== undefined; row = longestRow(left)) {
    for (const pair of row) left.delete(keyOf(pair));
    found.push(rowPattern(row));
  }
  return [...found, ...[...left.values()].map(([a, b]): Pattern => ({ loops: [], ends: [String(a), String(b)] }))];
}

/** Writes a progression as a loop. If the first numbers are consecutive, the loop variable is the first number itself. */
function rowPattern(row: readonly NumberPair[]): Pattern {
  const [[a, b], [c, d]] = row;
  if (c - a === 1)
    return { loops: [`r in ${a} .. ${a + row.length - 1}`], ends: ['r', sum(times(d - b, 'r'), b - (d - b) * a)] };
  return { loops: [`i in 0 .. ${row.length - 1}`], ends: [sum(times(c - a, 'i'), a), sum(times(d - b, 'i'), b)] };
}

function longestRow(pairs: ReadonlyMap<string, NumberPair>): readonly NumberPair[] | undefined {
  if (pairs.size < readable.loop || pairs.size > readable.searched) return undefined;
  let longest: readonly NumberPair[] = [];
  const all = [...pairs.values()];
  for (const [index, [a, b]] of all.entries()) {
    for (const [c, d] of all.slice(index + 1)) {
      const row: NumberPair[] = [];
      for (let step = 0; ; step++) {
        const next = pairs.get(keyOf([a + step * (c - a), b + step * (d - b)]));
        if (next === undefined) break;
        row.push(next);
      }
      if (row.length > longest.length) longest = row;
    }
  }
  return longest.length < readable.loop ? undefined : longest;
}

function keyOf([a, b]: NumberPair): string {
  return `${a} ${b}`;
}

/** Writes factor · expression: `2 * i`, `i`, or an empty text for 0. */
function times(factor: number, expression: string): string {
  if (factor === 0) return '';
  return factor === 1 ? expression : factor === -1 ? `-${expression}` : `${factor} * ${expression}`;
}

/** Writes expression + constant: `r + 4`, `r - 4`, `4`; an empty expression counts as 0. */
export function sum(expression: string, constant: number | string): string {
  if (constant === 0 || constant === '') return expression === '' ? '0' : expression;
  if (expression === '') return String(constant);
  if (expression.startsWith('-')) return `${constant} - ${expression.slice(1)}`;
  return typeof constant === 'number' && constant < 0 ? `${expression} - ${-constant}` : `${expression} + ${constant}`;
}

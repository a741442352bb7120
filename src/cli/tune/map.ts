/** `ccc tune --ranks a..b` tunes a family of topologies one by one and draws the map of the best algorithm by ranks and size. */
import { CccError } from '../../ir/diagnostic.ts';
import { formatBytes } from '../../ir/units.ts';
import type { TuningData } from '../../session/tune/tuning-data.ts';
import type { RankRangeOption } from '../options.ts';
import { displayLimits } from '../shown.ts';
import { letterOf, mapChart } from './charts.ts';

/**
 * Returns the topologies that `ring:N` with `--ranks 2..16` stands for, or the named topology if no ranks are given.
 * @throws CccError 'usage' if ranks are given and the text has no N, or if it has an N and no ranks are given
 */
export function topologiesNamed(
  topology: string | undefined,
  ranks: RankRangeOption | undefined,
): readonly (string | undefined)[] {
  const pattern = /(?<![A-Za-z])N(?![A-Za-z])|(?<=\dx)N/;
  if (ranks === undefined) {
    if (topology === undefined || !pattern.test(topology.replace(/^[^:]*/, ''))) return [topology];
    throw new CccError(
      'usage',
      `N in --topo ${topology} stands for numbers of ranks: say which, such as --ranks 2..16`,
    );
  }
  const { first, last } = ranks;
  if (topology === undefined || !pattern.test(topology)) {
    throw new CccError('usage', '--ranks needs a topology with N where its number goes, such as --topo ring:N');
  }
  return valuesBetween(first, last).map((value) => topology.replace(pattern, String(value)));
}

/**
 * Returns all numbers of a range or, if they are too many for a table, a selection with this priority: both ends, powers of two, the numbers right
 * after and before powers of two (where algorithms change), and geometrically spaced numbers.
 */
function valuesBetween(first: number, last: number): readonly number[] {
  const count = last - first + 1;
  if (count <= displayLimits.nodesInTable) return Array.from({ length: count }, (_, index) => first + index);
  const powers = Array.from({ length: 1 + Math.floor(Math.log2(last)) }, (_, exponent) => 2 ** exponent);
  const ratio = (last / first) ** (1 / (displayLimits.nodesInTable - 1));
  const spaced = Array.from({ length: displayLimits.nodesInTable }, (_, index) => Math.round(first * ratio ** index));
  const wanted = [first, last, ...powers, ...powers.map((p) => p + 1), ...powers.map((p) => p - 1), ...spaced];
  const within = wanted.filter((value) => value >= first && value <= last);
  return [...new Set(within)].slice(0, displayLimits.nodesInTable).sort((a, b) => a - b);
}

/** Draws a map with one letter for each size and number of ranks, followed by what the letters mean. */
export function mapText(results: readonly TuningData[]): string {
  const names = namesIn(results);
  const sizes = results[0].sizes.map(({ size }) => size);
  const numbers = results.map(({ ranks }) => String(ranks));
  const width = Math.max('ranks'.length, ...numbers.map((number) => number.length));
  const rows = results.map((result, index) => {
    const letters = result.sizes.map(({ plan }) => letterOf(names.indexOf(result.plans[plan].algorithm)));
    return `${numbers[index].padStart(width)}  ${letters.join('')}`;
  });
  const heading = `${'ranks'.padStart(width)}  ${formatBytes(sizes[0])} … ${formatBytes(sizes[sizes.length - 1])}`;
  const meaning = names.map((name, index) => `${letterOf(index).padStart(width)}  ${name}`);
  return `${[heading, ...rows.reverse(), '', ...meaning].join('\n')}\n`;
}

export function mapPicture(results: readonly TuningData[], title: string): string {
  return mapChart({
    title,
    sizes: results[0].sizes.map(({ size }) => size),
    rows: results.map(({ ranks, plans, sizes }) => ({ ranks, best: sizes.map(({ plan }) => plans[plan].algorithm) })),
  });
}

function namesIn(results: readonly TuningData[]): readonly string[] {
  return [...new Set(results.flatMap(({ plans, sizes }) => sizes.map(({ plan }) => plans[plan].algorithm)))];
}

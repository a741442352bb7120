/** Loops for links make the very links that they stand for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTopology } from '../../../src/read/index.ts';
import { type NumberPair, patternsOf } from '../../../src/read/machines/regular.ts';
import { drawn } from '../../draw.ts';

/** The pairs that patterns make, by the language itself: first numbers are chips 0 … 39, second ones chips, or switches. */
function made(pairs: readonly NumberPair[], alike: boolean): string[] {
  const lines = patternsOf(pairs, alike).map(({ loops, ends: [a, b] }) => {
    const range = loops.length === 0 ? '' : `for: [${loops.join(', ')}], `;
    return `  - { ${range}link: "${a} -> ${alike ? '' : 'switch '}${b}" }\n`;
  });
  const spine = 'links:\n  - for: c in 0 .. 39\n    duplex: c <-> switch 40\n';
  const head =
    'format: ccc-topology\nversion: 1\nname: a\nchips: 40\nswitches: 41\nlink: { latency: 1 us, bandwidth: 1 GB/s }\n';
  const source = { name: 'a.yaml', text: `${head}${spine}${lines.join('')}` };
  const links = resolveTopology('a.yaml', { read: () => source }).links.slice(80);
  return links.map(({ from, to }) => keyOf([from, alike ? to : to - 40], alike)).sort();
}

function keyOf([a, b]: NumberPair, alike: boolean): string {
  return alike && a > b ? `${b} ${a}` : `${a} ${b}`;
}

const number = fc.nat(39);
const pairs = (alike: boolean) =>
  fc.uniqueArray(fc.tuple(number, number), { minLength: 1, maxLength: 40, selector: (pair) => keyOf(pair, alike) });

describe('loops for pairs', () => {
  it.each([true, false])('make these pairs and no others (of one kind: %s)', (alike) => {
    fc.assert(
      fc.property(pairs(alike), (drawn) => {
        const given = alike ? drawn.filter(([a, b]) => a !== b) : drawn;
        fc.pre(given.length > 0);
        expect(made(given, alike)).toEqual(given.map((pair) => keyOf(pair, alike)).sort());
      }),
      drawn(200),
    );
  });

  it('are those that a person would write', () => {
    const clique = (low: number, size: number): NumberPair[] =>
      Array.from({ length: size }, (_, a) =>
        Array.from({ length: size - a - 1 }, (_, b): NumberPair => [low + a, low + a + b + 1]),
      ).flat();
    const expected: readonly [readonly NumberPair[], boolean, string[]][] = [
      [clique(0, 4), true, ['a in 0 .. 2', 'b in a + 1 .. 3', 'a', 'b']],
      [clique(3, 3), true, ['a in 3 .. 4', 'b in a + 1 .. 5', 'a', 'b']],
      [
        [...clique(0, 3), ...clique(3, 3)],
        true,
        ['island in 0 .. 1', 'a in 0 .. 1', 'b in a + 1 .. 2', '3 * island + a', '3 * island + b'],
      ],
      [
        [
          [0, 0],
          [1, 0],
          [2, 1],
          [3, 1],
        ],
        false,
        ['r in 0 .. 3', 'r', 'r // 2'],
      ],
      [
        [
          [2, 5],
          [3, 5],
        ],
        false,
        ['r in 2 .. 3', 'r', '5'],
      ],
      [
        [
          [0, 3],
          [1, 2],
          [2, 1],
        ],
        false,
        ['r in 0 .. 2', 'r', '3 - r'],
      ],
      [
        [
          [0, 1],
          [2, 3],
          [4, 5],
        ],
        true,
        ['i in 0 .. 2', '2 * i', '2 * i + 1'],
      ],
      [
        [
          [1, 5],
          [2, 6],
          [3, 7],
        ],
        true,
        ['r in 1 .. 3', 'r', 'r + 4'],
      ],
      [[[0, 7]], true, ['0', '7']],
    ];
    for (const [given, alike, words] of expected) {
      expect(patternsOf(given, alike).flatMap(({ loops, ends }) => [...loops, ...ends])).toEqual(words);
      expect(made(given, alike)).toEqual(given.map((pair) => keyOf(pair, alike)).sort());
    }
  });
});

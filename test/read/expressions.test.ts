/** Expressions: their values against arithmetic on big integers, precedence, and every way to have no value. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError, type SourceText } from '../../src/ir/diagnostic.ts';
import { compileWhole, Scope, standardFunctions } from '../../src/read/expression/index.ts';
import { parseYaml } from '../../src/read/yaml.ts';
import { drawn } from '../draw.ts';
import { type BadInput, expectFailure } from './marked.ts';

const names = { a: 7, b: -3, zero: 0, big: Number.MAX_SAFE_INTEGER };

/** The value of the expression that a YAML document is. */
function valueIn(source: SourceText): number {
  const scope = new Scope(standardFunctions);
  const frame: number[] = [];
  for (const [name, value] of Object.entries(names)) frame[scope.declare(name, undefined)] = value;
  return compileWhole(parseYaml(source), scope).evaluate(frame);
}

/** Written in double quotes, so that YAML takes nothing out of it. */
function evaluated(expression: string): number {
  return valueIn({ name: 'expression', text: `"${expression}"` });
}

describe('the value of an expression', () => {
  it.each([
    // Precedence, loosest first: ?: or and not comparisons | xor & shifts + - * / // % unary - **
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['2 ** 3 ** 2', 512],
    ['-2 ** 2', -4],
    ['2 * -3', -6],
    ['- - 4', 4],
    ['100 // 7 % 4', 2],
    ['1 << 2 + 1', 8],
    ['12 & 10 | 1', 9],
    ['12 & 8 xor 1', 9],
    ['6 xor 3 | 8', 13],
    ['5 & 4 == 4', 1],
    ['1 | 2 == 3', 1],
    ['not 1 == 2', 1],
    ['not 0 and 0', 0],
    ['1 or 0 and 0', 1],
    ['0 ? 1 : 0 ? 2 : 3', 3],
    ['1 or 0 ? 4 : 5', 4],
    ['a < 8 and b < 0', 1],
    // Rounding
    ['-7 // 2', -4],
    ['7 // -2', -4],
    ['-7 % 3', 2],
    ['7 % -3', -2],
    ['-6 / 3', -2],
    ['-5 >> 1', -3],
    ['-1 >> 100', -1],
    ['0 << 100', 0],
    ['1 << 52', 2 ** 52],
    ['(1 << 52) >> 50', 4],
    ['big // 2', 2 ** 52 - 1],
    ['big % 10', 1],
    ['3 ** 33', 5559060566555523],
    ['(-1) ** 9007199254740991', -1],
    ['0 ** 0', 1],
    ['(1 << 40 | 5) & 12', 4],
    ['-1 & 1 << 45', 2 ** 45],
    ['1 << 40 xor 1 << 40', 0],
    // Functions
    ['min(3, b, 4)', -3],
    ['max(3)', 3],
    ['abs(b)', 3],
    ['floor_log2(1)', 0],
    ['floor_log2(big)', 52],
    ['ceil_log2(1)', 0],
    ['ceil_log2(5)', 3],
    ['ceil_log2(1 << 40)', 40],
    ['is_power_of_two(1 << 40)', 1],
    ['is_power_of_two(0)', 0],
    ['is_power_of_two(12)', 0],
    ['bit(5, 2)', 1],
    ['bit(-1, 60)', 1],
    ['popcount(big)', 53],
    ['gcd(-12, 18)', 6],
    ['gcd(0, 5)', 5],
    // What is not needed is not evaluated
    ['zero != 0 and 1 // zero', 0],
    ['zero == 0 or 1 // zero', 1],
    ['zero == 0 ? 2 : 1 // zero', 2],
  ])('%s = %i', (text, value) => {
    expect(Object.is(evaluated(text), value)).toBe(true);
  });
});

/** A random expression in brackets, and its value over unbounded integers; undefined where it has none. */
interface Sample {
  readonly text: string;
  readonly value: bigint | undefined;
}

const binary: Readonly<Record<string, (x: bigint, y: bigint) => bigint | undefined>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => (y === 0n || x % y !== 0n ? undefined : x / y),
  '//': (x, y) => (y === 0n ? undefined : floored(x, y)),
  '%': (x, y) => (y === 0n ? undefined : x - y * floored(x, y)),
  '**': (x, y) => (y < 0n ? undefined : y > 60n && (x > 1n || x < -1n) ? 2n ** 70n : x ** y),
  '<<': (x, y) => (y < 0n ? undefined : x << (y > 70n ? 70n : y)),
  '>>': (x, y) => (y < 0n ? undefined : x >> (y > 70n ? 70n : y)),
  '&': (x, y) => x & y,
  '|': (x, y) => x | y,
  xor: (x, y) => x ^ y,
  '<': (x, y) => (x < y ? 1n : 0n),
  '>=': (x, y) => (x >= y ? 1n : 0n),
  '==': (x, y) => (x === y ? 1n : 0n),
};

function floored(x: bigint, y: bigint): bigint {
  return x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
}

const mostSafe = BigInt(Number.MAX_SAFE_INTEGER);

function combined(operator: string, left: Sample, right: Sample): Sample {
  const text = `(${left.text} ${operator} ${right.text})`;
  const value =
    left.value === undefined || right.value === undefined ? undefined : binary[operator](left.value, right.value);
  return { text, value: value === undefined || value > mostSafe || value < -mostSafe ? undefined : value };
}

const numbers = fc
  .oneof(fc.nat(70), fc.nat(2 ** 31), fc.maxSafeNat())
  .map((n): Sample => ({ text: String(n), value: BigInt(n) }));
const negated = numbers.map(({ text, value }): Sample => ({ text: `(-${text})`, value: -(value ?? 0n) }));
const samples = fc.letrec<{ tree: Sample }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    numbers,
    negated,
    fc
      .tuple(fc.constantFrom(...Object.keys(binary)), tie('tree'), tie('tree'))
      .map(([operator, left, right]) => combined(operator, left, right)),
  ),
})).tree;

describe('random expressions', () => {
  it('have the value that big integers give, or none where it is not exact', () => {
    fc.assert(
      fc.property(samples, ({ text, value }) => {
        let found: number | undefined;
        try {
          found = evaluated(text);
        } catch (error) {
          if (!(error instanceof CccError) || error.code !== 'expression') throw error;
        }
        expect(found).toBe(value === undefined ? undefined : Number(value));
      }),
      drawn(150),
    );
  });

  it('of any characters are read or refused with a place', () => {
    const pieces = fc.constantFrom(
      ...'a b N 0 1 9 99999999999999999 + - * / // % ** << ( ) [ ] , ? : .. -> <-> min gcd not and or xor in # é \u{1f600} . 1x == <'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 30 }),
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(' ')),
        ),
        (text) => {
          try {
            expect(Number.isSafeInteger(valueIn({ name: 'fuzz', text: JSON.stringify(text) }))).toBe(true);
          } catch (error) {
            if (!(error instanceof CccError)) throw error;
            expect(error.range).toBeDefined();
          }
        },
      ),
      drawn(150),
    );
  });
});

const wrong: readonly BadInput[] = [
  ['an unknown name', '1 + ⟦aa⟧', 'expression', ["'aa'", 'did you mean a']],
  ['an unknown function', '⟦mim(1, 2)⟧', 'expression', ["'mim'", 'min']],
  ['too few arguments', '1 + ⟦gcd(4)⟧', 'expression', ['gcd', '2', 'not 1']],
  ['nothing where a value belongs', '1 +⟦⟧', 'expression', ['the end']],
  ['a bracket that is not closed', '(1 + 2⟦⟧', 'expression', ["')'", 'the end']],
  ['something left over', '1 ⟦2⟧', 'expression', ['nothing more', "'2'"]],
  ['a fraction', '⟦1.⟧5', 'expression', ['whole number']],
  ['a number that is a name', '⟦4x⟧4', 'expression', ['whole number']],
  ['too large a number', '1 + ⟦9007199254740992⟧', 'expression', ['2**53']],
  ['a strange character', 'a + ⟦é⟧', 'expression', ["'é'"]],
  ['a word of the language', '1 + ⟦part⟧', 'expression', ["'part'"]],
  ['comparisons in a chain', '0 < a ⟦<⟧ 8', 'expression', ['and']],
  ['not inside arithmetic', '1 + ⟦not⟧ a', 'expression', ["'not'"]],
  ['division by zero', '2 * ⟦(a // zero)⟧', 'expression', ['zero', 'a = 7', 'zero = 0']],
  ['a quotient that is not whole', '⟦a / 2⟧ + 1', 'expression', ['exactly', 'a = 7']],
  ['a remainder of zero', '⟦a % zero⟧', 'expression', ['zero']],
  ['a negative exponent', '⟦2 ** b⟧', 'expression', ['negative', 'b = -3']],
  ['a negative shift', '⟦1 << b⟧', 'expression', ['negative', 'b = -3']],
  ['a logarithm of nothing', '⟦floor_log2(zero)⟧', 'expression', ['logarithm', 'zero = 0']],
  ['too large a sum', '⟦big + 1⟧', 'expression', ['too large', '2**53']],
  ['too large a power', '⟦10 ** 16⟧', 'expression', ['too large']],
  ['a mistake in quotes', '"1 + ⟦aa⟧"', 'expression', ["'aa'"]],
  ['a mistake on a second line', '1 +\n  ⟦aa⟧ + 2', 'expression', ["'aa'"]],
  ['a mistake in a folded text', '>\n  1 +\n  ⟦aa⟧\n', 'expression', ["'aa'"]],
  ['a mistake behind escapes', '⟦"1 \\x2b aa"⟧', 'expression', ["'aa'"]],
];

describe('an expression without a value', () => {
  it.each(wrong)('is refused with its place: %s', (...input) => expectFailure(valueIn, input));

  it.each([
    ['brackets', `${'('.repeat(1e6)}1${')'.repeat(1e6)}`],
    ['signs', `${'-'.repeat(1e6)}1`],
    ['powers', `${'2**'.repeat(1e6)}1`],
    ['conditions', `${'1 ? 1 : '.repeat(1e5)}1`],
    ['calls', `${'abs('.repeat(1e6)}1`],
    ['sums', `1${'+1'.repeat(1e6)}`],
    ['arguments', `max(${'1,'.repeat(1e6)}1)`],
  ])('a million %s are refused, not recursed into', (_, text) => {
    expect(() => evaluated(text)).toThrow(CccError);
  });
});

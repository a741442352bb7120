/**
 * Durations and rates that depend on the values of names: `400 Gbit/s * boxes / oversubscription`, `boxes > 1 ? 2.5 us : 0.5 us`,
 * `0.5 us + hops * 0.1 us`. An expression is a sum, difference, choice, minimum or maximum of quantities; a quantity may be multiplied
 * and divided by whole-number expressions. Whatever holds no quantity follows the rules of whole-number expressions.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { parseBytesPerSecond, parseSeconds, type QuantityResult } from '../../ir/units.ts';
import { scalarOf } from '../fields.ts';
import { rateFrom, secondsFrom } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { compileTree } from './compile.ts';
import type { Frame, Scope } from './scope.ts';
import { type Expression, parseExpression } from './syntax.ts';
import { TokenStream } from './tokens.ts';

/** A duration in seconds, or a rate in bytes per second, for given values of the names in it. */
export interface Quantity {
  /** @throws CccError 'expression' for a division by 0, 'range' for a value that the quantity cannot have */
  evaluate(frame: Frame): number;
}

/** The two kinds of quantities in files, durations and rates, with their units and range checks. */
interface QuantityKind {
  readonly example: string;
  readonly parse: (text: string) => QuantityResult;
  /** Checks the range of a value. Its arguments are those of `secondsFrom` and `rateFrom`, which check quantities without names. */
  readonly read: typeof secondsFrom;
  /** The unit of a plain number, in which a computed value is checked. */
  readonly baseUnit: string;
}

const duration: QuantityKind = {
  example: 'a duration such as 0.55 us',
  parse: parseSeconds,
  read: secondsFrom,
  baseUnit: 's',
};
const rate: QuantityKind = {
  example: 'a rate such as 64 GB/s',
  parse: parseBytesPerSecond,
  read: rateFrom,
  baseUnit: 'B/s',
};

/** A duration in seconds. @throws CccError 'unit', 'expression' or 'range' with its place */
export function compileSeconds(node: YamlNode, what: string, scope: Scope): Quantity {
  return compileQuantity(node, what, scope, duration);
}

/** A rate in bytes per second. @throws CccError 'unit', 'expression' or 'range' with its place */
export function compileRate(node: YamlNode, what: string, scope: Scope): Quantity {
  return compileQuantity(node, what, scope, rate);
}

function compileQuantity(node: YamlNode, what: string, scope: Scope, kind: QuantityKind): Quantity {
  const scalar = scalarOf(node, kind.example);
  const { masked, literals } = maskLiterals(scalar.text, kind);
  const isPlain = literals.size === 0 || 'value' in kind.parse(scalar.text);
  if (isPlain) {
    const value = kind.read(scalar.text, what, scalar.range);
    return { evaluate: () => value };
  }
  const tokens = new TokenStream(scalar, masked);
  const tree = parseExpression(tokens);
  tokens.expectEnd();
  const compiled = new QuantityCompiler(tokens, scope, literals, kind).compile(tree);
  const evaluate = (frame: Frame): number => {
    const value = compiled(frame);
    const text = `${scalar.text.trim()} = ${value} ${kind.baseUnit}`;
    // The range check reads texts with units; its message then shows the expression and what it came to.
    if (!Number.isFinite(value)) throw new CccError('range', `${what} has no value: ${text}`, scalar.range);
    return kind.read(`${value} ${kind.baseUnit}`, `${what} (${scalar.text.trim()})`, scalar.range);
  };
  return { evaluate };
}

const literal = /(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*[A-Za-z\u00b5\u03bc]+(?:\/s)?/gu;

/** Quantities in a text, by where they begin; in `masked` each is a name of the same length, so that places in the text stay. */
function maskLiterals(
  text: string,
  { parse }: QuantityKind,
): { readonly masked: string; readonly literals: ReadonlyMap<number, number> } {
  const literals = new Map<number, number>();
  const masked = text.replaceAll(literal, (found: string, start: number) => {
    const result = parse(found);
    if (!('value' in result)) return found;
    literals.set(start, result.value);
    return 'q'.repeat(found.length);
  });
  return { masked, literals };
}

type Evaluate = (frame: Frame) => number;

class QuantityCompiler {
  private readonly tokens: TokenStream;
  private readonly scope: Scope;
  private readonly literals: ReadonlyMap<number, number>;
  private readonly kind: QuantityKind;

  constructor(tokens: TokenStream, scope: Scope, literals: ReadonlyMap<number, number>, kind: QuantityKind) {
    this.tokens = tokens;
    this.scope = scope;
    this.literals = literals;
    this.kind = kind;
  }

  /** @throws CccError 'unit' where a quantity is needed and there is none, or two are multiplied */
  compile(node: Expression): Evaluate {
    switch (node.kind) {
      case 'number':
        if (node.value === 0) return () => 0;
        break;
      case 'name': {
        const value = this.literals.get(node.start);
        if (value !== undefined) return () => value;
        break;
      }
      case 'conditional': {
        const condition = compileTree(node.condition, this.tokens, this.scope).evaluate;
        const [yes, no] = [this.compile(node.yes), this.compile(node.no)];
        return (frame) => (condition(frame) === 0 ? no(frame) : yes(frame));
      }
      case 'binary':
        return this.binary(node);
      case 'call': {
        const combine = node.name === 'min' ? Math.min : node.name === 'max' ? Math.max : undefined;
        if (combine === undefined || node.args.length === 0) break;
        const args = node.args.map((argument) => this.compile(argument));
        return (frame) => combine(...args.map((argument) => argument(frame)));
      }
      case 'unary':
        break;
    }
    throw this.needsUnit(node);
  }

  private binary(node: Expression & { readonly kind: 'binary' }): Evaluate {
    const { operator, left, right } = node;
    switch (operator) {
      case '+':
      case '-': {
        const [first, second] = [this.compile(left), this.compile(right)];
        return operator === '+' ? (frame) => first(frame) + second(frame) : (frame) => first(frame) - second(frame);
      }
      case '*': {
        const [quantity, factor] = this.holdsQuantity(left) ? [left, right] : [right, left];
        const [value, times] = [this.compile(quantity), this.whole(factor)];
        return (frame) => value(frame) * times(frame);
      }
      case '/': {
        const [value, by] = [this.compile(left), this.whole(right)];
        return (frame) => value(frame) / by(frame);
      }
      default:
        throw this.needsUnit(node);
    }
  }

  /** A factor without a unit. @throws CccError 'unit' where it has one */
  private whole(node: Expression): Evaluate {
    if (!this.holdsQuantity(node)) return compileTree(node, this.tokens, this.scope).evaluate;
    throw new CccError('unit', 'quantities are multiplied and divided by numbers without a unit', this.rangeOf(node));
  }

  private holdsQuantity(node: Expression): boolean {
    for (const start of this.literals.keys()) if (start >= node.start && start < node.end) return true;
    return false;
  }

  private needsUnit(node: Expression): CccError {
    const expected = `expected ${this.kind.example}, multiplied or divided by numbers, or a sum or choice of these`;
    return new CccError('unit', expected, this.rangeOf(node));
  }

  private rangeOf({ start, end }: Expression) {
    return this.tokens.rangeOf(start, end);
  }
}

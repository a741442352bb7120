/** Expressions as trees, and their parser: precedence climbing (Pratt 1973) over the table of docs/schedule-language.md. */

import { readable } from '../limits.ts';
import type { Token, TokenStream } from './tokens.ts';

interface Place {
  /** Offsets in the scalar's text. */
  readonly start: number;
  readonly end: number;
  /** Levels below this node: bounds the recursion of whatever walks the tree. */
  readonly depth: number;
}

export type Expression =
  | ({ readonly kind: 'number'; readonly value: number } & Place)
  | ({ readonly kind: 'name'; readonly name: string } & Place)
  | ({ readonly kind: 'unary'; readonly operator: '-' | 'not'; readonly operand: Expression } & Place)
  | ({
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    } & Place)
  | ({
      readonly kind: 'conditional';
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    } & Place)
  | ({ readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] } & Place);

/** The precedence of each binary operator. */
const strengths = {
  or: 2,
  and: 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '|': 6,
  xor: 7,
  '&': 8,
  '<<': 9,
  '>>': 9,
  '+': 10,
  '-': 10,
  '*': 11,
  '/': 11,
  '//': 11,
  '%': 11,
  '**': 13,
} as const;
export type BinaryOperator = keyof typeof strengths;

/** The precedences of the conditional and unary operators, and of two groups of binary ones. */
const strengthOf = { conditional: 1, not: 4, comparison: 5, negation: 12, power: 13 } as const;

/**
 * Reads the longest expression that the stream starts with.
 * @throws CccError 'expression' when there is none
 */
export function parseExpression(tokens: TokenStream): Expression {
  return parseAt(tokens, 0, 0);
}

/** An expression of operators that bind at least as tightly as `strength`. */
function parseAt(tokens: TokenStream, strength: number, level: number): Expression {
  let left = parseOperand(tokens, strength, level);
  for (;;) {
    if (left.depth > readable.depth) throw tooDeep(tokens, left);
    const operator = tokens.peek;
    if (operator.text === '?' && strength <= strengthOf.conditional) {
      left = parseConditional(tokens, left, level);
      continue;
    }
    if (!isBinary(operator) || strengths[operator.text] < strength) return left;
    tokens.next();
    const own = strengths[operator.text];
    // `**` groups to the right, and its exponent may be negated; everything else groups to the left.
    const right = parseAt(tokens, own === strengthOf.power ? strengthOf.negation : own + 1, level + 1);
    left = { kind: 'binary', operator: operator.text, left, right, ...around(left, right) };
    if (
      own === strengthOf.comparison &&
      isBinary(tokens.peek) &&
      strengths[tokens.peek.text] === strengthOf.comparison
    ) {
      throw tokens.error("comparisons cannot be chained; join them with 'and'", tokens.peek);
    }
  }
}

function parseConditional(tokens: TokenStream, condition: Expression, level: number): Expression {
  tokens.expect('?');
  const yes = parseAt(tokens, strengthOf.conditional, level + 1);
  tokens.expect(':');
  const no = parseAt(tokens, strengthOf.conditional, level + 1);
  const depth = 1 + Math.max(condition.depth, yes.depth, no.depth);
  return { kind: 'conditional', condition, yes, no, start: condition.start, end: no.end, depth };
}

function parseOperand(tokens: TokenStream, strength: number, level: number): Expression {
  const token = tokens.peek;
  if (level > readable.depth) throw tooDeep(tokens, token);
  if (token.text === '-') return parseUnary(tokens, '-', strengthOf.negation, level);
  if (token.text === 'not' && strength <= strengthOf.not) return parseUnary(tokens, 'not', strengthOf.not, level);
  if (token.kind === 'number') {
    tokens.next();
    return { kind: 'number', value: Number(token.text), start: token.start, end: token.end, depth: 0 };
  }
  if (token.kind === 'name' && !isReserved(token.text)) {
    tokens.next();
    if (tokens.at('(')) return parseCall(tokens, token, level);
    return { kind: 'name', name: token.text, start: token.start, end: token.end, depth: 0 };
  }
  if (tokens.accept('(')) {
    const inner = parseAt(tokens, 0, level + 1);
    tokens.expect(')');
    return { ...inner, start: token.start, end: tokens.lastEnd, depth: inner.depth + 1 };
  }
  throw tokens.unexpected('a number, a name or a bracket');
}

function parseUnary(tokens: TokenStream, operator: '-' | 'not', strength: number, level: number): Expression {
  const { start } = tokens.next();
  const operand = parseAt(tokens, strength, level + 1);
  return { kind: 'unary', operator, operand, start, end: operand.end, depth: operand.depth + 1 };
}

function parseCall(tokens: TokenStream, name: Token, level: number): Expression {
  tokens.expect('(');
  const args: Expression[] = [];
  while (!tokens.at(')')) {
    if (args.length > 0) tokens.expect(',');
    args.push(parseAt(tokens, 0, level + 1));
  }
  tokens.expect(')');
  const depth = 1 + Math.max(0, ...args.slice(0, 1000).map((arg) => arg.depth));
  if (args.length > 1000) throw tokens.error('more than 1000 arguments', name);
  return { kind: 'call', name: name.text, args, start: name.start, end: tokens.lastEnd, depth };
}

function around(left: Expression, right: Expression): Place {
  return { start: left.start, end: right.end, depth: 1 + Math.max(left.depth, right.depth) };
}

function isBinary(token: Token): token is Token & { readonly text: BinaryOperator } {
  return token.kind !== 'end' && Object.hasOwn(strengths, token.text);
}

function tooDeep(tokens: TokenStream, at: { readonly start: number; readonly end: number }) {
  return tokens.error(`nested more than ${readable.depth} levels deep`, at);
}

const reserved: ReadonlySet<string> = new Set(
  'and or not xor in by of part parts all shard shards chunk chunks data input output scratch ranks switch host'.split(
    ' ',
  ),
);

/** Keywords of the languages, which cannot be names. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

/**
 * Compiles expressions to closures over the frame: names are resolved once, when the file is read, and an evaluation takes a few calls. No
 * text is ever passed to the JavaScript engine.
 */
import type { SourceRange } from '../../ir/diagnostic.ts';
import { nearestNames } from '../nearest.ts';
import {
  type ArithmeticResult,
  bitAnd,
  bitOr,
  bitXor,
  divide,
  exactResult,
  floorDivide,
  modulo,
  power,
  shiftLeft,
  shiftRight,
} from './arithmetic.ts';
import { type Frame, type Scope, valuesText } from './scope.ts';
import { type BinaryOperator, type Expression, parseExpression } from './syntax.ts';
import type { TokenStream } from './tokens.ts';

type Evaluate = (frame: Frame) => number;

/** A compiled expression. */
export interface CompiledExpression {
  /** @throws CccError 'expression' when it has no value, with the values of the names in it */
  readonly evaluate: Evaluate;
  readonly range: SourceRange;
  /** The expression as it is written in the file. */
  readonly text: string;
  /** The number of nodes of its tree, which measures the cost of an evaluation. */
  readonly weight: number;
}

/** Reads the expression that the stream starts with. */
export function compileExpression(tokens: TokenStream, scope: Scope): CompiledExpression {
  const tree = parseExpression(tokens);
  const compiler = new Compiler(tokens, scope);
  const text = tokens.scalar.text.slice(tree.start, tree.end);
  return {
    evaluate: compiler.compile(tree),
    range: tokens.rangeOf(tree.start, tree.end),
    text,
    weight: compiler.weight,
  };
}

/** Makes a closure of an expression that has been parsed already. @throws CccError 'expression' for unknown names and functions */
export function compileTree(
  tree: Expression,
  tokens: TokenStream,
  scope: Scope,
): Pick<CompiledExpression, 'evaluate' | 'weight'> {
  const compiler = new Compiler(tokens, scope);
  return { evaluate: compiler.compile(tree), weight: compiler.weight };
}

class Compiler {
  weight = 0;
  private readonly tokens: TokenStream;
  private readonly scope: Scope;

  constructor(tokens: TokenStream, scope: Scope) {
    this.tokens = tokens;
    this.scope = scope;
  }

  compile(node: Expression): Evaluate {
    this.weight++;
    switch (node.kind) {
      case 'number': {
        const { value } = node;
        return () => value;
      }
      case 'name': {
        const slot = this.scope.resolve(node.name, this.tokens.rangeOf(node.start, node.end));
        return (frame) => frame[slot];
      }
      case 'unary': {
        const operand = this.compile(node.operand);
        return node.operator === '-' ? (frame) => 0 - operand(frame) : (frame) => (operand(frame) === 0 ? 1 : 0);
      }
      case 'conditional': {
        const condition = this.compile(node.condition);
        const yes = this.compile(node.yes);
        const no = this.compile(node.no);
        return (frame) => (condition(frame) === 0 ? no(frame) : yes(frame));
      }
      case 'binary':
        return this.binary(node);
      case 'call':
        return this.call(node);
    }
  }

  private binary(node: Expression & { readonly kind: 'binary' }): Evaluate {
    const left = this.compile(node.left);
    const right = this.compile(node.right);
    const operator = operators[node.operator];
    if ('build' in operator) return operator.build(left, right);
    const { apply } = operator;
    return (frame) => {
      const outcome = apply(left(frame), right(frame));
      return typeof outcome === 'number' ? outcome : this.fail(node, outcome, frame);
    };
  }

  private call(node: Expression & { readonly kind: 'call' }): Evaluate {
    const { functions } = this.scope;
    const called = functions.get(node.name);
    if (called === undefined) {
      const message = `unknown function '${node.name}'; ${nearestNames(node.name, [...functions.keys()])}`;
      throw this.tokens.error(message, node);
    }
    if (node.args.length < called.least || node.args.length > called.most) {
      const wanted = called.most === called.least ? `${called.least}` : `at least ${called.least}`;
      throw this.tokens.error(
        `${node.name} takes ${wanted} argument${called.least === 1 ? '' : 's'}, not ${node.args.length}`,
        node,
      );
    }
    const args = node.args.map((arg) => this.compile(arg));
    // All calls share one array for the arguments, since no function keeps it.
    const values = args.map(() => 0);
    return (frame) => {
      for (let arg = 0; arg < args.length; arg++) values[arg] = args[arg](frame);
      const outcome = called.apply(values);
      return typeof outcome === 'number' ? outcome : this.fail(node, outcome, frame);
    };
  }

  private fail(node: Expression, reason: string, frame: Frame): never {
    const text = this.tokens.scalar.text.slice(node.start, node.end);
    const values = valuesText([...new Set(namesIn(node))], this.scope, frame);
    throw this.tokens.error(`${text} ${reason}${values}`, node);
  }
}

/** Binary operators: those that may have no value, and those that always have one. */
type Operator =
  | { readonly apply: (a: number, b: number) => ArithmeticResult }
  | { readonly build: (left: Evaluate, right: Evaluate) => Evaluate };

const operators: Readonly<Record<BinaryOperator, Operator>> = {
  '+': { apply: (a, b) => exactResult(a + b) },
  '-': { apply: (a, b) => exactResult(a - b) },
  '*': { apply: (a, b) => exactResult(a * b) },
  '/': { apply: divide },
  '//': { apply: floorDivide },
  '%': { apply: modulo },
  '**': { apply: power },
  '<<': { apply: shiftLeft },
  '>>': { apply: shiftRight },
  '&': { apply: bitAnd },
  '|': { apply: bitOr },
  xor: { apply: bitXor },
  or: { build: (left, right) => (frame) => (left(frame) !== 0 || right(frame) !== 0 ? 1 : 0) },
  and: { build: (left, right) => (frame) => (left(frame) !== 0 && right(frame) !== 0 ? 1 : 0) },
  '==': { build: (left, right) => (frame) => (left(frame) === right(frame) ? 1 : 0) },
  '!=': { build: (left, right) => (frame) => (left(frame) !== right(frame) ? 1 : 0) },
  '<': { build: (left, right) => (frame) => (left(frame) < right(frame) ? 1 : 0) },
  '<=': { build: (left, right) => (frame) => (left(frame) <= right(frame) ? 1 : 0) },
  '>': { build: (left, right) => (frame) => (left(frame) > right(frame) ? 1 : 0) },
  '>=': { build: (left, right) => (frame) => (left(frame) >= right(frame) ? 1 : 0) },
};

function namesIn(node: Expression): readonly string[] {
  switch (node.kind) {
    case 'number':
      return [];
    case 'name':
      return [node.name];
    case 'unary':
      return namesIn(node.operand);
    case 'binary':
      return [...namesIn(node.left), ...namesIn(node.right)];
    case 'conditional':
      return [node.condition, node.yes, node.no].flatMap(namesIn);
    case 'call':
      return node.args.flatMap(namesIn);
  }
}

/** The modifiers of statements and list entries: `for`, then `let`, then `if`. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import { type DocumentFields, itemsOf, scalarOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import type { ExpansionBudget } from './budget.ts';
import { type CompiledExpression, compileExpression } from './compile.ts';
import type { Frame, Scope } from './scope.ts';
import { TokenStream } from './tokens.ts';
import { compileLets, compileWhole, type Let, runLets } from './whole.ts';

export const modifierKeys = ['for', 'let', 'if'] as const;

/** The modifiers of one statement. */
export interface Modifiers {
  readonly loops: readonly Loop[];
  readonly lets: readonly Let[];
  readonly condition: CompiledExpression | undefined;
  /** The scope of the statement behind the modifiers. */
  readonly scope: Scope;
  /** The cost of one pass of the loops, in evaluations. */
  readonly weight: number;
  readonly range: SourceRange;
}

type Loop = { readonly slot: number; readonly range: SourceRange } & (
  | {
      readonly kind: 'range';
      readonly first: CompiledExpression;
      readonly last: CompiledExpression;
      readonly by: CompiledExpression | undefined;
    }
  | { readonly kind: 'list'; readonly values: readonly CompiledExpression[] }
);

/** Reads `for`, `let` and `if`; the names they introduce are in the scope of the result. */
export function compileModifiers(fields: DocumentFields, outer: Scope): Modifiers {
  const scope = outer.inner();
  const loops = compileLoops(fields.get('for'), scope);
  const lets = compileLets(fields.get('let'), scope);
  const condition = fields.get('if');
  const compiled = condition === undefined ? undefined : compileWhole(condition, scope, 'a condition');
  const weight = lets.reduce((sum, { value }) => sum + value.weight, 1 + (compiled?.weight ?? 0));
  return { loops, lets, condition: compiled, scope, weight, range: fields.range };
}

function compileLoops(node: YamlNode | undefined, scope: Scope): readonly Loop[] {
  if (node === undefined) return [];
  const expected = 'a loop such as r in ranks or i in 0 .. N-1';
  if (node.kind !== 'sequence') return [compileLoop(node, scope, expected)];
  return itemsOf(node, expected).map((item) => compileLoop(item, scope, expected));
}

function compileLoop(node: YamlNode, scope: Scope, expected: string): Loop {
  const tokens = new TokenStream(scalarOf(node, expected));
  const name = tokens.next();
  const range = node.range;
  if (name.kind !== 'name') throw tokens.error(`expected ${expected}`, name);
  tokens.expect('in');
  const loop = compileValues(tokens, scope, range);
  tokens.expectEnd();
  return { slot: scope.declare(name.text, tokens.rangeOf(name.start, name.end), true), range, ...loop };
}

function compileValues(tokens: TokenStream, scope: Scope, range: SourceRange) {
  if (tokens.accept('ranks'))
    return { kind: 'range', first: constant(0, range), last: lastRank(scope, range), by: undefined } as const;
  if (tokens.accept('[')) {
    const values: CompiledExpression[] = [];
    while (!tokens.at(']')) {
      if (values.length > 0) tokens.expect(',');
      values.push(compileExpression(tokens, scope));
    }
    tokens.expect(']');
    return { kind: 'list', values } as const;
  }
  const first = compileExpression(tokens, scope);
  tokens.expect('..');
  const last = compileExpression(tokens, scope);
  const by = tokens.accept('by') ? compileExpression(tokens, scope) : undefined;
  return { kind: 'range', first, last, by } as const;
}

function constant(value: number, range: SourceRange): CompiledExpression {
  return { evaluate: () => value, range, text: String(value), weight: 1 };
}

/** `ranks` is `0 .. N-1`. */
function lastRank(scope: Scope, range: SourceRange): CompiledExpression {
  const slot = scope.resolve('N', range);
  return { evaluate: (frame) => frame[slot] - 1, range, text: 'N-1', weight: 1 };
}

/** Runs `body` for every pass of the loops whose condition holds, with the names set in the frame. */
export function repeat(modifiers: Modifiers, frame: Frame, budget: ExpansionBudget, body: () => void): void {
  repeatFrom(modifiers, 0, frame, budget, body);
}

function repeatFrom(
  modifiers: Modifiers,
  depth: number,
  frame: Frame,
  budget: ExpansionBudget,
  body: () => void,
): void {
  if (depth === modifiers.loops.length) {
    budget.spend(modifiers.weight, modifiers.range);
    runLets(modifiers.lets, frame);
    if (modifiers.condition === undefined || modifiers.condition.evaluate(frame) !== 0) body();
    return;
  }
  const loop = modifiers.loops[depth];
  if (loop.kind === 'list') {
    for (const value of loop.values) {
      frame[loop.slot] = value.evaluate(frame);
      repeatFrom(modifiers, depth + 1, frame, budget, body);
    }
    return;
  }
  const first = loop.first.evaluate(frame);
  const last = loop.last.evaluate(frame);
  const by = loop.by === undefined ? 1 : loop.by.evaluate(frame);
  if (by === 0) throw new CccError('range', 'a loop cannot go by 0', loop.by?.range);
  const times = Math.max(0, Math.floor((last - first) / by) + 1);
  budget.checkLoop(times, loop.range);
  // A loop costs evaluations even if the loop inside it is empty.
  budget.spend(1, loop.range);
  for (let pass = 0; pass < times; pass++) {
    frame[loop.slot] = first + pass * by;
    repeatFrom(modifiers, depth + 1, frame, budget, body);
  }
}

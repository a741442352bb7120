/** YAML texts that are one expression, and `let` with its names for expressions. */
import { namedEntries, scalarOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import { type CompiledExpression, compileExpression } from './compile.ts';
import type { Frame, Scope } from './scope.ts';
import { TokenStream } from './tokens.ts';

/** @throws CccError 'schema' or 'expression' when the node is not one expression */
export function compileWhole(node: YamlNode, scope: Scope, expected = 'an expression'): CompiledExpression {
  const tokens = new TokenStream(scalarOf(node, expected));
  const compiled = compileExpression(tokens, scope);
  tokens.expectEnd();
  return compiled;
}

/** A name of a `let`, with its expression. */
export interface Let {
  readonly slot: number;
  readonly value: CompiledExpression;
}

/** Declares the names of a `let` mapping one after the other; each may use those before it. */
export function compileLets(node: YamlNode | undefined, scope: Scope): readonly Let[] {
  if (node === undefined) return [];
  return namedEntries(node, 'names with their expressions').map(([name, { key, value }]) => {
    const compiled = compileWhole(value, scope);
    return { slot: scope.declare(name, key), value: compiled };
  });
}

export function runLets(lets: readonly Let[], frame: Frame): void {
  for (const { slot, value } of lets) frame[slot] = value.evaluate(frame);
}

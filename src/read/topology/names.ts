/** Templates of node names, in which braces hold expressions: `gpu {r // 8}.{r % 8}`. */
import { CccError } from '../../ir/diagnostic.ts';
import {
  type CompiledExpression,
  compileExpression,
  type Frame,
  type Scope,
  TokenStream,
} from '../expression/index.ts';
import { scalarOf } from '../fields.ts';
import { readable } from '../limits.ts';
import { rangeWithin, type YamlNode, type YamlScalar } from '../yaml.ts';

/** A compiled template: the name of each node of a kind. */
export interface NameTemplate {
  /** @throws CccError 'expression' where an expression has no value, 'range' for a name that is too long or empty */
  nameOf(index: number): string;
}

/**
 * Compiles the template of the names of a kind of nodes.
 * @param variable the name of the node's index in expressions: `r` for chips, `i` for others
 * @throws CccError 'expression' for braces that hold no expression or do not close, or unknown names in them
 */
export function compileName(node: YamlNode, variable: string, outer: Scope, frame: Frame): NameTemplate {
  const scalar = scalarOf(node, `a name such as chip {${variable}}`);
  const scope = outer.inner();
  const slot = scope.declare(variable, node.range);
  const parts = partsOf(scalar, scope);
  return {
    nameOf(index) {
      frame[slot] = index;
      const name = parts.map((part) => (typeof part === 'string' ? part : part.evaluate(frame))).join('');
      if (name.trim() !== '' && name.length <= readable.name) return name;
      throw new CccError('range', `a name has 1 to ${readable.name} characters, not ${name.length}`, scalar.range);
    },
  };
}

/** Splits a template into plain texts and expressions, alternately. */
function partsOf(scalar: YamlScalar, scope: Scope): readonly (string | CompiledExpression)[] {
  const { text } = scalar;
  const parts: (string | CompiledExpression)[] = [];
  let at = 0;
  for (const brace of text.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    const end = brace.index + brace[0].length;
    const range = rangeWithin(scalar, brace.index, end);
    const [, expression] = brace;
    if (expression === undefined) {
      const message = `'${brace[0]}' stands alone: in names braces hold an expression, as in chip {r}`;
      throw new CccError('expression', message, range);
    }
    const inside = rangeWithin(scalar, brace.index + 1, end - 1);
    const tokens = new TokenStream({ ...scalar, text: expression, range: inside });
    parts.push(text.slice(at, brace.index), compileExpression(tokens, scope));
    tokens.expectEnd();
    at = end;
  }
  return [...parts, text.slice(at)];
}

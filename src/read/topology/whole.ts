/** Reads whole numbers in topology files. */
import { CccError } from '../../ir/diagnostic.ts';
import { compileWhole, type Frame, type Scope } from '../expression/index.ts';
import type { YamlNode } from '../yaml.ts';

/** Evaluates an expression to a whole number of at least `least` that fits into 32 bits. */
export function wholeAtLeast(least: number, node: YamlNode, what: string, scope: Scope, frame: Frame): number {
  const value = compileWhole(node, scope).evaluate(frame);
  if (value >= least && value < 2 ** 31) return value;
  const wanted = value < least ? `at least ${least}` : 'less than 2**31';
  throw new CccError('range', `${what} must be ${wanted}, not ${value}`, node.range);
}

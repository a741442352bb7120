/** Reads `groups` of a topology file (ranks in one box): lists, or statements with `ranks`. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import {
  compileExpression,
  compileModifiers,
  compileWhole,
  type ExpansionBudget,
  type Frame,
  modifierKeys,
  repeat,
  type Scope,
  TokenStream,
} from '../expression/index.ts';
import { DocumentFields, itemsOf, scalarOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';

/** Evaluates the groups; empty ones are dropped. @throws CccError 'range' for ranks that do not exist, 'topology' for a rank in two groups */
export function readGroups(
  node: YamlNode | undefined,
  chips: number,
  scope: Scope,
  frame: Frame,
  budget: ExpansionBudget,
): readonly (readonly number[])[] {
  if (node === undefined) return [];
  const groups: number[][] = [];
  const taken = new Set<number>();
  const join = (group: number[], rank: number, range: SourceRange): void => {
    if (rank < 0 || rank >= chips) {
      throw new CccError('range', `rank ${rank} is out of range: there are ranks 0 … ${chips - 1}`, range);
    }
    if (taken.has(rank)) throw new CccError('topology', `rank ${rank} is in two groups`, range);
    taken.add(rank);
    group.push(rank);
  };
  for (const item of itemsOf(node, 'a list of groups')) {
    if (item.kind === 'sequence') {
      const group: number[] = [];
      for (const rank of item.items) join(group, compileWhole(rank, scope, 'a rank').evaluate(frame), rank.range);
      groups.push(group);
      continue;
    }
    const fields = new DocumentFields(item, 'a group', [...modifierKeys, 'ranks']);
    const modifiers = compileModifiers(fields, scope);
    const tokens = new TokenStream(scalarOf(fields.require('ranks'), 'ranks such as 0 .. 3'));
    const first = compileExpression(tokens, modifiers.scope);
    tokens.expect('..');
    const last = compileExpression(tokens, modifiers.scope);
    tokens.expectEnd();
    repeat(modifiers, frame, budget, () => {
      const group: number[] = [];
      const end = last.evaluate(frame);
      for (let rank = first.evaluate(frame); rank <= end; rank++) join(group, rank, tokens.scalar.range);
      if (group.length > 0) groups.push(group);
    });
  }
  return groups;
}

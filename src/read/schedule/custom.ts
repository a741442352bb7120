/** Custom collectives, which a file defines as data: `collective: { kind: custom, input, output, results }`. */
import type { Contribution, CustomCondition } from '../../ir/collective.ts';
import { customResults } from '../../ir/custom-results.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import {
  type CompiledExpression,
  compileModifiers,
  compileWhole,
  ExpansionBudget,
  type Frame,
  type Modifiers,
  modifierKeys,
  repeat,
  type Scope,
} from '../expression/index.ts';
import { DocumentFields, itemsOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';

/** A compiled custom collective; its sizes and results depend on N, C and the parameters. */
export interface CustomDefinition {
  readonly input: CompiledExpression;
  readonly output: CompiledExpression;
  /** The slot of the variable `r` in `input` and `output`. */
  readonly rankSlot: number;
  readonly results: readonly ResultEntry[];
}

interface ResultEntry {
  readonly modifiers: Modifiers;
  readonly rank: CompiledExpression;
  readonly chunk: CompiledExpression;
  readonly is: readonly SourceEntry[];
}

interface SourceEntry {
  readonly modifiers: Modifiers;
  readonly rank: CompiledExpression;
  readonly chunk: CompiledExpression;
}

const customKeys = ['kind', 'input', 'output', 'results'];

export function compileCustom(node: YamlNode, outer: Scope): CustomDefinition {
  const fields = new DocumentFields(node, 'a custom collective', customKeys);
  const scope = outer.inner();
  const rankSlot = scope.declare('r', fields.range);
  const input = compileWhole(fields.require('input'), scope, 'the chunks of rank r');
  const output = compileWhole(fields.require('output'), scope, 'the chunks of rank r');
  const results = itemsOf(fields.require('results'), 'a list of results').map((item) => compileResult(item, outer));
  return { input, output, rankSlot, results };
}

function compileResult(node: YamlNode, outer: Scope): ResultEntry {
  const fields = new DocumentFields(node, 'a result', [...modifierKeys, 'rank', 'chunk', 'is']);
  const modifiers = compileModifiers(fields, outer);
  const { scope } = modifiers;
  const rank = compileWhole(fields.require('rank'), scope, 'a rank');
  const chunk = compileWhole(fields.require('chunk'), scope, 'a chunk');
  const is = itemsOf(fields.require('is'), 'a list of input chunks').map((item) => compileSource(item, scope));
  return { modifiers, rank, chunk, is };
}

function compileSource(node: YamlNode, outer: Scope): SourceEntry {
  const fields = new DocumentFields(node, 'an input chunk', [...modifierKeys, 'rank', 'chunk']);
  const modifiers = compileModifiers(fields, outer);
  const rank = compileWhole(fields.require('rank'), modifiers.scope, 'a rank');
  return { modifiers, rank, chunk: compileWhole(fields.require('chunk'), modifiers.scope, 'a chunk') };
}

/**
 * Evaluates the pre- and post-condition for the N, C and parameters in the frame.
 * @throws CccError 'range' for ranks and chunks that do not exist, 'schedule' for a slot that is given twice
 */
export function expandCustom(
  definition: CustomDefinition,
  ranks: number,
  frame: Frame,
  limits: Limits,
): CustomCondition {
  const sizes = (chunks: CompiledExpression): number[] =>
    Array.from({ length: ranks }, (_, rank) => {
      frame[definition.rankSlot] = rank;
      return checkedChunks(chunks, frame, limits, rank);
    });
  const input = sizes(definition.input);
  const output = sizes(definition.output);
  const budget = new ExpansionBudget(limits.evaluations);
  const results: (readonly Contribution[] | null)[][] = output.map((count) =>
    Array.from({ length: count }, () => null),
  );
  let left = limits.operations;
  for (const { modifiers, rank, chunk, is } of definition.results) {
    repeat(modifiers, frame, budget, () => {
      const place = slotOf({ modifiers, rank, chunk }, 'output', output, frame);
      if (results[place.rank][place.chunk] !== null) {
        const message = `output chunk ${place.chunk} of rank ${place.rank} is given twice${modifiers.scope.loopValues(frame)}`;
        throw new CccError('schedule', message, modifiers.range);
      }
      const contributions: Contribution[] = [];
      for (const source of is) {
        repeat(source.modifiers, frame, budget, () => {
          if (left-- === 0) {
            const message = `the results have more parts than the limit operations = ${limits.operations}`;
            throw new CccError('limit', message, source.modifiers.range);
          }
          contributions.push(slotOf(source, 'input', input, frame));
        });
      }
      if (contributions.length === 0) {
        const message = `'is' must name at least one input chunk${modifiers.scope.loopValues(frame)}`;
        throw new CccError('schedule', message, modifiers.range);
      }
      results[place.rank][place.chunk] = contributions;
    });
  }
  return { input, output, results: customResults(results) };
}

function checkedChunks(chunks: CompiledExpression, frame: Frame, limits: Limits, rank: number): number {
  const value = chunks.evaluate(frame);
  if (value > limits.chunks) {
    throw new CccError('limit', `${value} chunks are more than the limit chunks = ${limits.chunks}`, chunks.range);
  }
  if (value >= 0) return value;
  throw new CccError('range', `rank ${rank} cannot have ${value} chunks`, chunks.range);
}

/** The slot of a buffer, of so many chunks on each rank, that an entry names. */
function slotOf(
  { modifiers, rank, chunk }: SourceEntry,
  buffer: 'input' | 'output',
  sizes: readonly number[],
  frame: Frame,
): Contribution {
  const owner = rank.evaluate(frame);
  const values = (): string => modifiers.scope.loopValues(frame);
  if (owner < 0 || owner >= sizes.length) {
    const message = `rank ${owner} is out of range: there are ranks 0 … ${sizes.length - 1}${values()}`;
    throw new CccError('range', message, rank.range);
  }
  const slot = chunk.evaluate(frame);
  if (slot < 0 || slot >= sizes[owner]) {
    const has = sizes[owner] === 0 ? 'none' : `chunks 0 … ${sizes[owner] - 1}`;
    const message = `chunk ${slot} is out of range: rank ${owner}'s ${buffer} has ${has}${values()}`;
    throw new CccError('range', message, chunk.range);
  }
  return { rank: owner, chunk: slot };
}

/** Coarsens custom collectives to the smallest number of chunks that still describes them. */
import type { Collective } from './collective.ts';
import { withChunks } from './custom-results.ts';
import { greatestCommonDivisor } from './whole-numbers.ts';

/**
 * The same custom collective with chunks merged: if all its counts and positions are multiples of some number of chunks, so many become one chunk.
 * Other collectives are returned unchanged. Bounds count bytes, so they hold for both.
 */
export function inFewestChunks(collective: Collective): Collective {
  const { custom, chunks } = collective;
  if (custom === undefined) return collective;
  const { input, output, inputAt = [], results } = custom;
  const { slot, count, at, lists } = results;
  let common = chunks;
  for (const numbers of [
    input,
    output,
    inputAt,
    slot,
    count,
    at,
    ...lists.map((list) => list.map((part) => part.chunk)),
  ]) {
    for (const number of numbers) common = greatestCommonDivisor(common, Math.abs(number));
  }
  if (common === 1) return collective;
  const fewer = (number: number): number => number / common;
  const condition = {
    input: input.map(fewer),
    output: output.map(fewer),
    ...(custom.inputAt === undefined ? {} : { inputAt: inputAt.map(fewer) }),
    results: withChunks(results, fewer),
  };
  return { ...collective, chunks: fewer(chunks), custom: condition };
}

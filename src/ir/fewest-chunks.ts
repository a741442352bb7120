/** Collectives that are given as data, in as few chunks as say the same. */
import type { Collective } from './collective.ts';
import { withChunks } from './custom-results.ts';
import { greatestCommonDivisor } from './whole-numbers.ts';

/**
 * The same custom collective in as few chunks as say it: where everything in it is a multiple of some chunks, these are one. Others stay as
 * they are. What is proved of bytes holds for both.
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

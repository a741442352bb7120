/** Writes amounts of data as fractions of the message size M, as in textbooks. */
import { greatestCommonDivisor } from '../../../ir/whole-numbers.ts';

/** Writes `chunks` as a fraction of M, which has `whole` chunks: `M/8`, `3M/8`, `M`, `20M`, `0`. */
export function fractionOfMessage(chunks: number, whole: number): string {
  if (chunks === 0) return '0';
  const divisor = greatestCommonDivisor(chunks, whole);
  const numerator = chunks / divisor;
  const denominator = whole / divisor;
  return `${numerator === 1 ? '' : numerator}M${denominator === 1 ? '' : `/${denominator}`}`;
}

/** Writes several amounts in one cell: one amount if all are equal, a few different ones, or minimum and maximum. */
export function amountsOfMessage(chunks: readonly number[], whole: number): string {
  const distinct = [...new Set(chunks)].sort((a, b) => a - b);
  const texts = distinct.map((amount) => fractionOfMessage(amount, whole));
  if (texts.length <= 3) return texts.join(' or ');
  return `${texts[0]} … ${texts[texts.length - 1]}`;
}

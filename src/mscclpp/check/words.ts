/** Names and lines for the messages of the checker, in the terms of the file: gpu, block, operation by its index, name. */
import type { SourceRange } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { Finding } from '../../ir/verification.ts';

/** An operation of a block and, in the body of a pipeline, its iteration. */
export interface OperationPlace {
  readonly gpu: number;
  readonly block: number;
  /** Position in the block's list. */
  readonly index: number;
  /** The position in the body of a pipeline, whose own position is `index`, and the iteration, from 0. */
  readonly inner?: { readonly index: number; readonly iteration: number };
  readonly name: string;
  readonly range: SourceRange;
}

/** `gpu 0, block 1, op 6 (rres)`. */
export function operationName({ gpu, block, index, inner, name }: OperationPlace): string {
  const at = inner === undefined ? `${index}` : `${index}.${inner.index}`;
  const when = inner === undefined || inner.iteration === 0 ? '' : ` in iteration ${inner.iteration}`;
  return `gpu ${gpu}, block ${block}, op ${at} (${oneLine(name)})${when}`;
}

export type ExecutionStoryLine = Finding['story'][number];

/** A line of a counterexample about an operation. */
export function storyLine(place: OperationPlace, text = ''): ExecutionStoryLine {
  const { gpu: rank, block: lane, index, range } = place;
  const words = text === '' ? operationName(place) : `${operationName(place)}: ${text}`;
  return { text: words, place: { rank, lane, index, bulk: 0, step: index, range } };
}

/** A line of a counterexample about a whole gpu or block. */
export function partLine(text: string, rank: number, lane: number, range: SourceRange): ExecutionStoryLine {
  return { text, place: { rank, lane, index: 0, bulk: 0, step: 0, range } };
}

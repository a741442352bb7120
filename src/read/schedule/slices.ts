/** Slices of buffers, `[buffer] place [part]`: their syntax, and their evaluation to chunks for given loop variables. */

import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import { type ScheduleBuffer, scheduleBuffers } from '../../ir/schedule.ts';
import { counted } from '../../ir/units.ts';
import {
  type CompiledExpression,
  compileExpression,
  type Frame,
  type Scope,
  TokenStream,
} from '../expression/index.ts';
import { scalarOf } from '../fields.ts';
import type { YamlNode } from '../yaml.ts';
import type { Extents } from './extents.ts';

type Place =
  | { readonly kind: 'all' }
  /** `unit` C for shards, 1 for chunks; from `first` to `last`, both included. */
  | { readonly kind: 'shards' | 'chunks'; readonly first: CompiledExpression; readonly last: CompiledExpression };

interface Part {
  readonly first: CompiledExpression;
  readonly last: CompiledExpression;
  readonly of: CompiledExpression;
}

/** A compiled slice. */
export interface WrittenSlice {
  /** Code of the buffer in `scheduleBuffers`. */
  readonly buffer: number;
  readonly place: Place;
  readonly part: Part | undefined;
  readonly range: SourceRange;
  /** The scope of the names that it uses. */
  readonly scope: Scope;
  /** The cost of evaluating it, in evaluations. */
  readonly weight: number;
}

/** The sizes of the buffers of each rank, to which slices are resolved. */
export interface BufferSizes {
  /** C. */
  readonly chunks: number;
  /** The number of chunks of a rank's buffer with that code. */
  sizeOf(buffer: number, rank: number): number;
}

const places = ['all', 'shard', 'shards', 'chunk', 'chunks'];

/** @throws CccError 'expression' when the text is not a slice, or names a buffer that the collective does not have */
export function compileSlice(node: YamlNode, scope: Scope, kind: CollectiveKind): WrittenSlice {
  const tokens = new TokenStream(scalarOf(node, 'a slice such as shard r, or output chunks 0 .. 3'));
  const named = scheduleBuffers.find((buffer) => tokens.at(buffer));
  if (named !== undefined) tokens.next();
  const buffer: ScheduleBuffer = named ?? 'data';
  if (buffer === 'data' && (kind === 'barrier' || kind === 'custom')) {
    const start = named === undefined ? tokens.peek.start : 0;
    throw tokens.error(`${kind} has no data buffer: say input, output or scratch`, { start, end: tokens.peek.end });
  }
  const place = compilePlace(tokens, scope);
  const part = compilePart(tokens, scope);
  tokens.expectEnd();
  const used = [
    ...(place.kind === 'all' ? [] : [place.first, place.last]),
    ...(part ? [part.first, part.last, part.of] : []),
  ];
  const weight = used.reduce((sum, { weight: own }) => sum + own, 1);
  return { buffer: scheduleBuffers.indexOf(buffer), place, part, range: node.range, scope, weight };
}

function compilePlace(tokens: TokenStream, scope: Scope): Place {
  const word = tokens.peek.text;
  if (!places.includes(word)) {
    const hint = word === 'part' || word === 'parts' ? ` before '${word}', such as all ${word}` : '';
    throw tokens.unexpected(`one of ${places.join(', ')}${hint}`);
  }
  tokens.next();
  if (word === 'all') return { kind: 'all' };
  const kind = word.startsWith('shard') ? 'shards' : 'chunks';
  return { kind, ...compileRange(tokens, scope, word.endsWith('s')) };
}

function compilePart(tokens: TokenStream, scope: Scope): Part | undefined {
  const several = tokens.at('parts');
  if (!several && !tokens.at('part')) return undefined;
  tokens.next();
  const range = compileRange(tokens, scope, several);
  tokens.expect('of');
  return { ...range, of: compileExpression(tokens, scope) };
}

/** Reads one expression, or two with `..` between them. */
function compileRange(
  tokens: TokenStream,
  scope: Scope,
  several: boolean,
): { first: CompiledExpression; last: CompiledExpression } {
  const first = compileExpression(tokens, scope);
  if (!several) return { first, last: first };
  tokens.expect('..');
  return { first, last: compileExpression(tokens, scope) };
}

/**
 * Adds the chunks of a slice of `rank`'s buffer.
 * @throws CccError 'range' when they are not all inside the buffer
 */
export function addSlice(slice: WrittenSlice, rank: number, sizes: BufferSizes, frame: Frame, into: Extents): void {
  const whole = wholeOf(slice, rank, sizes, frame);
  const { offset, count } = slice.part === undefined ? whole : partOf(slice.part, whole, slice.scope, frame);
  into.add(slice.buffer, offset, count);
}

/** A run of consecutive chunks of a buffer. */
interface Chunks {
  readonly offset: number;
  readonly count: number;
}

function wholeOf(slice: WrittenSlice, rank: number, sizes: BufferSizes, frame: Frame): Chunks {
  const { place, buffer } = slice;
  const size = sizes.sizeOf(buffer, rank);
  if (place.kind === 'all') return { offset: 0, count: size };
  const unit = place.kind === 'shards' ? sizes.chunks : 1;
  const first = place.first.evaluate(frame);
  const last = place.last === place.first ? first : place.last.evaluate(frame);
  const count = last < first ? 0 : (last - first + 1) * unit;
  const offset = first * unit;
  const isInside = count === 0 || (first >= 0 && offset + count <= size);
  if (!isInside) throw outside(slice, rank, sizes, frame, first < 0 ? first : last);
  return { offset, count };
}

function partOf(part: Part, { offset, count }: Chunks, scope: Scope, frame: Frame): Chunks {
  const of = part.of.evaluate(frame);
  const first = part.first.evaluate(frame);
  const last = part.last === part.first ? first : part.last.evaluate(frame);
  const error = (message: string, range: SourceRange) =>
    new CccError('range', message + scope.loopValues(frame), range);
  if (of < 1) throw error(`something cannot be cut into ${of} parts`, part.of.range);
  if (count % of !== 0) throw error(`${counted(count, 'chunk')} cannot be cut into ${of} equal parts`, part.of.range);
  if (last < first) return { offset, count: 0 };
  if (first < 0 || last >= of) {
    const range = { ...part.first.range, end: part.last.range.end };
    throw error(`part ${first < 0 ? first : last} is out of range: there are parts 0 … ${of - 1}`, range);
  }
  return { offset: offset + (count / of) * first, count: (count / of) * (last - first + 1) };
}

/** The error for a shard or chunk that the rank's buffer does not have. */
function outside(slice: WrittenSlice, rank: number, sizes: BufferSizes, frame: Frame, wrong: number): CccError {
  const name = scheduleBuffers[slice.buffer];
  const kind = slice.place.kind === 'shards' ? 'shard' : 'chunk';
  const there = sizes.sizeOf(slice.buffer, rank) / (kind === 'shard' ? sizes.chunks : 1);
  const has = there < 1 ? `none` : `${kind}s 0 … ${Math.floor(there) - 1}`;
  const values = slice.scope.loopValues(frame);
  const message = `${kind} ${wrong} is out of range: rank ${rank}'s ${name} buffer has ${has}${values}`;
  return new CccError('range', message, slice.range);
}

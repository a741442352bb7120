/** Compares a rank's output with the reference. */
import { type Dtype, dtypeBytes } from '../ir/dtype.ts';
import { decode, type ElementValue } from './elements.ts';
import { period } from './inputs.ts';
import type { ByteLayout } from './layout.ts';
import type { Expected, Reference } from './reference.ts';

/** The first element of an output that is wrong. */
export interface Mismatch {
  readonly rank: number;
  /** Counted from the start of the rank's output. */
  readonly element: number;
  readonly expected: ElementValue;
  readonly found: ElementValue;
}

/** The data that a check compares. */
export interface CheckRequest {
  readonly reference: Reference;
  readonly layout: ByteLayout;
  readonly memory: SharedArrayBuffer;
  readonly dtype: Dtype;
}

/** The first wrong element of a rank's output, or undefined. */
export function firstWrongElement(request: CheckRequest, rank: number): Mismatch | undefined {
  const { reference, layout, dtype } = request;
  const size = dtypeBytes[dtype];
  const shards = layout.shards(rank, 'output');
  for (let shard = 0; shard + 1 < shards.length; shard++) {
    const length = shards[shard + 1] - shards[shard];
    const sources = length === 0 ? undefined : reference.sources(rank, shard);
    if (sources === undefined) continue;
    const { table, phase } = reference.expected(sources);
    const start = layout.base(rank, 'output') + shards[shard] * size;
    const wrong = firstWrong(request, { start, length, phase }, table);
    if (wrong < 0) continue;
    const found = decode(dtype, new DataView(request.memory), start + wrong * size);
    const expected = decode(dtype, table.bytes, ((phase + wrong) % period) * size);
    return { rank, element: shards[shard] + wrong, expected, found };
  }
  return undefined;
}

/** The first element in which a rank's output differs from that of rank `model`, with which it must agree bit by bit. */
export function compareOutputs(request: CheckRequest, model: number, rank: number): Mismatch | undefined {
  const { layout, memory, dtype } = request;
  const size = dtypeBytes[dtype];
  const length = layout.shards(rank, 'output').at(-1) ?? 0;
  const output = (of: number): Buffer => Buffer.from(memory, layout.base(of, 'output'), length * size);
  const [wanted, found] = [output(model), output(rank)];
  if (wanted.equals(found)) return undefined;
  const element = Math.floor(wanted.findIndex((value, at) => value !== found[at]) / size);
  const valueIn = (bytes: Buffer): ElementValue =>
    decode(dtype, new DataView(memory), bytes.byteOffset + element * size);
  return { rank, element, expected: valueIn(wanted), found: valueIn(found) };
}

/** A range of elements in memory, and the element of the table of expected values with which it begins. */
interface Window {
  readonly start: number;
  readonly length: number;
  readonly phase: number;
}

/** The index of the first wrong element, or −1. */
function firstWrong({ memory, dtype }: CheckRequest, window: Window, table: Expected): number {
  const { tolerance } = table;
  if (tolerance !== undefined) return firstFar(dtype, new DataView(memory), window, { ...table, tolerance });
  const size = dtypeBytes[dtype];
  const words = Math.max(1, size / 4);
  const found = wordsOf(memory, window.start, window.length * size, Math.min(size, 4));
  const expected = wordsOf(table.bytes.buffer, 0, table.bytes.byteLength, Math.min(size, 4));
  for (let i = 0, at = window.phase * words; i < found.length; i++, at++) {
    if (at === expected.length) at = 0;
    if (found[i] !== expected[at]) return Math.floor(i / words);
  }
  return -1;
}

/** The memory as unsigned integers, so that −0 and NaN are compared by their bits. */
function wordsOf(
  buffer: ArrayBufferLike,
  start: number,
  bytes: number,
  size: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (size === 1) return new Uint8Array(buffer, start, bytes);
  return size === 2 ? new Uint16Array(buffer, start, bytes / 2) : new Uint32Array(buffer, start, bytes / 4);
}

function firstFar(dtype: Dtype, view: DataView, window: Window, table: Required<Expected>): number {
  const size = dtypeBytes[dtype];
  for (let i = 0; i < window.length; i++) {
    const at = (window.phase + i) % period;
    const found = Number(decode(dtype, view, window.start + i * size));
    const expected = Number(decode(dtype, table.bytes, at * size));
    // The negated comparison makes NaN wrong.
    if (!(Math.abs(found - expected) <= (table.tolerance?.[at] ?? 0))) return i;
  }
  return -1;
}

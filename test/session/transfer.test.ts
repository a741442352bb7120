/** What a worker hands over: every table of a value, each piece of memory once. */
import { describe, expect, it } from 'vitest';
import { buffersOf } from '../../src/session/workers/transfer.ts';

describe('buffers of a value', () => {
  it('are found wherever they are, once, and leave what threads share alone', () => {
    const column = Int32Array.of(1, 2, 3);
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const value = { a: [{ column }, column.subarray(1)], b: new Float64Array(2), shared, text: 'x', none: undefined };
    expect(buffersOf({ ...value, again: value })).toEqual([column.buffer, value.b.buffer]);
  });

  it('may be in a value that contains itself', () => {
    const value: { self?: object; column: Int32Array } = { column: new Int32Array(1) };
    value.self = value;
    expect(buffersOf(value)).toEqual([value.column.buffer]);
    structuredClone(value, { transfer: buffersOf(value) });
    expect(value.column.length).toBe(0);
  });
});

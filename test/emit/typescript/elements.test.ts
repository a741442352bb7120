/** Emitted functions on elements of every type, called as a library: against arithmetic of whole numbers, over a transport of one's own. */
import { describe, expect, it } from 'vitest';
import type { CollectiveKind, Dtype } from '../../../src/index.ts';
import { wholeNumberOperators } from '../../operators.ts';
import { planOf, typescriptOf, type Wanted, written } from './plans.ts';

type Elements = Int8Array | Int32Array | Float32Array | BigInt64Array;

interface Transport {
  readonly rank: number;
  send(to: number, channel: number, data: Elements): Promise<void>;
  receive(from: number, channel: number, data: Elements): Promise<void>;
}

/** What an emitted file exports; its function has the name of the collective. */
interface Emitted {
  localTransports(): readonly Transport[];
  readonly [collective: string]: (...operands: unknown[]) => unknown;
}

async function emitted(kind: CollectiveKind, wanted: Wanted): Promise<Emitted> {
  return import(written(await typescriptOf(planOf(kind, wanted))));
}

const arrays = {
  ...{ i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array },
  ...{ i64: BigInt64Array, u64: BigUint64Array, f32: Float32Array, f64: Float64Array },
};
type Typed = keyof typeof arrays;

/** Whole numbers over the whole range of the type, small ones for floats, of which no sum or product rounds. */
function inputsOf(dtype: Typed, ranks: number, length: number): bigint[][] {
  let state = 12_345n;
  const next = (): bigint => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return state >> 11n;
  };
  const float = dtype === 'f32' || dtype === 'f64';
  const bits = 8 * arrays[dtype].BYTES_PER_ELEMENT;
  const wrap = (value: bigint) => (dtype.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value));
  return Array.from({ length: ranks }, () =>
    Array.from({ length }, () => (float ? (next() % 41n) + 1n : wrap(next() * next()))),
  );
}

/** The array of these values; storing wraps integers. */
function arrayOf(dtype: Typed, values: readonly bigint[]) {
  const array = new arrays[dtype](values.length);
  const bits = 8 * array.BYTES_PER_ELEMENT;
  values.forEach((value, index) => {
    if (array instanceof BigInt64Array || array instanceof BigUint64Array) array[index] = value;
    else array[index] = dtype.startsWith('f') ? Number(value) : Number(BigInt.asIntN(bits, value));
  });
  return array;
}

describe.each(Object.keys(arrays) as Typed[])('allreduce of %s', (dtype) => {
  const float = dtype === 'f32' || dtype === 'f64';
  const names = (['sum', 'prod', 'max', 'min', 'and', 'or', 'xor'] as const).slice(0, float ? 4 : 7);

  it.each(names)('reduces with %s as a rank by itself would', async (op) => {
    const { allreduce, localTransports } = await emitted('allreduce', { topology: 'ring:3', dtype, op });
    const inputs = inputsOf(dtype, 3, 101);
    const outputs = inputs.map(() => arrayOf(dtype, new Array<bigint>(101).fill(0n)));
    await Promise.all(
      localTransports().map((transport, rank) => allreduce(transport, arrayOf(dtype, inputs[rank]), outputs[rank])),
    );
    const wanted = arrayOf(
      dtype,
      inputs[0].map((first, i) =>
        inputs.slice(1).reduce((sum, input) => wholeNumberOperators[op](sum, input[i]), first),
      ),
    );
    for (const output of outputs) expect(output).toEqual(wanted);
  });
});

/** Sends wait for their receiver, and everything takes its time: what a plan is proved for, at its slowest. */
function rendezvous(ranks: number): readonly Transport[] {
  const waiting = new Map<string, { data: Elements; done: () => void }>();
  const meet = async (name: string, data: Elements, isSend: boolean): Promise<void> => {
    for (let turn = 0; turn < name.length % 3; turn++) await new Promise(setImmediate);
    const other = waiting.get(name);
    if (other === undefined) return new Promise((done) => waiting.set(name, { data, done }));
    waiting.delete(name);
    const [from, to] = isSend ? [data, other.data] : [other.data, data];
    expect(to.length).toBe(from.length);
    for (let i = 0; i < from.length; i++) to[i] = from[i];
    other.done();
  };
  return Array.from({ length: ranks }, (_, rank) => ({
    rank,
    send: (to, channel, data) => meet(`${rank} to ${to} on ${channel}`, data, true),
    receive: (from, channel, data) => meet(`${from} to ${rank} on ${channel}`, data, false),
  }));
}

describe('an emitted function', () => {
  it('works over a transport that buffers nothing', async () => {
    const { allgather } = await emitted('allgather', { topology: 'torus:3x3', bulks: 2 });
    const outputs = Array.from({ length: 9 }, () => new Float32Array(9 * 7));
    const inputOf = (rank: number) => Float32Array.from({ length: 7 }, (_, i) => 100 * rank + i);
    await Promise.all(rendezvous(9).map((transport, rank) => allgather(transport, inputOf(rank), outputs[rank])));
    const wanted = outputs.flatMap((_, rank) => [...inputOf(rank)]);
    for (const output of outputs) expect([...output]).toEqual(wanted);
  });

  it('leaves its input as it was, and takes another operator, in rank order', async () => {
    const { scan, localTransports } = await emitted('scan', { bulks: 3 });
    const inputs = [3, 1, 4, 2].map((value) => new Float32Array(20).fill(value));
    const outputs = inputs.map(() => new Float32Array(20));
    // Numbers written one behind the other: associative, but not commutative.
    const append = (target: Float32Array, left: Float32Array, right: Float32Array): void => {
      target.set(left.map((digits, i) => Number(`${digits}${right[i]}`)));
    };
    await Promise.all(localTransports().map((t, rank) => scan(t, inputs[rank], outputs[rank], append)));
    expect(outputs.map((output) => new Set(output))).toEqual([3, 31, 314, 3142].map((wanted) => new Set([wanted])));
    expect(inputs.map(([value]) => value)).toEqual([3, 1, 4, 2]);
  });

  it.each([
    ['allgather', [new Float32Array(4), new Float32Array(15)], 'output has 15 elements, expected 16'],
    ['reducescatter', [new Float32Array(15), new Float32Array(4)], 'input has 15 elements, expected 16'],
    ['allreduce', [new Float32Array(4), new Float32Array(3)], 'output has 3 elements, expected 4'],
    ['broadcast', [new Float32Array(3), new Float32Array(4)], 'input has 3 elements, expected 4'],
  ] as const)('%s refuses buffers of the wrong length', async (kind, buffers, message) => {
    const module = await emitted(kind, {});
    await expect(module[kind](module.localTransports()[0], ...buffers)).rejects.toThrow(new RangeError(message));
  });

  it('refuses a buffer that is no whole number of shards', async () => {
    const { alltoall, localTransports } = await emitted('alltoall', {});
    const [transport] = localTransports();
    await expect(alltoall(transport, new Float32Array(15), new Float32Array(15))).rejects.toThrow(
      new RangeError('input has 15 elements, expected 12'),
    );
  });
});

const moved: readonly Dtype[] = ['f16', 'bf16'];

describe.each(moved)('elements of %s', (dtype) => {
  it('are moved as their bits', async () => {
    const { allgather, localTransports } = await emitted('allgather', { topology: 'ring:3', dtype });
    const outputs = [0, 1, 2].map(() => new Uint16Array(6));
    await Promise.all(
      localTransports().map((t, rank) => allgather(t, Uint16Array.of(0x7e01 + rank, rank), outputs[rank])),
    );
    for (const output of outputs) expect([...output]).toEqual([0x7e01, 0, 0x7e02, 1, 0x7e03, 2]);
  });
});

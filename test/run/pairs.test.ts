/** MINLOC and MAXLOC on pairs of a value and an index: kernels, runs, emitted TypeScript and C against sorting all pairs. */
import { describe, expect, it } from 'vitest';
import { type PairDtype, pairDtypes } from '../../src/ir/dtype.ts';
import { Random } from '../../src/ir/random.ts';
import { run } from '../../src/run/index.ts';
import { loadKernel } from '../../src/run/kernels/kernel.ts';
import { Memory } from '../../src/run/kernels/web-assembly.ts';
import { prove } from '../../src/verify/index.ts';
import { testSeed } from '../draw.ts';
import { hasMpi, wrongElements } from '../emit/mpi/support.ts';
import { planOf as bundleOf, emitterOfTypeScript, runTool, typescriptOf, written } from '../emit/typescript/plans.ts';
import { planOf } from '../seeds/library.ts';

/** C's layout of each struct: bytes of a pair, where its index lies, and how its value is written. */
const layouts: Readonly<
  Record<PairDtype, { bytes: number; indexAt: number; put: (view: DataView, at: number, value: number) => void }>
> = {
  'i16+i32': { bytes: 8, indexAt: 4, put: (view, at, value) => view.setInt16(at, value, true) },
  'i32+i32': { bytes: 8, indexAt: 4, put: (view, at, value) => view.setInt32(at, value, true) },
  'i64+i32': { bytes: 16, indexAt: 8, put: (view, at, value) => view.setBigInt64(at, BigInt(value), true) },
  'f32+i32': { bytes: 8, indexAt: 4, put: (view, at, value) => view.setFloat32(at, value, true) },
  'f64+i32': { bytes: 16, indexAt: 8, put: (view, at, value) => view.setFloat64(at, value, true) },
};

interface Drawn {
  readonly value: number;
  readonly index: number;
}

/** The pair that comes first: NaN before all numbers, then by value, then by index. */
function best(op: 'minloc' | 'maxloc', pairs: readonly Drawn[]): Drawn {
  const place = ({ value }: Drawn): number =>
    Number.isNaN(value) ? Number.NEGATIVE_INFINITY : op === 'minloc' ? value : -value;
  return [...pairs].sort((a, b) => (place(a) === place(b) ? a.index - b.index : place(a) < place(b) ? -1 : 1))[0];
}

/** Few values, extreme ones among them, so that indices often decide; indices of either sign. */
function drawn(dtype: PairDtype, random: Random): Drawn {
  const values = dtype.startsWith('f') ? [-1e30, -1, 0, 1, Number.NaN, 2.5] : [-32_768, -1, 0, 1, 2, 32_767];
  return { value: values[random.below(values.length)], index: random.below(7) - 3 };
}

describe.each(pairDtypes)('pairs of %s', (dtype) => {
  const { bytes, indexAt, put } = layouts[dtype];

  it.each(['minloc', 'maxloc'] as const)('kernel: %s takes one whole pair', (op) => {
    const memory = new Memory({ initial: 2, maximum: 65_536, shared: true });
    const view = new DataView(memory.buffer);
    const kernel = loadKernel(memory, dtype, op);
    const random = new Random(testSeed + 11);
    for (const count of [0, 1, 2, 3, 7, 8, 9, 64, 501]) {
      const [target, left, right] = [64, 64 + (count + 2) * bytes, 64 + (2 * count + 4) * bytes];
      const draw = (start: number): readonly Drawn[] =>
        Array.from({ length: count }, (_, i) => {
          const pair = drawn(dtype, random);
          new Uint8Array(memory.buffer, start + i * bytes, bytes).fill(0);
          put(view, start + i * bytes, pair.value);
          view.setInt32(start + i * bytes + indexAt, pair.index, true);
          return pair;
        });
      const [lefts, rights] = [draw(left), draw(right)];
      view.setInt32(target + count * bytes, 0x1234567, true);
      kernel.reduce(target, left, right, count * bytes);
      const wanted = new DataView(new ArrayBuffer(count * bytes));
      lefts.forEach((pair, i) => {
        const { value, index } = best(op, [pair, rights[i]]);
        put(wanted, i * bytes, value);
        wanted.setInt32(i * bytes + indexAt, index, true);
      });
      const found = Buffer.from(memory.buffer.slice(target, target + count * bytes));
      expect(found.equals(Buffer.from(wanted.buffer))).toBe(true);
      expect(view.getInt32(target + count * bytes, true)).toBe(0x1234567);
    }
  });

  it('every collective that reduces is right, and each contribution may come twice', async () => {
    const options = {
      repetitions: 1,
      warmups: 0,
      threads: 0,
      inputs: 'exact',
      seed: 5,
      check: true,
      record: false,
    } as const;
    for (const op of ['minloc', 'maxloc'] as const) {
      // Recursive doubling on five ranks folds; a dissemination of whole vectors counts contributions more than once.
      for (const name of [
        'ring-allreduce',
        'recursive-doubling-allreduce',
        'pairwise-reducescatter',
        'chain-scan',
        'binomial-reduce',
      ]) {
        const { proved } = prove(planOf(name, 5, { op }), {});
        if (proved === undefined) throw new Error(`${name} is not proved`);
        const { wrong } = await run(proved, { ...options, size: bytes * 5 * 211, dtype });
        expect(wrong).toEqual([]);
      }
    }
  });
});

describe('emitted functions of pairs', () => {
  const eights = pairDtypes.filter((dtype) => layouts[dtype].bytes === 8);

  it.each(eights)('TypeScript: %s', async (dtype) => {
    const { put, indexAt } = layouts[dtype];
    const random = new Random(testSeed + 3);
    for (const op of ['minloc', 'maxloc'] as const) {
      const module = await import(
        written(await typescriptOf(bundleOf('allreduce', { topology: 'ring:3', dtype, op })))
      );
      const inputs = [0, 1, 2].map(() => Array.from({ length: 50 }, () => drawn(dtype, random)));
      const arrayOf = (pairs: readonly Drawn[]): BigUint64Array => {
        const array = new BigUint64Array(pairs.length);
        const view = new DataView(array.buffer);
        pairs.forEach(({ value, index }, i) => {
          put(view, 8 * i, value);
          view.setInt32(8 * i + indexAt, index, true);
        });
        return array;
      };
      const outputs = inputs.map(() => new BigUint64Array(50));
      const transports: readonly unknown[] = module.localTransports();
      await Promise.all(
        transports.map((transport, rank) => module.allreduce(transport, arrayOf(inputs[rank]), outputs[rank])),
      );
      const wanted = arrayOf(
        inputs[0].map((_, i) =>
          best(
            op,
            inputs.map((input) => input[i]),
          ),
        ),
      );
      for (const output of outputs) expect(output).toEqual(wanted);
    }
  });

  it.each(['minloc', 'maxloc'] as const)('TypeScript files run and check themselves: %s', async (op) => {
    const text = await typescriptOf(bundleOf('allreduce', { topology: 'ring:3', dtype: 'f32+i32', op }));
    const { status, printed } = await runTool('tsx', [written(text), '--check', '--size', '4096']);
    expect(printed).toMatch(/^allreduce of 3 ranks in .*: correct\n$/);
    expect(status).toBe(0);
  });

  it('TypeScript says which pairs JavaScript has no arrays for', () => {
    const bundle = bundleOf('allreduce', { topology: 'ring:3', dtype: 'f64+i32', op: 'minloc' });
    expect(emitterOfTypeScript().check(bundle)).toEqual([
      'JavaScript has no arrays of 16-byte elements, as f64+i32 has',
    ]);
  });

  it.skipIf(!hasMpi).each(['f32+i32', 'f64+i32'] as const)(
    'C under MPI: %s (needs mpicc and mpirun)',
    async (dtype) => {
      expect(await wrongElements(planOf('recursive-doubling-allreduce', 3, { op: 'maxloc' }), dtype, [1, 1000])).toBe(
        0,
      );
    },
  );
});
